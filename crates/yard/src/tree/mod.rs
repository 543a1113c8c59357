//! A file, symlink or whole directory as one thing that is moved: what it holds, whether it changed, copying and removing it.
//!
//! Symlinks are never followed: what a link points to is no part of the tree.

mod copy;
mod relation;
mod remove;

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sexton_sys::listing::{self, EntryKind};
use sexton_sys::{FileIdentity, FileTime};

pub(crate) use copy::copy_missing;
pub(crate) use relation::{Relation, relation};
pub(crate) use remove::{remove_as_seen, remove_strays, remove_strays_in};

/// One name in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// Relative to the tree's top; empty for the top itself.
    pub path: PathBuf,
    /// What it is.
    pub kind: EntryKind,
    /// Device, inode, size and time when it was looked at.
    pub identity: FileIdentity,
    /// The permission bits, the lower twelve.
    pub mode: u32,
}

/// Everything at and below one path at one moment, parents before children, names in byte order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    /// The entries, the top first.
    pub entries: Vec<TreeEntry>,
}

/// How an entry differs from what was seen before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The entry's absolute path.
    pub path: PathBuf,
    /// What happened to it.
    pub kind: ChangeKind,
}

/// What happened to an entry since it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangeKind {
    /// Another file, size, time or kind.
    Changed,
    /// It was not there.
    Appeared,
    /// It is gone.
    Vanished,
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.kind {
            ChangeKind::Changed => "changed",
            ChangeKind::Appeared => "appeared",
            ChangeKind::Vanished => "vanished",
        };
        write!(f, "`{}` {what}", self.path.display())
    }
}

impl Tree {
    /// Looks at everything at and below `top`; an absent one is an error like any other.
    pub fn walk(top: &Path) -> io::Result<Self> {
        let mut entries = Vec::new();
        // A stack, since a tree from outside may be nested deeper than ours should be.
        let mut left = vec![PathBuf::new()];
        while let Some(path) = left.pop() {
            let absolute = join(top, &path);
            let entry = TreeEntry::seen(path, &absolute.symlink_metadata()?);
            if entry.kind == EntryKind::Directory {
                let children = listing::list(&absolute)?;
                left.extend(children.into_iter().rev().map(|child| entry.path.join(child.name)));
            }
            entries.push(entry);
        }
        Ok(Self { entries })
    }

    /// As [`Tree::walk`], but nothing at `top` is a tree without entries.
    pub fn walk_if_present(top: &Path) -> io::Result<Self> {
        match top.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            _ => Self::walk(top),
        }
    }

    /// The top itself.
    #[must_use]
    pub fn top(&self) -> Option<&TreeEntry> {
        self.entries.first()
    }

    /// How many files and symlinks there are.
    #[must_use]
    pub fn files(&self) -> u64 {
        let is_file = |entry: &&TreeEntry| entry.kind != EntryKind::Directory;
        self.entries.iter().filter(is_file).count() as u64
    }

    /// Bytes in regular files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let files = self.entries.iter().filter(|entry| entry.kind == EntryKind::File);
        files.map(|entry| entry.identity.size).sum()
    }

    /// The first entry that is neither file, directory nor symlink: such a thing can be renamed, not copied.
    #[must_use]
    pub fn special(&self) -> Option<&TreeEntry> {
        self.entries.iter().find(|entry| entry.kind == EntryKind::Special)
    }

    /// How `now` differs from this earlier look at the same `top`.
    ///
    /// A directory's own size and time say only that its names changed, which is told by the names.
    #[must_use]
    pub fn changes(&self, now: &Self, top: &Path) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut note = |entry: &TreeEntry, kind| {
            changes.push(Change {
                path: join(top, &entry.path),
                kind,
            });
        };
        let (mut old, mut new) = (self.entries.iter().peekable(), now.entries.iter().peekable());
        loop {
            match (old.peek(), new.peek()) {
                (Some(before), Some(after)) if before.path == after.path => {
                    if !before.is_unchanged(after) {
                        note(after, ChangeKind::Changed);
                    }
                    old.next();
                    new.next();
                }
                (Some(before), Some(after)) if before.path < after.path => {
                    note(before, ChangeKind::Vanished);
                    old.next();
                }
                (Some(before), None) => {
                    note(before, ChangeKind::Vanished);
                    old.next();
                }
                (_, Some(after)) => {
                    note(after, ChangeKind::Appeared);
                    new.next();
                }
                (None, None) => return changes,
            }
        }
    }
}

impl TreeEntry {
    fn seen(path: PathBuf, metadata: &Metadata) -> Self {
        Self {
            path,
            kind: EntryKind::of(metadata.file_type()),
            identity: FileIdentity::of(metadata),
            mode: metadata.mode() & 0o7777,
        }
    }

    fn is_unchanged(&self, now: &Self) -> bool {
        let same = if self.kind == EntryKind::Directory {
            self.identity.is_same_file(&now.identity)
        } else {
            self.identity == now.identity
        };
        same && self.kind == now.kind
    }

    /// The modification time when it was looked at.
    #[must_use]
    pub fn modified(&self) -> FileTime {
        self.identity.modified
    }
}

/// The absolute path of an entry; joining an empty path would end in a slash.
pub(crate) fn join(top: &Path, relative: &Path) -> PathBuf {
    if relative.as_os_str().is_empty() {
        top.to_path_buf()
    } else {
        top.join(relative)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test arranges files directly")]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_tree_tells_what_changed_in_it() {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path().join("top");
        fs::create_dir_all(top.join("b")).unwrap();
        for name in ["a", "b/1", "b/2", "b-"] {
            fs::write(top.join(name), name).unwrap();
        }
        std::os::unix::fs::symlink("nowhere", top.join("link")).unwrap();
        let before = Tree::walk(&top).unwrap();
        assert_eq!((before.entries.len(), before.files(), before.bytes()), (7, 5, 9));
        assert!(before.changes(&Tree::walk(&top).unwrap(), &top).is_empty());

        fs::remove_file(top.join("b/1")).unwrap();
        fs::write(top.join("b/2"), "longer").unwrap();
        fs::write(top.join("c"), "new").unwrap();
        let changes = before.changes(&Tree::walk(&top).unwrap(), &top);
        let told: Vec<String> = changes.iter().map(ToString::to_string).collect();
        let at = |name: &str| top.join(name).display().to_string();
        assert_eq!(
            told,
            [
                format!("`{}` vanished", at("b/1")),
                format!("`{}` changed", at("b/2")),
                format!("`{}` appeared", at("c")),
            ]
        );
    }

    #[test]
    fn nothing_is_a_tree_without_entries() {
        let directory = tempfile::tempdir().unwrap();
        let absent = directory.path().join("absent");
        assert_eq!(Tree::walk_if_present(&absent).unwrap(), Tree::default());
        Tree::walk(&absent).unwrap_err();
        let file = directory.path().join("file");
        fs::write(&file, "x").unwrap();
        let vanished = Tree::walk(&file).unwrap().changes(&Tree::default(), &file);
        assert_eq!(vanished[0].kind, ChangeKind::Vanished);
    }
}
