//! What can go wrong with the store.

use std::io;
use std::path::{Path, PathBuf};

use sexton_sys::EffectError;

use crate::InvalidLine;

/// A lifecycle file, or a line in one, that can't be read or written; `LifecycleError` of the lifecycle document.
///
/// Where a file is at fault the message begins with it, and with the line's number if it is one line's: `path:line: what`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LifecycleError {
    /// A line is not an event.
    #[error("{}:{line}: {what}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        what: InvalidLine,
    },
    /// A file or directory can't be read.
    #[error("{}: cannot be read: {source}", .path.display())]
    Read {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file has the store's ending, but no session's name.
    #[error("{}: file name is not a session id; the register holds one `<session id>.jsonl` a session and nothing else", .path.display())]
    ForeignFile {
        /// The file.
        path: PathBuf,
    },
    /// A change to the store did not happen, or only in part.
    #[error(transparent)]
    Effect(#[from] EffectError),
    /// There are no random bits to make an event's id of.
    #[error("make an event id: {0}")]
    Random(#[source] io::Error),
    /// Events that were to be written at once don't belong together.
    #[error("write events of different sessions in one step")]
    SeveralSessions,
    /// Neither an option nor the environment says where the register is.
    #[error("find the register: neither `--register-dir` nor `HOME` is set")]
    NoDirectory,
}

impl LifecycleError {
    /// The file or directory at fault, where there is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Line { path, .. } | Self::Read { path, .. } | Self::ForeignFile { path } => Some(path),
            Self::Effect(_) | Self::Random(_) | Self::SeveralSessions | Self::NoDirectory => None,
        }
    }

    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Read {
            path: path.to_path_buf(),
            source,
        }
    }
}
