//! Why one item was not moved.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sexton_sys::EffectError;

use crate::journal::JournalError;
use crate::tombstones::TombstoneError;
use crate::tree::{Change, ChangeKind};

/// Why one item of a plan is not where it should go; the message fits after the item's id and a colon.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ItemError {
    /// A process runs the session.
    #[error("it is live ({0})")]
    Live(String),
    /// A process claims the session and can't be judged.
    #[error("it may be live ({0})")]
    NotJudgeable(String),
    /// It is not what the plan showed any more.
    #[error("it changed since it was looked at: {}", listed(.0))]
    Changed(Vec<Change>),
    /// The place where a file should go holds something else.
    #[error("`{}` exists with other content than `{}`", .to.display(), .from.display())]
    Occupied {
        /// What should be moved.
        from: PathBuf,
        /// Where it should go.
        to: PathBuf,
    },
    /// What had been moved to a place, and should come back, is not there any more: something else is.
    #[error("`{}` is not what was moved there: it stays, and what should come back is settled once it is out of the way", .0.display())]
    Replaced(PathBuf),
    /// The archive has, or is about to get, a session of this id from another config directory.
    #[error("`{}` is that of a session from `{}`", .manifest.display(), .base.display())]
    Claimed {
        /// The manifest in the archive.
        manifest: PathBuf,
        /// The other config directory.
        base: PathBuf,
    },
    /// A transcript that is a symlink: moving the link leaves the file, moving the file breaks the link.
    #[error("its transcript `{}` is a symbolic link", .0.display())]
    SymlinkedTranscript(PathBuf),
    /// One id in two project directories, with two contents.
    #[error("`{}` and `{}` are two contents under one id", .one.display(), .other.display())]
    TwoContents {
        /// The one.
        one: PathBuf,
        /// The other.
        other: PathBuf,
    },
    /// It has no transcript, here or in an archive.
    #[error("it has no transcript")]
    Gone,
    /// It came back as a copy of the vault's, and nothing was taken from there that could be put back.
    #[error("it came back from the vault, where nothing was taken away; `sexton delete` puts it into the trash")]
    FromVault,
    /// A socket, FIFO or device, which can't go to another device.
    #[error("`{}` is no regular file and can't be copied to another device", .0.display())]
    Special(PathBuf),
    /// The other device has no room.
    #[error("`{}` needs {needed} bytes and the file system has {available}", .path.display())]
    NoRoom {
        /// Where the item should go.
        path: PathBuf,
        /// Bytes of the item.
        needed: u64,
        /// Bytes that are free.
        available: u64,
    },
    /// An earlier, interrupted operation on it could not be settled.
    #[error("an interrupted operation on it is not settled yet")]
    Unsettled,
    /// A file could not be looked at.
    #[error("look at `{}`: {source}", .path.display())]
    Look {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A change to the file system failed.
    #[error(transparent)]
    Effect(#[from] EffectError),
    /// The tombstone file could not be read or written.
    #[error(transparent)]
    Tombstone(#[from] TombstoneError),
    /// What an undo would bring back can't be.
    #[error("{0}")]
    Restore(Box<crate::restore::RestoreError>),
    /// The journal could not be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// What it shares with others has failed, and it with them.
    #[error("{0}")]
    Shared(Arc<ItemError>),
    /// A manifest of the trash or of the archive could not be read.
    #[error(transparent)]
    Manifest(#[from] crate::manifest::ManifestError),
}

impl From<crate::restore::RestoreError> for ItemError {
    fn from(error: crate::restore::RestoreError) -> Self {
        Self::Restore(Box::new(error))
    }
}

impl ItemError {
    /// Something else lies at `path` than what was seen there.
    pub(crate) fn changed(path: &Path) -> Self {
        Self::Changed(vec![Change {
            path: path.to_path_buf(),
            kind: ChangeKind::Changed,
        }])
    }

    /// That all of these vanished or appeared; no error if there are none.
    pub(crate) fn of_changes<'a>(paths: impl Iterator<Item = &'a Path>, kind: ChangeKind) -> Result<(), Self> {
        let changes: Vec<Change> = paths
            .map(|path| Change {
                path: path.to_path_buf(),
                kind,
            })
            .collect();
        if changes.is_empty() {
            Ok(())
        } else {
            Err(Self::Changed(changes))
        }
    }

    pub(crate) fn look(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Look {
            path: path.to_path_buf(),
            source,
        }
    }
}

/// The first few changes; a session directory can hold thousands.
fn listed(changes: &[Change]) -> String {
    const MOST: usize = 3;
    let mut text: Vec<String> = changes.iter().take(MOST).map(ToString::to_string).collect();
    if changes.len() > MOST {
        text.push(format!("and {} more", changes.len() - MOST));
    }
    text.join(", ")
}
