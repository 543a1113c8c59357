//! What was put away, from where: the list that lies beside it, so that restoring needs nothing else.
//!
//! The trash has one file a generation with a line for each session; the archive has one file a session.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sexton_register::SessionId;
use sexton_sys::listing::EntryKind;
use sexton_sys::{Durability, EffectError, Effects, FileIdentity, FileTime, read};

use crate::archive::{transcript_path, unlisted};
use crate::item::ItemError;
use crate::journal::{OperationId, OperationKind};
use crate::stored_path::StoredPath;
use crate::transfer::{Parent, SyncSet};

/// The version this sexton writes. A higher one is reported and not touched.
pub const MANIFEST_VERSION: u64 = 1;

/// A manifest is some hundred bytes a path.
const LARGEST: u64 = 256 * 1024 * 1024;

/// One session that was put away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`MANIFEST_VERSION`].
    pub manifest_version: u64,
    /// When, `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    pub at: String,
    /// By which operation.
    pub operation: OperationId,
    /// By which kind of operation.
    pub kind: OperationKind,
    /// The session, or the stem of what is none.
    pub id: String,
    /// The directory that everything was below: a config directory, or an archive. Restoring needs it to exist.
    pub base: StoredPath,
    /// The session's title then.
    pub title: Option<String>,
    /// The session's real directory then.
    pub directory: Option<StoredPath>,
    /// Bytes in regular files.
    pub bytes: u64,
    /// Files and symlinks.
    pub files: u64,
    /// What was moved, the main file first.
    pub entries: Vec<ManifestEntry>,
    /// The directories that held it, which may be gone by the time it comes back.
    pub parents: Vec<ManifestParent>,
}

/// One file or directory that was moved as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// Where it was, absolute.
    pub origin: StoredPath,
    /// Where it is, relative to the generation or the archive.
    pub stored: StoredPath,
    /// What it is.
    pub kind: ManifestKind,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ManifestKind {
    /// A regular file.
    File,
    /// A directory with all that is in it.
    Directory,
    /// A symbolic link.
    Symlink,
    /// Something else.
    #[serde(other)]
    Other,
}

/// A directory as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestParent {
    /// Where it was, absolute.
    pub path: StoredPath,
    /// Its permission bits.
    pub mode: u32,
    /// Its modification time, whole seconds since the Unix epoch.
    pub modified_seconds: i64,
    /// The rest, in nanoseconds.
    pub modified_nanoseconds: u32,
}

/// Why a manifest could not be read or made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// It can't be read.
    #[error("read manifest `{}`: {source}", .path.display())]
    Unreadable {
        /// The manifest.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is none.
    #[error("read manifest `{}`: {source}", .path.display())]
    Damaged {
        /// The manifest.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A newer sexton wrote it.
    #[error("use manifest `{}`: a newer sexton wrote it (version {version}, this one knows {MANIFEST_VERSION})", .path.display())]
    Newer {
        /// The manifest.
        path: PathBuf,
        /// Its version.
        version: u64,
    },
    /// It could not be put into JSON.
    #[error("write a manifest: {0}")]
    Json(serde_json::Error),
}

impl From<EntryKind> for ManifestKind {
    fn from(kind: EntryKind) -> Self {
        match kind {
            EntryKind::File => Self::File,
            EntryKind::Directory => Self::Directory,
            EntryKind::Symlink => Self::Symlink,
            _ => Self::Other,
        }
    }
}

impl From<&Parent> for ManifestParent {
    fn from(parent: &Parent) -> Self {
        Self {
            path: StoredPath(parent.path.clone()),
            mode: parent.mode,
            modified_seconds: parent.modified.seconds,
            modified_nanoseconds: parent.modified.nanoseconds,
        }
    }
}

impl From<&ManifestParent> for Parent {
    fn from(parent: &ManifestParent) -> Self {
        Self {
            path: parent.path.0.clone(),
            mode: parent.mode & 0o7777,
            modified: FileTime {
                seconds: parent.modified_seconds,
                nanoseconds: parent.modified_nanoseconds.min(999_999_999),
            },
        }
    }
}

impl Manifest {
    /// The manifest as one line.
    pub(crate) fn line(&self) -> Result<Vec<u8>, ManifestError> {
        let mut line = serde_json::to_vec(self).map_err(ManifestError::Json)?;
        line.push(b'\n');
        Ok(line)
    }

    /// Writes it as a file of its own. What an older file there lists and this one doesn't, and what still lies there, is carried over;
    /// what lies there and a blank file listed once is listed again.
    ///
    /// One of another config directory claims the id in this archive, whether its session has come already or is under way.
    pub(crate) fn write_file(&self, effects: &Effects, path: &Path, syncs: &mut SyncSet) -> Result<(), ItemError> {
        if let Some(directory) = path.parent() {
            syncs.create_directory(effects, directory)?;
        }
        let blank = blank(path)?;
        let written = match read_file(path)? {
            // Whoever makes it first has the id, also if two are here at once who share nothing but the archive.
            None => {
                let whole = match &blank {
                    Some(identity) => {
                        remove_blank(effects, path, identity)?;
                        self.with_unlisted(path)?
                    }
                    None => self.clone(),
                };
                match effects.create_file_with(path, &whole.line()?, Durability::Buffered) {
                    Err(EffectError::Exists(_)) => self.replace_file(effects, path, read_file(path)?),
                    created => Ok(created?),
                }
            }
            older => self.replace_file(effects, path, older),
        };
        written?;
        syncs.add(path);
        syncs.add_parent(path);
        Ok(())
    }

    /// The same, with what lies in the archive beside its manifest at `path` and no manifest lists any more.
    fn with_unlisted(&self, path: &Path) -> Result<Self, ItemError> {
        let mut whole = self.clone();
        let (Some(session), Some(main)) = (SessionId::from_bytes(self.id.as_bytes()), self.main()) else {
            return Ok(whole);
        };
        let archive = path.parent().and_then(Path::parent).unwrap_or(path);
        for (stored, origin) in unlisted(archive, &session, &self.base.0, &main.origin.0)? {
            let is_listed = self.entries.iter().any(|entry| entry.stored.0 == stored);
            let there = archive.join(&stored);
            if let Some(metadata) = there.symlink_metadata().ok().filter(|_| !is_listed) {
                whole.entries.push(ManifestEntry {
                    origin: StoredPath(origin),
                    stored: StoredPath(stored),
                    kind: EntryKind::of(metadata.file_type()).into(),
                });
            }
        }
        Ok(whole)
    }

    fn replace_file(&self, effects: &Effects, path: &Path, older: Option<Self>) -> Result<(), ItemError> {
        let mut merged = self.clone();
        if let Some(older) = older {
            if older.base != self.base {
                return Err(ItemError::Claimed {
                    manifest: path.to_path_buf(),
                    base: older.base.0,
                });
            }
            let archive = path.parent().and_then(Path::parent).unwrap_or(path);
            let is_kept = |stored: &StoredPath| {
                self.entries.iter().all(|entry| entry.stored != *stored)
                    && archive.join(&stored.0).symlink_metadata().is_ok()
            };
            let kept = older.entries.into_iter().filter(|entry| is_kept(&entry.stored));
            merged.entries.extend(kept);
        }
        Ok(effects.replace_file_with(path, &merged.line()?, Durability::Buffered)?)
    }

    /// The main file: the transcript, where there is one.
    #[must_use]
    pub fn main(&self) -> Option<&ManifestEntry> {
        self.entries.first()
    }
}

/// The manifest in a file of its own; `None` if there is no such file, or a blank one.
pub(crate) fn read_file(path: &Path) -> Result<Option<Manifest>, ManifestError> {
    match bytes(path)? {
        Some(bytes) if !is_blank(&bytes) => parse(bytes.trim_ascii(), path).map(Some),
        _ => Ok(None),
    }
}

/// A power cut can leave a file without the bytes that were written to it: empty, or as long as it should be and full of zeros. It lists
/// nothing and claims nothing, and nobody is writing it, since a manifest gets its name when it is written.
fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0 || byte.is_ascii_whitespace())
}

/// What the manifest file is, if it is there and blank.
pub(crate) fn blank(path: &Path) -> Result<Option<FileIdentity>, ManifestError> {
    // Looked at first: what is there by the time it is removed must still be this.
    let identity = FileIdentity::at(path).ok();
    Ok(bytes(path)?.filter(|bytes| is_blank(bytes)).and(identity))
}

fn remove_blank(effects: &Effects, path: &Path, identity: &FileIdentity) -> Result<(), ItemError> {
    match effects.remove_seen_file(path, Path::new(""), identity) {
        // Somebody else has been here; whoever makes the file next finds what he made.
        Err(EffectError::Changed(_)) => Ok(()),
        Err(error) if error.is_not_found() => Ok(()),
        removed => Ok(removed?),
    }
}

/// The manifests in a file with one on each line, and how many lines are damaged.
///
/// A last line that was cut short by a kill is damage like any other: nothing had moved when it was written.
pub(crate) fn read_lines(path: &Path) -> Result<(Vec<Manifest>, u64), ManifestError> {
    let content = bytes(path)?.unwrap_or_default();
    let (mut manifests, mut damaged) = (Vec::new(), 0);
    for line in content
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty())
    {
        match parse(line, path) {
            Ok(manifest) => manifests.push(manifest),
            Err(ManifestError::Damaged { .. }) => damaged += 1,
            Err(other) => return Err(other),
        }
    }
    Ok((manifests, damaged))
}

fn bytes(path: &Path) -> Result<Option<Vec<u8>>, ManifestError> {
    read::read_limited_if_present(path, LARGEST).map_err(|source| ManifestError::Unreadable {
        path: path.to_path_buf(),
        source,
    })
}

fn parse(line: &[u8], path: &Path) -> Result<Manifest, ManifestError> {
    #[derive(Deserialize)]
    struct Version {
        manifest_version: u64,
    }
    let path = || path.to_path_buf();
    let damaged = |source| ManifestError::Damaged { path: path(), source };
    let Version { manifest_version } = serde_json::from_slice(line).map_err(damaged)?;
    if manifest_version > MANIFEST_VERSION {
        return Err(ManifestError::Newer {
            path: path(),
            version: manifest_version,
        });
    }
    serde_json::from_slice(line).map_err(damaged)
}

/// Takes out of a manifest file what does not lie in the archive; the file goes when nothing is left. With `of`, only one that this
/// operation wrote.
pub(crate) fn forget_absent(
    effects: &Effects,
    path: &Path,
    archive: &Path,
    of: Option<&OperationId>,
    syncs: &mut SyncSet,
) -> Result<(), ItemError> {
    let Some(mut manifest) = read_file(path)? else {
        return forget_blank(effects, path, archive, syncs);
    };
    if of.is_some_and(|of| *of != manifest.operation) {
        return Ok(());
    }
    manifest
        .entries
        .retain(|entry| archive.join(&entry.stored.0).symlink_metadata().is_ok());
    syncs.add_parent(path);
    if manifest.entries.is_empty() {
        effects.remove_file_with(path, Durability::Buffered)?;
    } else {
        effects.replace_file_with(path, &manifest.line()?, Durability::Buffered)?;
        syncs.add(path);
    }
    Ok(())
}

/// Removes a blank manifest if nothing lies there that it could have listed.
fn forget_blank(effects: &Effects, path: &Path, archive: &Path, syncs: &mut SyncSet) -> Result<(), ItemError> {
    let Some(identity) = blank(path)? else { return Ok(()) };
    let stem = path.parent().and_then(Path::file_stem);
    let Some(session) = stem.and_then(|stem| SessionId::from_bytes(stem.as_encoded_bytes())) else {
        return Ok(());
    };
    let transcript = transcript_path(archive, &session);
    let own = unlisted(archive, &session, archive, &transcript)?;
    if own.is_empty() && transcript.symlink_metadata().is_err() {
        remove_blank(effects, path, &identity)?;
        syncs.add_parent(path);
    }
    Ok(())
}
