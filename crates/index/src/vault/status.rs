//! What the vault holds, whether it is sound, and letting go of a copy.

use std::io;
use std::path::{Path, PathBuf};

use sexton_register::SessionId;
use sexton_sys::{Effects, FileIdentity, listing};

use super::manifest::Entry;
use super::{CopyReader, Vault, VaultError, pack};

/// One session's copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyStatus {
    /// The session.
    pub session: SessionId,
    /// When it was copied last, in milliseconds since the Unix epoch.
    pub taken_ms: i64,
    /// What it takes on disk, in bytes.
    pub stored_bytes: u64,
    /// What it stands for, in bytes.
    pub content_bytes: u64,
    /// Whether every file is held to its end.
    pub is_complete: bool,
}

/// A file of a copy that can't be given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The file, relative to its config directory.
    pub name: PathBuf,
    /// What is wrong.
    pub reason: String,
}

impl Vault {
    /// The sessions of which something is held, by the names of directories: what a manifest says is not looked at.
    pub fn sessions(&self) -> Result<Vec<SessionId>, VaultError> {
        let entries = listing::list_if_present(&self.directory).map_err(VaultError::io(&self.directory))?;
        let id = |entry: &listing::Entry| SessionId::from_bytes(entry.name.as_encoded_bytes());
        Ok(entries.iter().filter_map(id).collect())
    }

    /// What is held of one session; `None` if nothing is.
    pub fn status(&self, session: SessionId) -> Result<Option<CopyStatus>, VaultError> {
        let Some(manifest) = self.manifest(session)? else {
            return Ok(None);
        };
        Ok(Some(CopyStatus {
            session,
            taken_ms: manifest.taken_ms(),
            stored_bytes: self.stored_bytes(session)?,
            content_bytes: manifest.content_bytes(),
            is_complete: manifest.is_complete(),
        }))
    }

    /// Whether the copy of a session holds all of the file at `path`, which is `now` what it is.
    pub fn holds(&self, session: SessionId, path: &Path, now: &FileIdentity) -> Result<bool, VaultError> {
        let Some(manifest) = self.manifest(session)? else {
            return Ok(false);
        };
        let is_it = |entry: &&Entry| manifest.config_dir().join(entry.name()) == path;
        Ok(manifest
            .entries
            .iter()
            .find(is_it)
            .is_some_and(|entry| entry.is_current(now)))
    }

    /// What a session's directory takes on disk, in bytes.
    pub fn stored_bytes(&self, session: SessionId) -> Result<u64, VaultError> {
        let directory = self.session_directory(session);
        let entries = listing::list_if_present(&directory).map_err(VaultError::io(&directory))?;
        let size = |entry: &listing::Entry| {
            directory
                .join(&entry.name)
                .symlink_metadata()
                .map_or(0, |found| found.len())
        };
        Ok(entries.iter().map(size).sum())
    }

    /// Reads the whole copy of a session and lists what can't be given back; nothing listed means that it is sound.
    pub fn verify(&self, session: SessionId) -> Result<Vec<Damage>, VaultError> {
        let manifest = self.manifest(session)?.ok_or(VaultError::NoCopy(session))?;
        let mut damage = Vec::new();
        for entry in manifest.entries.iter().chain(&manifest.earlier) {
            let Some(file) = entry.file() else {
                continue;
            };
            let name = entry.name();
            if !file.is_complete() {
                damage.push(Damage {
                    name: name.clone(),
                    reason: format!("only {} of {} bytes have been copied yet", file.held(), file.size),
                });
            }
            let mut content = CopyReader::new(self.session_directory(session), name.clone(), file.clone());
            if let Err(error) = std::io::copy(&mut content, &mut std::io::sink()) {
                damage.push(Damage {
                    name,
                    reason: error.to_string(),
                });
            }
        }
        Ok(damage)
    }

    /// Removes the copy of a session for good; answers how many bytes that freed. Only ever because a person asked for it.
    pub fn drop_copy(&self, effects: &Effects, session: SessionId) -> Result<u64, VaultError> {
        let _lock = self.lock(effects)?;
        let directory = self.session_directory(session);
        if !directory.is_dir() {
            return Err(VaultError::NoCopy(session));
        }
        let freed = self.stored_bytes(session)?;
        let seen = |path: PathBuf| match FileIdentity::at(&path) {
            Ok(identity) => Ok(Some((path, identity))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(VaultError::io(&path)(error)),
        };
        let top = seen(directory.clone())?;
        // The manifest first: without it, what is left is known to be of no use, and the next take tidies it away.
        let numbers = pack::numbers(&directory)?.into_iter();
        let own = std::iter::once(self.manifest_path(session))
            .chain(numbers.map(|number| pack::path(&directory, number)))
            .chain(pack::half_written(&directory)?);
        let own: Vec<_> = own.map(seen).collect::<Result<_, _>>()?;
        for (path, identity) in own.into_iter().flatten() {
            match effects.remove_seen_file(&path, Path::new(""), &identity) {
                Err(error) if !error.is_not_found() => return Err(error.into()),
                // Each on disk before the next: half a copy must never be listed.
                _ => effects.sync(&directory)?,
            }
        }
        let Some((_, top)) = top else { return Ok(freed) };
        match effects.remove_seen_directory(&directory, Path::new(""), &top) {
            // A file that isn't ours stays, and so does the directory.
            Err(error) if error.kind() != Some(io::ErrorKind::DirectoryNotEmpty) => return Err(error.into()),
            _ => {}
        }
        effects.sync(&self.directory)?;
        Ok(freed)
    }
}
