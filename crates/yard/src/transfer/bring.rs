//! Bringing one file, symlink or directory from one place to another, from whatever state a kill has left.
//!
//! There is one function for both directions and for first and second tries. It looks at both places: what lies at the source only is
//! moved; of two trees the whole one decides what is copied and what is removed; two that differ are left alone.

use std::path::Path;

use sexton_sys::listing::EntryKind;
use sexton_sys::{Durability, EffectError, Effects, FileIdentity, FileTime, available_bytes};

use super::{Move, SyncSet};
use crate::item::ItemError;
use crate::tree::{Relation, Tree, copy_missing, relation, remove_as_seen, remove_strays};

/// What was found and done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// It was moved, or a move was completed.
    Moved,
    /// It was at its destination before.
    WasThere,
    /// It is at neither place.
    Vanished,
}

/// Brings what lies at `from` to `to`; the parents of both want a sync afterwards, and are remembered in `syncs`.
pub(crate) fn bring(effects: &Effects, from: &Path, to: &Path, syncs: &mut SyncSet) -> Result<Arrival, ItemError> {
    bring_seen(effects, from, to, None, syncs)
}

/// As [`bring`]; what lies at `from` must be what was `seen`, if that is known.
fn bring_seen(
    effects: &Effects,
    from: &Path,
    to: &Path,
    seen: Option<&FileIdentity>,
    syncs: &mut SyncSet,
) -> Result<Arrival, ItemError> {
    match (exists(from)?, exists(to)?) {
        (false, true) => return Ok(Arrival::WasThere),
        (false, false) => return Ok(Arrival::Vanished),
        (true, false) => relocate(effects, from, to, seen, syncs)?,
        (true, true) => complete(effects, from, to, seen)?,
    }
    syncs.add_parent(from);
    syncs.add_parent(to);
    Ok(Arrival::Moved)
}

/// As [`bring`], for a move that was looked at a moment ago: usually one rename and nothing else.
pub(crate) fn bring_first(effects: &Effects, mv: &Move, syncs: &mut SyncSet) -> Result<Arrival, ItemError> {
    match effects.rename_with(&mv.from, &mv.to, Durability::Buffered) {
        Ok(()) => {
            if let Some(top) = mv.seen.top() {
                back_unless_it_is(effects, &mv.from, &mv.to, &top.identity)?;
            }
            if let Some(top) = mv.seen.top().filter(|top| top.kind == EntryKind::Directory) {
                keep_time(effects, &mv.to, top.modified())?;
            }
            syncs.add_parent(&mv.from);
            syncs.add_parent(&mv.to);
            Ok(Arrival::Moved)
        }
        // The directory to move to is missing, the name is taken, or it is another device.
        Err(error) if error.is_not_found() || error.is_cross_device() || is_taken(&error) => {
            let seen = mv.seen.top().map(|top| &top.identity);
            bring_seen(effects, &mv.from, &mv.to, seen, syncs)
        }
        Err(error) => Err(error.into()),
    }
}

/// The last look, when nothing can come between any more: a directory on the way that someone has put a link in place of led elsewhere.
fn back_unless_it_is(effects: &Effects, from: &Path, to: &Path, seen: &FileIdentity) -> Result<(), ItemError> {
    if effects.is_dry_run() || FileIdentity::at(to).is_ok_and(|now| is_same(&now, seen)) {
        return Ok(());
    }
    effects.rename_with(to, from, Durability::Buffered)?;
    Err(ItemError::changed(from))
}

/// Refuses what lies at `from` if it isn't what was `seen` there.
fn ensure_is(from: &Path, now: &FileIdentity, seen: Option<&FileIdentity>) -> Result<(), ItemError> {
    match seen {
        Some(seen) if !is_same(now, seen) => Err(ItemError::changed(from)),
        _ => Ok(()),
    }
}

/// Whether what is there `now` is the file that was `seen`.
///
/// A layered file system can give a file another device and inode when it is moved; then its size and time must do.
pub(crate) fn is_same(now: &FileIdentity, seen: &FileIdentity) -> bool {
    now.is_same_file(seen) || (now.device != seen.device && (now.size, now.modified) == (seen.size, seen.modified))
}

fn is_taken(error: &EffectError) -> bool {
    matches!(error, EffectError::Exists(_))
}

/// Some file systems stamp a directory whose `..` changes.
fn keep_time(effects: &Effects, path: &Path, modified: FileTime) -> Result<(), ItemError> {
    if FileIdentity::at(path).is_ok_and(|now| now.modified != modified) {
        effects.set_modified(path, modified)?;
    }
    Ok(())
}

/// Brings back to `from` what was going to `to`, if anything of it arrived there.
///
/// A destination that holds something else was taken before: then `from` still holds the `recorded` inode, and stays.
pub(crate) fn retreat(
    effects: &Effects,
    from: &Path,
    to: &Path,
    recorded: Option<(u64, u64)>,
    syncs: &mut SyncSet,
) -> Result<(), ItemError> {
    match bring(effects, to, from, syncs) {
        Err(ItemError::Occupied { .. }) if is_inode(from, recorded) => Ok(()),
        other => other.map(|_| ()),
    }
}

/// Whether `path` is the file that was recorded.
pub(crate) fn is_inode(path: &Path, recorded: Option<(u64, u64)>) -> bool {
    FileIdentity::at(path).is_ok_and(|now| Some((now.device, now.inode)) == recorded)
}

/// Whether a name is taken; a link counts by itself.
pub(crate) fn exists(path: &Path) -> Result<bool, ItemError> {
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        // Something that is no directory stands where one should be: then nothing is below it either.
        Err(error)
            if matches!(
                error.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(ItemError::look(path)(error)),
    }
}

fn relocate(
    effects: &Effects,
    from: &Path,
    to: &Path,
    seen: Option<&FileIdentity>,
    syncs: &mut SyncSet,
) -> Result<(), ItemError> {
    if let Some(parent) = to.parent() {
        syncs.create_directory(effects, parent)?;
    }
    let before = FileIdentity::at(from).map_err(ItemError::look(from))?;
    ensure_is(from, &before, seen)?;
    match effects.rename_with(from, to, Durability::Buffered) {
        Ok(()) => {
            back_unless_it_is(effects, from, to, &before)?;
            keep_time(effects, to, before.modified)
        }
        Err(error) if error.is_cross_device() => across(effects, from, to, &before),
        // Someone took the name since we looked.
        Err(error) if exists(from)? && exists(to)? => match complete(effects, from, to, seen) {
            Err(ItemError::Occupied { from, to }) => Err(ItemError::Occupied { from, to }),
            Err(_) => Err(error.into()),
            Ok(()) => Ok(()),
        },
        Err(error) => Err(error.into()),
    }
}

/// Copies to another device, and removes the source when the copy is on disk.
fn across(effects: &Effects, from: &Path, to: &Path, before: &FileIdentity) -> Result<(), ItemError> {
    let seen = walk_of(from, Some(before))?;
    if let Some(special) = seen.special() {
        return Err(ItemError::Special(crate::tree::join(from, &special.path)));
    }
    if let Some(parent) = to.parent() {
        let available = available_bytes(parent).map_err(ItemError::look(parent))?;
        if seen.bytes() > available {
            return Err(ItemError::NoRoom {
                path: to.to_path_buf(),
                needed: seen.bytes(),
                available,
            });
        }
    }
    let copied = copy_missing(effects, from, &seen, to)
        .map_err(ItemError::from)
        .and_then(|()| {
            let now = Tree::walk(from).map_err(ItemError::look(from))?;
            let changes = seen.changes(&now, from);
            if changes.is_empty() {
                Ok(())
            } else {
                Err(ItemError::Changed(changes))
            }
        });
    if let Err(error) = copied {
        // Nothing of the source is gone. What can't be cleared away here is found again by recovery, as a part of its source.
        if let Ok(copy) = Tree::walk_if_present(to) {
            let _ = remove_as_seen(effects, to, &copy);
        }
        return Err(error);
    }
    Ok(remove_as_seen(effects, from, &seen)?)
}

/// Everything at `from`, if it is what was `seen` there.
pub(super) fn walk_of(from: &Path, seen: Option<&FileIdentity>) -> Result<Tree, ItemError> {
    let tree = Tree::walk(from).map_err(ItemError::look(from))?;
    if let Some(top) = tree.top() {
        ensure_is(from, &top.identity, seen)?;
    }
    Ok(tree)
}

/// Makes one out of two trees of which one is a part of the other.
fn complete(effects: &Effects, from: &Path, to: &Path, seen: Option<&FileIdentity>) -> Result<(), ItemError> {
    for place in [from, to] {
        if EntryKind::of(place.symlink_metadata().map_err(ItemError::look(place))?.file_type()) == EntryKind::Directory
        {
            remove_strays(effects, place)?;
        }
    }
    // Before the two are compared: what is written to the source afterwards is in no copy, and stays.
    let tree = walk_of(from, seen)?;
    match relation(from, to).map_err(ItemError::look(from))? {
        Relation::Same | Relation::FirstInSecond => {}
        Relation::SecondInFirst => copy_missing(effects, from, &tree, to)?,
        Relation::Differ => {
            return Err(ItemError::Occupied {
                from: from.to_path_buf(),
                to: to.to_path_buf(),
            });
        }
    }
    Ok(remove_as_seen(effects, from, &tree)?)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test arranges files directly")]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    fn places() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let (from, to) = (directory.path().join("from/x"), directory.path().join("to/x"));
        fs::create_dir(directory.path().join("from")).unwrap();
        (directory, from, to)
    }

    fn brought(from: &Path, to: &Path) -> Result<Arrival, ItemError> {
        bring(&Effects::apply(), from, to, &mut SyncSet::default())
    }

    #[test]
    fn each_state_ends_at_the_destination() {
        let (directory, from, to) = places();
        fs::write(&from, "x").unwrap();
        assert_eq!(brought(&from, &to).unwrap(), Arrival::Moved);
        assert_eq!(brought(&from, &to).unwrap(), Arrival::WasThere);
        fs::write(&from, "x").unwrap();
        assert_eq!(
            brought(&from, &to).unwrap(),
            Arrival::Moved,
            "the same content completes it"
        );
        assert!(!from.exists() && fs::read(&to).unwrap() == b"x");
        fs::remove_file(&to).unwrap();
        assert_eq!(brought(&from, &to).unwrap(), Arrival::Vanished);
        drop(directory);
    }

    #[test]
    fn other_content_is_refused_with_both_paths() {
        let (_directory, from, to) = places();
        fs::create_dir(to.parent().unwrap()).unwrap();
        fs::write(&from, "mine").unwrap();
        fs::write(&to, "other").unwrap();
        let message = brought(&from, &to).unwrap_err().to_string();
        assert!(message.contains(&*from.to_string_lossy()) && message.contains(&*to.to_string_lossy()));
        assert_eq!(
            (fs::read(&from).unwrap(), fs::read(&to).unwrap()),
            (b"mine".to_vec(), b"other".to_vec())
        );
    }

    #[test]
    fn a_copy_that_was_cut_short_is_completed_either_way() {
        for whole_at_source in [true, false] {
            let (_directory, from, to) = places();
            for (top, whole) in [(&from, whole_at_source), (&to, !whole_at_source)] {
                fs::create_dir_all(top.join("sub")).unwrap();
                fs::write(top.join("a"), "a").unwrap();
                if whole {
                    fs::write(top.join("sub/b"), "b").unwrap();
                }
            }
            fs::write(to.join(".sexton-abc.tmp"), "half").unwrap();
            assert_eq!(brought(&from, &to).unwrap(), Arrival::Moved);
            assert!(!from.exists());
            assert_eq!(fs::read(to.join("sub/b")).unwrap(), b"b");
            assert!(!to.join(".sexton-abc.tmp").exists());
        }
    }
}
