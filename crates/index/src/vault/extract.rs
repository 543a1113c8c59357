//! Giving a copy back, byte for byte.

use std::path::{Path, PathBuf};

use sexton_register::SessionId;
use sexton_sys::{Durability, Effects, FileIdentity};

use super::manifest::{Content, Entry};
use super::{CopyReader, Vault, VaultError, name};

/// What was given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// The config directory the copy came from.
    pub config_dir: PathBuf,
    /// Names of files, directories and links, relative to it and to where they lie now.
    pub names: Vec<PathBuf>,
    /// Files whose end was never copied; they were given back as far as they go.
    pub incomplete: Vec<PathBuf>,
}

impl Vault {
    /// Writes the files of a session's copy below `into`, each by its name relative to the config directory, with mode and time.
    ///
    /// Nothing is overwritten, and a file whose bytes can't be verified is not written: the first such failure ends it. Files that had
    /// vanished before the session did are left out, since a moved transcript would otherwise lie in two places.
    pub fn extract(&self, effects: &Effects, session: SessionId, into: &Path) -> Result<Extracted, VaultError> {
        let manifest = self.manifest(session)?.ok_or(VaultError::NoCopy(session))?;
        let mut extracted = Extracted {
            config_dir: manifest.config_dir(),
            names: Vec::new(),
            incomplete: Vec::new(),
        };
        effects.create_directory(into)?;
        let entries: Vec<&Entry> = manifest.entries.iter().filter(|entry| !entry.gone).collect();
        let mut directories = Vec::new();
        for entry in entries {
            let name = entry.name();
            let path = into.join(&name);
            if let Some(parent) = path.parent() {
                effects.create_directory(parent)?;
            }
            match &entry.content {
                Content::Directory => directories.push((entry, make_directory(effects, &path)?, path)),
                Content::Link { target } => {
                    effects.symlink(&name::from_text(target).unwrap_or_default(), &path)?;
                    effects.set_modified(&path, entry.modified())?;
                }
                Content::File(file) => {
                    if !file.is_complete() {
                        extracted.incomplete.push(name.clone());
                    }
                    let mut content = CopyReader::new(self.session_directory(session), name.clone(), file.clone());
                    effects.create_file_from(&path, &mut content, Some(entry.mode), Some(entry.modified()))?;
                }
            }
            extracted.names.push(name);
        }
        // Directories last and from the inside out: making files in them moves their times, and a mode may forbid it.
        directories.sort_by_key(|(entry, ..)| std::cmp::Reverse(entry.name()));
        for (entry, made, path) in directories {
            effects.set_directory(&path, &made, entry.mode, entry.modified())?;
        }
        Ok(extracted)
    }
}

/// Makes a directory and tells which one, before anybody can have put another in its place.
fn make_directory(effects: &Effects, path: &Path) -> Result<FileIdentity, VaultError> {
    effects.create_directory_with(path, Durability::Buffered)?;
    let made = FileIdentity::at(path).map_err(VaultError::io(path))?;
    if let Some(parent) = path.parent() {
        effects.sync(parent)?;
    }
    Ok(made)
}
