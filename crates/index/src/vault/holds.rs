//! Whether something that was extracted once can still be given back.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use sexton_register::SessionId;
use sexton_sys::listing::{self, EntryKind};
use sexton_sys::{is_temporary, read};

use super::manifest::{Content, Entry, Manifest};
use super::{CopyReader, Vault, VaultError, name};

impl Vault {
    /// Whether copies hold everything in `directory`, which mirrors a config directory: each file as far as it goes there, each link.
    ///
    /// What is not called after a session is no part of a copy, and not held. Empty files hold nothing, and what was half written has no name of
    /// its own yet: neither counts. Damage of a copy is an error, as is a directory that can't be read.
    pub fn holds_all(&self, directory: &Path) -> Result<bool, VaultError> {
        let mut manifest: Option<Manifest> = None;
        let mut left = vec![PathBuf::new()];
        while let Some(below) = left.pop() {
            let at = directory.join(&below);
            for entry in listing::list_if_present(&at).map_err(VaultError::io(&at))? {
                let path = below.join(&entry.name);
                if entry.kind == EntryKind::Directory {
                    left.push(path);
                    continue;
                }
                let there = at.join(&entry.name);
                let is_empty =
                    || entry.kind == EntryKind::File && there.symlink_metadata().is_ok_and(|now| now.len() == 0);
                if is_temporary(&entry.name) || is_empty() {
                    continue;
                }
                let Some(session) = session_of(&path) else {
                    return Ok(false);
                };
                if manifest.as_ref().is_none_or(|manifest| manifest.session != session) {
                    manifest = self.manifest(session)?;
                }
                let Some(manifest) = &manifest else { return Ok(false) };
                let text = name::to_text(&path);
                let all = manifest.entries.iter().chain(&manifest.earlier);
                let mut is_held = false;
                for copy in all.filter(|copy| copy.path == text) {
                    is_held = is_held || self.holds_one(session, copy, &path, &there)?;
                }
                if !is_held {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn holds_one(&self, session: SessionId, copy: &Entry, name: &Path, there: &Path) -> Result<bool, VaultError> {
        match &copy.content {
            Content::Directory => Ok(false),
            Content::Link { target } => {
                let target = name::from_text(target);
                Ok(std::fs::read_link(there).is_ok_and(|now| Some(now) == target))
            }
            Content::File(file) => {
                let Ok((now, _)) = read::open_regular_no_follow(there) else {
                    return Ok(false);
                };
                let directory = self.session_directory(session);
                let content = CopyReader::new(directory, name.to_path_buf(), file.clone());
                begins_with(content, now).map_err(VaultError::io(there))
            }
        }
    }
}

/// The session that a part is called after, or lies in a directory that is.
fn session_of(path: &Path) -> Option<SessionId> {
    const ID: usize = 36;
    let mut names = path
        .components()
        .map(|component| component.as_os_str().as_encoded_bytes());
    names.find_map(|name| SessionId::from_bytes(name.get(..ID)?))
}

/// Whether `content` begins with all of `start`.
fn begins_with(content: CopyReader, start: File) -> io::Result<bool> {
    const PIECE: u64 = 64 * 1024;
    let (mut content, mut start) = (BufReader::new(content), BufReader::new(start));
    let (mut held, mut wanted) = (Vec::new(), Vec::new());
    loop {
        wanted.clear();
        held.clear();
        (&mut start).take(PIECE).read_to_end(&mut wanted)?;
        if wanted.is_empty() {
            return Ok(true);
        }
        (&mut content).take(wanted.len() as u64).read_to_end(&mut held)?;
        if held != wanted {
            return Ok(false);
        }
    }
}
