//! Earlier contents of transcripts: those that were replaced by others which did not continue them.

use std::path::{Path, PathBuf};

use sexton_register::SessionId;
use sexton_sys::{Effects, FileTime};

use super::manifest::{Entry, FileContent};
use super::{CopyReader, Vault, VaultError};

/// An earlier content of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// Its number, from 1 for the oldest; it never changes.
    pub number: usize,
    /// The transcript, relative to its config directory.
    pub name: PathBuf,
    /// When the transcript was modified last with this content.
    pub modified: FileTime,
    /// How much of it is held, in bytes.
    pub bytes: u64,
    /// Whether it is held to its end.
    pub is_complete: bool,
}

impl Vault {
    /// The earlier contents that are held of a session's transcripts, the oldest first.
    pub fn earlier(&self, session: SessionId) -> Result<Vec<Earlier>, VaultError> {
        let manifest = self.manifest(session)?.ok_or(VaultError::NoCopy(session))?;
        let told = |(number, entry, file): (usize, &Entry, &FileContent)| Earlier {
            number,
            name: entry.name(),
            modified: entry.modified(),
            bytes: file.held(),
            is_complete: file.is_complete(),
        };
        Ok(numbered(&manifest.earlier).map(told).collect())
    }

    /// Opens an earlier content by its number; `None` if there is none of that number.
    pub fn open_earlier(&self, session: SessionId, number: usize) -> Result<Option<CopyReader>, VaultError> {
        let manifest = self.manifest(session)?.ok_or(VaultError::NoCopy(session))?;
        let found = numbered(&manifest.earlier).find(|(known, ..)| *known == number);
        let directory = self.session_directory(session);
        Ok(found.map(|(_, entry, file)| CopyReader::new(directory, entry.name(), file.clone())))
    }

    /// Writes an earlier content into a new file, with the time it had; what can't be verified is not written.
    pub fn extract_earlier(
        &self,
        effects: &Effects,
        session: SessionId,
        earlier: &Earlier,
        to: &Path,
    ) -> Result<(), VaultError> {
        let mut content = self
            .open_earlier(session, earlier.number)?
            .ok_or(VaultError::NoCopy(session))?;
        Ok(effects.create_file_from(to, &mut content, None, Some(earlier.modified))?)
    }
}

fn numbered(earlier: &[Entry]) -> impl Iterator<Item = (usize, &Entry, &FileContent)> {
    let numbered = earlier.iter().enumerate();
    numbered.filter_map(|(at, entry)| Some((at + 1, entry, entry.file()?)))
}
