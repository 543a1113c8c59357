//! The vault: a compressed copy of each session's footprint, outside Claude Code's directories, that outlives the client's own sweep.
//!
//! `<vault>/<id>/` holds a manifest and packs of zstd frames. A take adds what is new and replaces the manifest in one step; killed
//! anywhere it leaves the previous copy usable. Nothing here removes a copy but [`Vault::drop_copy`], which only a person asks for.
//! A whole directory `<vault>/<id>` may be moved away and back again: it stands for itself.

mod copy;
mod earlier;
mod error;
mod extract;
mod holds;
mod manifest;
mod name;
mod pack;
mod source;
mod status;
mod take;
#[cfg(test)]
mod tests;
mod tidy;

use std::path::{Path, PathBuf};
use std::time::Duration;

use sexton_register::SessionId;
use sexton_sys::{Effects, Lock};

pub use copy::CopyReader;
pub use earlier::Earlier;
pub use error::VaultError;
pub use extract::Extracted;
pub use manifest::{MANIFEST_VERSION, Manifest};
pub use source::Source;
pub use status::{CopyStatus, Damage};
pub use take::{Take, Taken};

/// How much the vault may hold unless it is configured, in bytes: 5 GiB.
pub const DEFAULT_LIMIT: u64 = 5 * 1024 * 1024 * 1024;

/// How long an operation waits for another process that works in the vault.
const PATIENCE: Duration = Duration::from_secs(10);

/// The vault in one directory, which need not exist yet.
#[derive(Debug, Clone)]
pub struct Vault {
    directory: PathBuf,
}

impl Vault {
    /// The vault in `directory`.
    #[must_use]
    pub fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Where everything lies.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Where the copy of a session lies; a delete moves this directory as a whole.
    #[must_use]
    pub fn session_directory(&self, session: SessionId) -> PathBuf {
        self.directory.join(session.as_str())
    }

    /// What is held of a session; `None` if nothing is.
    pub fn manifest(&self, session: SessionId) -> Result<Option<Manifest>, VaultError> {
        Manifest::read(&self.manifest_path(session))
    }

    /// Opens a copied file by its name relative to the config directory; `None` if there is no copy of it.
    pub fn open(&self, session: SessionId, name: &Path) -> Result<Option<CopyReader>, VaultError> {
        let Some(manifest) = self.manifest(session)? else {
            return Ok(None);
        };
        let text = name::to_text(name);
        let entry = manifest.entries.iter().find(|entry| entry.path == text);
        let file = entry.and_then(|entry| entry.file()).cloned();
        Ok(file.map(|file| CopyReader::new(self.session_directory(session), name.to_path_buf(), file)))
    }

    /// As [`Vault::open`], by the path where the file lay.
    pub fn open_at(&self, session: SessionId, path: &Path) -> Result<Option<CopyReader>, VaultError> {
        let Some(manifest) = self.manifest(session)? else {
            return Ok(None);
        };
        match path.strip_prefix(manifest.config_dir()) {
            Ok(name) => self.open(session, name),
            Err(_) => Ok(None),
        }
    }

    fn manifest_path(&self, session: SessionId) -> PathBuf {
        self.session_directory(session).join("manifest.json")
    }

    /// The file that is locked by whoever changes something in the vault.
    #[must_use]
    pub fn lock_path(&self) -> PathBuf {
        self.directory.join("lock")
    }

    fn lock(&self, effects: &Effects) -> Result<Lock, VaultError> {
        effects.create_directory(&self.directory)?;
        Ok(effects.lock(&self.lock_path(), PATIENCE)?)
    }

    fn write(&self, effects: &Effects, manifest: &Manifest) -> Result<(), VaultError> {
        let path = self.manifest_path(manifest.session);
        let bytes = manifest.to_bytes().map_err(|error| VaultError::Damaged {
            path: path.clone(),
            reason: error.to_string(),
        })?;
        Ok(effects.replace_file(&path, &bytes)?)
    }
}
