//! What lies in an archive.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sexton_register::SessionId;
use sexton_sys::Effects;
use sexton_sys::listing::{self, EntryKind};

use super::place::{manifest_path, transcript_path};
use crate::item::ItemError;
use crate::journal::OperationId;
use crate::manifest::{Manifest, blank, read_file};
use crate::transfer::SyncSet;

/// A session in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedSession {
    /// Which one.
    pub session: SessionId,
    /// The archive.
    pub archive: PathBuf,
    /// Its transcript there.
    pub transcript: PathBuf,
    /// What was where; `None` if another tool has archived it, or a power cut has left nothing of it.
    pub manifest: Option<Manifest>,
}

/// The ids of the sessions in `archive`, by name: one listing, no file is opened. An absent archive is empty.
pub fn list_archive(archive: &Path) -> Result<Vec<SessionId>, ItemError> {
    let entries = listing::list_if_present(archive).map_err(ItemError::look(archive))?;
    let transcripts = entries.iter().filter(|entry| entry.kind == EntryKind::File);
    Ok(transcripts
        .filter_map(|entry| SessionId::from_bytes(entry.name.as_bytes().strip_suffix(b".jsonl")?))
        .collect())
}

/// The manifests in `archive` that hold nothing, as a power cut leaves them; what can't be read is told by whoever needs it.
pub fn blank_manifests(archive: &Path) -> Result<Vec<PathBuf>, ItemError> {
    let entries = listing::list_if_present(archive).map_err(ItemError::look(archive))?;
    let sessions = entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::Directory)
        .filter_map(|entry| SessionId::from_bytes(entry.name.as_bytes().strip_suffix(b".sexton")?));
    let paths = sessions.map(|session| manifest_path(archive, &session));
    Ok(paths.filter(|path| matches!(blank(path), Ok(Some(_)))).collect())
}

/// What `archive` holds of one session, if it holds its transcript.
pub(crate) fn archived(archive: &Path, session: SessionId) -> Result<Option<ArchivedSession>, ItemError> {
    let transcript = transcript_path(archive, &session);
    match transcript.symlink_metadata() {
        Ok(_) => {}
        Err(error)
            if matches!(
                error.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(ItemError::look(&transcript)(error)),
    }
    Ok(Some(ArchivedSession {
        session,
        archive: archive.to_path_buf(),
        manifest: read_file(&manifest_path(archive, &session))?,
        transcript,
    }))
}

/// Takes out of a session's manifest at `manifest` what does not lie in the archive any more, or never came to; removes it and the
/// directories that held it when nothing is left.
pub(crate) fn tidy_archive(
    effects: &Effects,
    manifest: &Path,
    of: Option<&OperationId>,
    syncs: &mut SyncSet,
) -> Result<(), ItemError> {
    let Some(rest) = manifest.parent() else { return Ok(()) };
    let archive = rest.parent().unwrap_or(rest);
    crate::manifest::forget_absent(effects, manifest, archive, of, syncs)?;
    crate::trash::remove_empty(effects, rest, syncs)
}
