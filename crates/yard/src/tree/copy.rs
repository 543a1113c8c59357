//! Copying a tree to another device, so that the copy can stand in for it.

use std::path::{Path, PathBuf};

use sexton_sys::listing::EntryKind;
use sexton_sys::{EffectError, Effects};

use super::{Tree, TreeEntry, join};

/// Copies what is missing at `to` of the tree `seen` at `from`: files compared and synced, symlinks as links, then the modes and
/// times of directories, children first. What lies at `to` already is left as it is.
pub(crate) fn copy_missing(effects: &Effects, from: &Path, seen: &Tree, to: &Path) -> Result<(), EffectError> {
    for entry in &seen.entries {
        let (source, target) = (join(from, &entry.path), join(to, &entry.path));
        if target.symlink_metadata().is_ok() {
            continue;
        }
        match entry.kind {
            EntryKind::Directory => effects.create_directory(&target)?,
            EntryKind::Symlink => copy_link(effects, entry, &source, &target)?,
            _ => effects.copy_file(&source, &target)?,
        }
    }
    for (entry, target) in directories(seen, to).rev() {
        effects.sync(&target)?;
        effects.set_modified(&target, entry.modified())?;
        // Last, since it may take away our own right to do the rest.
        effects.set_mode(&target, entry.mode)?;
    }
    Ok(())
}

fn copy_link(effects: &Effects, entry: &TreeEntry, source: &Path, target: &Path) -> Result<(), EffectError> {
    let held = source.read_link().map_err(|error| EffectError::Io {
        action: "read link",
        path: source.to_path_buf(),
        source: error,
    })?;
    effects.symlink(&held, target)?;
    effects.set_modified(target, entry.modified())
}

fn directories<'a>(seen: &'a Tree, to: &'a Path) -> impl DoubleEndedIterator<Item = (&'a TreeEntry, PathBuf)> {
    let directories = seen.entries.iter().filter(|entry| entry.kind == EntryKind::Directory);
    directories.map(move |entry| (entry, join(to, &entry.path)))
}
