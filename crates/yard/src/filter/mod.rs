//! What narrows a delete: filters that must all hold, at least one of which must be set.

mod date;
mod matching;

use std::path::PathBuf;

use sexton_sys::FileTime;

pub use date::{DateError, DateReading, ReadDate, read_date};
pub use matching::{is_at_or_below, matches_project, matches_session_id};

/// The filters of a delete and how it treats what it meets; `DeleteOpts` in the reference implementation.
///
/// An unset filter does not constrain. An empty text, an empty list and 0 are unset, so that no empty variable in a script ever
/// matches everything. There is no dry-run switch: making a plan changes nothing, applying it is another step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// Transcripts whose file was last modified strictly before this.
    pub before: Option<FileTime>,
    /// Sessions whose newest message is strictly before this, in milliseconds since the Unix epoch. Unlike the file's time this is not
    /// refreshed by a client that merely looks at a session.
    pub inactive_before_ms: Option<i64>,
    /// Sessions whose transcript directory's name, below the projects root, contains this text (case-sensitive).
    pub project: Option<String>,
    /// Sessions whose directory, as the transcript records it, is this one or below it.
    pub cwd: Option<PathBuf>,
    /// Transcripts of at most this many messages: non-blank lines, as the reference implementation counts.
    pub max_messages: Option<u64>,
    /// These sessions: full ids, or prefixes of at least 8 characters. Several are a union.
    pub sessions: Vec<String>,
    /// Only routine sessions, see [`crate::routine`].
    pub routine: bool,
    /// Sessions of [`DeleteOptions::sessions`], named by full id, may be moved although their process can't be judged.
    pub unverified: bool,
}

impl DeleteOptions {
    /// Whether at least one filter is set; without one, a delete would take everything.
    #[must_use]
    pub fn has_filter(&self) -> bool {
        self.before.is_some()
            || self.inactive_before_ms.is_some()
            || self.project().is_some()
            || self.cwd().is_some()
            || self.max_messages().is_some()
            || self.sessions().next().is_some()
            || self.routine
    }

    /// The project filter, if it is set.
    #[must_use]
    pub fn project(&self) -> Option<&str> {
        self.project.as_deref().filter(|text| !text.is_empty())
    }

    /// The directory filter, if it is set.
    #[must_use]
    pub fn cwd(&self) -> Option<&std::path::Path> {
        self.cwd.as_deref().filter(|path| !path.as_os_str().is_empty())
    }

    /// The message filter, if it is set.
    #[must_use]
    pub fn max_messages(&self) -> Option<u64> {
        self.max_messages.filter(|most| *most > 0)
    }

    /// The sessions that are named.
    pub fn sessions(&self) -> impl Iterator<Item = &str> {
        self.sessions.iter().map(String::as_str).filter(|id| !id.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_values_are_no_filter() {
        let mut options = DeleteOptions {
            project: Some(String::new()),
            cwd: Some(PathBuf::new()),
            max_messages: Some(0),
            sessions: vec![String::new()],
            unverified: true,
            ..DeleteOptions::default()
        };
        assert!(!options.has_filter());
        options.sessions.push("01234567".to_owned());
        assert!(options.has_filter());
    }
}
