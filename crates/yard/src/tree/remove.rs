//! Removing a tree of which nothing is left that only lies there.

use std::path::Path;

use sexton_sys::listing::{self, EntryKind};
use sexton_sys::{EffectError, Effects};

use super::Tree;
use super::relation::is_stray;

/// Removes exactly the entries of `seen` below `top`, children first; the caller syncs the parent.
///
/// Each entry is looked at once more, and one that changed is [`EffectError::Changed`]. A directory that got new names since stays, as
/// an error. An entry that is gone is no error, since a removal that was killed is taken up again.
pub(crate) fn remove_as_seen(effects: &Effects, top: &Path, seen: &Tree) -> Result<(), EffectError> {
    for entry in seen.entries.iter().rev() {
        let removed = if entry.kind == EntryKind::Directory {
            effects.remove_seen_directory(top, &entry.path, &entry.identity)
        } else {
            effects.remove_seen_file(top, &entry.path, &entry.identity)
        };
        match removed {
            Err(error) if error.is_not_found() => {}
            other => other?,
        }
    }
    Ok(())
}

/// Removes temporary files that a killed copy left at any depth below `top`. Only for places that nobody but us writes such names to,
/// with the operation's lock held.
pub(crate) fn remove_strays(effects: &Effects, top: &Path) -> Result<(), EffectError> {
    let mut left = vec![top.to_path_buf()];
    while let Some(directory) = left.pop() {
        remove_strays_in(effects, &directory)?;
        let children = listing::list_if_present(&directory).unwrap_or_default();
        let directories = children.into_iter().filter(|child| child.kind == EntryKind::Directory);
        left.extend(directories.map(|child| directory.join(child.name)));
    }
    Ok(())
}

/// As [`remove_strays`], for the names in one directory only.
pub(crate) fn remove_strays_in(effects: &Effects, directory: &Path) -> Result<(), EffectError> {
    // What can't be listed is told by whatever needs it next.
    for entry in listing::list_if_present(directory).unwrap_or_default() {
        let path = directory.join(&entry.name);
        if entry.kind == EntryKind::File && is_stray(&path) {
            effects.remove_file(&path)?;
        }
    }
    Ok(())
}
