//! What a command's exit status means.

/// The exit status of a command; see `docs/exit-codes-and-json.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: done; also a dry run, and nothing to do.
    Done,
    /// 1: refused, not found, declined or failed; for `search`, no match.
    Refused,
    /// 2: the command line itself is wrong.
    Usage,
    /// 3: done in part; each item that failed, or file that can't be read, is listed.
    Partial,
}

impl From<Exit> for u8 {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => 0,
            Exit::Refused => 1,
            Exit::Usage => 2,
            Exit::Partial => 3,
        }
    }
}
