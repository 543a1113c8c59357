//! Why a copy could not be taken, read or given back.

use std::io;
use std::path::{Path, PathBuf};

use sexton_register::SessionId;
use sexton_sys::{EffectError, LockError};

/// An operation on the vault that failed; the message fits after "failed to".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VaultError {
    /// A file could not be read.
    #[error("read `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A manifest is not what this program writes.
    #[error("read `{path}`: it is damaged: {reason}")]
    Damaged {
        /// The manifest.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A manifest was written by a newer version of this program.
    #[error("use `{path}`: it has version {found}, and this program knows {known}")]
    Newer {
        /// The manifest.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest version known here.
        known: u32,
    },
    /// There is no copy of this session.
    #[error("find a copy of session `{0}` in the vault")]
    NoCopy(SessionId),
    /// The copy's bytes are not those that were put in.
    #[error("read the copy of `{name}`: {reason}")]
    Corrupt {
        /// The file, relative to its config directory.
        name: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Another process has held the vault for too long.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file could not be written.
    #[error(transparent)]
    Effect(#[from] EffectError),
}

impl VaultError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            path: path.to_path_buf(),
            source,
        }
    }
}
