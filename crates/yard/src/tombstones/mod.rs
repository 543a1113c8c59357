//! The tombstone file: ids of deleted sessions, which no pass may bring back.
//!
//! `<directory>/.deleted` is plain text, one id a line, and is shared with other tools, so its format is theirs: no header, no
//! version, nothing but ids. When, why and from where a session was deleted stands in our own journal. A file that can't be read
//! is an error everywhere, never an empty set: a reader that took it for empty would resurrect every deleted session.

pub(crate) mod change;
mod read;
mod write;

use std::io;
use std::path::{Path, PathBuf};

use sexton_sys::{EffectError, Environment, LockError};

pub use change::{add_tombstones, remove_tombstones};
pub use read::{Tombstones, is_tombstoned, load_tombstones};
pub(crate) use write::{check, clear_strays};
pub use write::{lift_tombstones, tombstone_ids};

/// Why the tombstone file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TombstoneError {
    /// It exists and can't be read; whoever asked must stop, not go on as if nothing were deleted.
    #[error("read tombstones `{path}`: {source}")]
    Unreadable {
        /// The tombstone file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An id that would not be one line of the file.
    #[error("`{}` can't be a tombstone: an id is one line of text without control characters", .0.escape_debug())]
    UnfitId(String),
    /// Another process has held the lock for too long.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The file could not be written.
    #[error(transparent)]
    Effect(#[from] EffectError),
}

/// The tombstone file below a tombstone directory, `<cache_dir>/.deleted`; `TombstonePath` in the reference implementation.
#[must_use]
pub fn tombstone_path(cache_dir: &Path) -> PathBuf {
    cache_dir.join(".deleted")
}

/// Where tombstones lie unless a command line says otherwise: `$SEXTON_TOMBSTONE_DIR`, else `~/.cache/session-search`.
///
/// `None` without a home directory. `XDG_CACHE_HOME` plays no part, because the other tools that read the file don't ask it.
#[must_use]
pub fn tombstone_directory(environment: &Environment) -> Option<PathBuf> {
    environment
        .directory("SEXTON_TOMBSTONE_DIR")
        .or_else(|| environment.home().map(|home| home.join(".cache/session-search")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_is_the_other_tools_own_unless_told() {
        let home = Environment::from_variables([("HOME", "/home/a"), ("XDG_CACHE_HOME", "/elsewhere")]);
        assert_eq!(
            tombstone_directory(&home),
            Some(PathBuf::from("/home/a/.cache/session-search"))
        );
        let told = Environment::from_variables([("HOME", "/home/a"), ("SEXTON_TOMBSTONE_DIR", "/stones")]);
        assert_eq!(tombstone_directory(&told), Some(PathBuf::from("/stones")));
        assert_eq!(tombstone_path(Path::new("/stones")), PathBuf::from("/stones/.deleted"));
    }
}
