//! Why the index could not do what it was asked to.

use std::io;
use std::path::{Path, PathBuf};

use sexton_sys::{EffectError, LockError};
use sexton_yard::tombstones::TombstoneError;

use crate::query::QueryError;
use crate::vault::VaultError;

/// An operation on the index that failed; the message fits after "failed to".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// SQLite refused; the disk may be full, or the file damaged ([`IndexError::is_damage`]).
    #[error("use the catalogue: {0}")]
    Catalogue(#[from] rusqlite::Error),
    /// The catalogue was written by a newer version of this program, and is left alone.
    #[error("use the catalogue `{path}`: it has version {found}, and this program knows {known}")]
    Newer {
        /// The catalogue.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version known here.
        known: i64,
    },
    /// What lies in the catalogue's place is another program's.
    #[error("use the catalogue `{0}`: it is not sexton's")]
    Foreign(PathBuf),
    /// A file could not be read.
    #[error("read `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of facts is not what this program writes. It is not derived, so it is never overwritten.
    #[error("read `{path}`: {reason}")]
    Facts {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Nobody knows what is deleted, so nothing is shown.
    #[error(transparent)]
    Tombstones(#[from] TombstoneError),
    /// The query asks for what the index can't tell.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// A pattern is no regular expression.
    #[error("understand the pattern: {0}")]
    Pattern(String),
    /// The vault could not be used.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// Another process has held a lock for too long.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file could not be written.
    #[error(transparent)]
    Effect(#[from] EffectError),
}

impl IndexError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            path: path.to_path_buf(),
            source,
        }
    }

    /// Whether the catalogue's file is damaged, so that it must be made anew.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Catalogue(error) if is_damage(error))
    }

    /// Whether something could not be written or opened where it lies: no room, no right, another program at it, a disk that fails.
    /// What is there may then still be read as it is.
    #[must_use]
    pub fn is_of_the_disk(&self) -> bool {
        match self {
            Self::Catalogue(error) => !is_damage(error),
            Self::Effect(_) | Self::Lock(LockError::Io { .. }) => true,
            _ => false,
        }
    }
}

pub(crate) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
    )
}

pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
    )
}
