//! Removing a tree of which nothing is left that only lies there.

use std::path::Path;

use sexton_sys::listing::{self, EntryKind};
use sexton_sys::{EffectError, Effects, FileTime, is_abandoned};

use super::Tree;

/// After all that was ever written.
const WHENEVER: FileTime = FileTime {
    seconds: i64::MAX,
    nanoseconds: 0,
};

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

/// Removes temporary files that a killed writer left at any depth below `top`; what is being written stays. Only for places that nobody
/// but us writes such names to, with the operation's lock held.
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
        // Somebody else may be writing here: in an archive of two, for one.
        if entry.kind == EntryKind::File && is_abandoned(&path, WHENEVER) {
            match effects.remove_file(&path) {
                Err(error) if error.is_not_found() => {}
                removed => removed?,
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test arranges files directly")]
mod tests {
    use std::fs::{self, File};

    use super::*;

    #[test]
    fn what_somebody_is_writing_is_no_stray() {
        let directory = tempfile::tempdir().unwrap();
        let [left, written] = ["left", "written"].map(|name| directory.path().join(format!(".sexton-{name}.tmp")));
        fs::write(&left, "half").unwrap();
        let writer = File::create(&written).unwrap();
        writer.lock().unwrap();
        remove_strays_in(&Effects::apply(), directory.path()).unwrap();
        assert!(!left.exists() && written.exists());
        drop(writer);
        remove_strays_in(&Effects::apply(), directory.path()).unwrap();
        assert!(!written.exists());
    }
}
