//! The journal's last line, which tells whether anything before it is open.

use sexton_sys::read;

use super::read::{Parsed, parse};
use super::{Journal, JournalError, LineBody};

/// Far longer than a `closed` line, far shorter than a journal.
const WINDOW: u64 = 4096;

/// What the end of the journal says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tail {
    /// Nothing is open.
    Settled,
    /// Something may be open: the last operation was interrupted, or left something behind that could not be settled.
    Open,
}

impl Journal {
    /// Looks at the last line; costs the same whatever the journal's length. An absent journal is settled.
    pub fn tail(&self) -> Result<Tail, JournalError> {
        let (mut file, metadata) = match read::open_regular(&self.path) {
            Ok(open) => open,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Tail::Settled),
            Err(error) => return Err(self.unreadable(error)),
        };
        if metadata.len() == 0 {
            return Ok(Tail::Settled);
        }
        let ends = read::ends(&mut file, metadata.len(), WINDOW).map_err(|error| self.unreadable(error))?;
        // Each byte is in one of the two: the last line of a journal that is little longer than the window begins in the first of them.
        let window = if ends.tail_offset == ends.head.len() as u64 {
            [ends.head, ends.tail].concat()
        } else {
            ends.tail
        };
        // A last line without its newline was cut short.
        let Some(lines) = window.strip_suffix(b"\n") else {
            return Ok(Tail::Open);
        };
        let last = lines.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        match parse(last) {
            Parsed::Newer(version) => Err(JournalError::Newer {
                path: self.path.clone(),
                version,
            }),
            Parsed::Line(line) if matches!(line.body, LineBody::Closed { pending: 0 }) => Ok(Tail::Settled),
            _ => Ok(Tail::Open),
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test arranges files directly")]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_counts_however_long_the_journal_is() {
        let directory = tempfile::tempdir().unwrap();
        let journal = Journal::below(directory.path());
        let closed = r#"{"journal_version":1,"at":"2026-03-01T12:00:00.000Z","operation":"x","body":{"line":"closed","pending":0}}"#;
        for before in [
            0, 1, 3980, 3990, 4000, 4090, 4095, 4096, 4097, 8080, 8191, 8192, 8193, 9000,
        ] {
            std::fs::write(journal.path(), format!("{}\n{closed}\n", "x".repeat(before))).unwrap();
            assert_eq!(journal.tail().unwrap(), Tail::Settled, "{before}");
            std::fs::write(journal.path(), format!("{closed}\n{}\n", "x".repeat(before))).unwrap();
            assert_eq!(journal.tail().unwrap(), Tail::Open, "{before}");
        }
    }
}
