//! Everything below a path, without following links.

use std::io;
use std::path::Path;

use sexton_sys::FileIdentity;
use sexton_sys::listing::{self, EntryKind};

use super::FootprintEntry;

/// `path` and all that lies in it, parents before children, names in order. What vanishes meanwhile is left out; what can't be looked
/// at goes to `report`.
pub(super) fn entries(path: &Path, report: &mut dyn FnMut(&Path, io::Error)) -> Vec<FootprintEntry> {
    let mut found = Vec::new();
    // A stack of our own: how deep directories go is not up to us.
    let mut waiting = vec![path.to_path_buf()];
    while let Some(path) = waiting.pop() {
        let children = look(&path).and_then(|entry| {
            let kind = entry.kind;
            found.push(entry);
            if kind == EntryKind::Directory {
                listing::list(&path)
            } else {
                Ok(Vec::new())
            }
        });
        match children {
            Ok(children) => waiting.extend(children.into_iter().rev().map(|child| path.join(child.name))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => report(&path, error),
        }
    }
    found
}

fn look(path: &Path) -> io::Result<FootprintEntry> {
    let metadata = path.symlink_metadata()?;
    Ok(FootprintEntry {
        path: path.to_path_buf(),
        kind: EntryKind::of(metadata.file_type()),
        identity: FileIdentity::of(&metadata),
    })
}
