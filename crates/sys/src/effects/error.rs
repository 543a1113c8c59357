//! Why a change to the file system did not happen.

use std::io;
use std::path::{Path, PathBuf};

/// An effect that failed; the message fits after "failed to".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EffectError {
    /// The system refused.
    #[error("{action} `{path}`: {source}")]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The disk took only a part of an append.
    #[error("append to `{path}`: only {written} of {expected} bytes were written; the file system may be full")]
    ShortWrite {
        /// The file.
        path: PathBuf,
        /// Bytes that are in the file now.
        written: usize,
        /// Bytes that should be.
        expected: usize,
    },
    /// The destination exists and would have been overwritten.
    #[error("create `{0}`: it exists already")]
    Exists(PathBuf),
    /// The source changed while it was copied.
    #[error("copy `{0}`: it changed meanwhile")]
    Changed(PathBuf),
    /// A fault plan stopped this process's effects here.
    #[error("go on: stopped by the fault plan")]
    Stopped,
}

impl EffectError {
    /// An error of the system on `path`, to be used with `map_err`.
    pub(crate) fn io<E: Into<io::Error>>(action: &'static str, path: &Path) -> impl FnOnce(E) -> Self {
        move |source| Self::Io {
            action,
            path: path.to_path_buf(),
            source: source.into(),
        }
    }

    /// The kind of the system's error, if it is one.
    #[must_use]
    pub fn kind(&self) -> Option<io::ErrorKind> {
        match self {
            Self::Io { source, .. } => Some(source.kind()),
            Self::Exists(_) => Some(io::ErrorKind::AlreadyExists),
            _ => None,
        }
    }

    /// Whether source and destination lie on different devices, so that only a copy can help.
    #[must_use]
    pub fn is_cross_device(&self) -> bool {
        self.kind() == Some(io::ErrorKind::CrossesDevices)
    }

    /// Whether the path was not there.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.kind() == Some(io::ErrorKind::NotFound)
    }
}
