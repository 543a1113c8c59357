//! What lies in the trash.

use std::path::{Path, PathBuf};

use sexton_sys::listing::{self, EntryKind};
use sexton_sys::{Durability, Effects};

use super::MANIFEST;
use crate::item::{ItemError, ItemId};
use crate::journal::{OperationKind, timestamp_ms};
use crate::manifest::{Manifest, read_lines};
use crate::transfer::SyncSet;

/// One session in the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrashItem {
    /// Which one.
    pub id: ItemId,
    /// The generation directory that holds it.
    pub generation: PathBuf,
    /// When it was put there, in milliseconds since the Unix epoch.
    pub at_ms: Option<i64>,
    /// Its list of what was where.
    pub manifest: Manifest,
}

/// All of the trash.
#[derive(Debug, Default)]
pub struct TrashListing {
    /// What lies there, newest first.
    pub items: Vec<TrashItem>,
    /// Every generation directory, whether or not anything is left in it.
    pub generations: Vec<PathBuf>,
    /// What could not be read, each with its path.
    pub problems: Vec<ItemError>,
}

impl TrashItem {
    /// Whether this is a session that was deleted, and not what a client left behind under its id afterwards.
    #[must_use]
    pub fn is_deleted_session(&self) -> bool {
        self.manifest.kind == OperationKind::Delete
    }

    /// The paths that lie in the trash now.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.manifest
            .entries
            .iter()
            .map(|entry| self.generation.join(&entry.stored.0))
    }
}

/// Lists the trash below `roots`; see [`super::trash_roots`]. Reads each generation's manifest and looks whether each path is there.
#[must_use]
pub fn list_trash(roots: &[PathBuf]) -> TrashListing {
    let mut found = TrashListing::default();
    for root in roots {
        match listing::list_if_present(root) {
            Ok(entries) => {
                let visible = entries
                    .into_iter()
                    .filter(|entry| !entry.name.as_encoded_bytes().starts_with(b"."));
                for entry in visible.filter(|entry| entry.kind == EntryKind::Directory) {
                    found.add_generation(root.join(entry.name));
                }
            }
            Err(error) => found.problems.push(ItemError::look(root)(error)),
        }
    }
    // Names of generations begin with their time.
    found.items.sort_by(|a, b| {
        let key = |item: &TrashItem| (item.at_ms, item.generation.clone());
        key(b).cmp(&key(a)).then_with(|| a.id.cmp(&b.id))
    });
    found
}

impl TrashListing {
    fn add_generation(&mut self, generation: PathBuf) {
        let path = generation.join(MANIFEST);
        match read_lines(&path) {
            Ok((manifests, _)) => {
                let items = manifests.into_iter().map(|manifest| TrashItem {
                    id: ItemId::of_stem(&manifest.id),
                    generation: generation.clone(),
                    at_ms: timestamp_ms(&manifest.at),
                    manifest,
                });
                // A line is written before anything moves: what was taken back or restored is listed and not there.
                let there = |item: &TrashItem| {
                    item.manifest.entries.is_empty() || item.paths().any(|path| path.symlink_metadata().is_ok())
                };
                self.items.extend(items.filter(there));
            }
            Err(error) => self.problems.push(error.into()),
        }
        self.generations.push(generation);
    }

    /// The sessions that were deleted, without what clients left behind; newest first.
    pub fn deleted(&self) -> impl Iterator<Item = &TrashItem> {
        self.items.iter().filter(|item| item.is_deleted_session())
    }
}

/// Removes what is left of a generation out of which everything was taken: empty directories, then the manifest.
///
/// Anything else in it keeps it as it is.
pub(crate) fn tidy_generation(effects: &Effects, generation: &Path, syncs: &mut SyncSet) -> Result<(), ItemError> {
    for name in ["tree", "along"] {
        remove_empty(effects, &generation.join(name), syncs)?;
    }
    let left = listing::list_if_present(generation).map_err(ItemError::look(generation))?;
    if left.iter().any(|entry| entry.name != MANIFEST) {
        return Ok(());
    }
    if !left.is_empty() {
        effects.remove_file_with(&generation.join(MANIFEST), Durability::Buffered)?;
    }
    if generation.is_dir() {
        effects.remove_directory_with(generation, Durability::Buffered)?;
        syncs.add_parent(generation);
    }
    Ok(())
}

/// Removes directories that hold nothing but such directories.
pub(crate) fn remove_empty(effects: &Effects, top: &Path, syncs: &mut SyncSet) -> Result<(), ItemError> {
    let mut found = Vec::new();
    let mut left = vec![top.to_path_buf()];
    while let Some(directory) = left.pop() {
        let entries = listing::list_if_present(&directory).map_err(ItemError::look(&directory))?;
        let inner = entries.into_iter().filter(|entry| entry.kind == EntryKind::Directory);
        left.extend(inner.map(|entry| directory.join(entry.name)));
        found.push(directory);
    }
    for directory in found.into_iter().rev() {
        let is_empty = listing::list(&directory).is_ok_and(|entries| entries.is_empty());
        if is_empty {
            effects.remove_directory_with(&directory, Durability::Buffered)?;
            syncs.add_parent(&directory);
        }
    }
    Ok(())
}
