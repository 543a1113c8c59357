//! A printable picture of a directory tree, to tell whether anything in it changed.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::fmt;
use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Every file below a directory with its content, mode, modification time and link target; links are not followed.
///
/// Two equal pictures mean that nothing a user could notice changed between them. Pipes and sockets are seen but not opened.
#[derive(Clone, PartialEq, Eq)]
pub struct TreePicture(BTreeMap<PathBuf, Seen>);

#[derive(Clone, PartialEq, Eq)]
struct Seen {
    what: What,
    mode: u32,
    modified: Option<(i64, i64)>,
}

#[derive(Clone, PartialEq, Eq)]
enum What {
    File { bytes: u64, hash: u64, head: String },
    Directory,
    Link { target: PathBuf },
    Special(&'static str),
    Unreadable(String),
}

impl TreePicture {
    /// Takes the picture of `root` and everything below it; an absent root gives an empty picture.
    pub fn of(root: &Path) -> Self {
        let mut seen = BTreeMap::new();
        visit(root, Path::new("."), &mut seen);
        Self(seen)
    }

    /// The same picture without modification times.
    pub fn without_times(mut self) -> Self {
        for seen in self.0.values_mut() {
            seen.modified = None;
        }
        self
    }

    /// The paths in the picture, relative to its root, which is `.`.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.keys().map(PathBuf::as_path)
    }

    /// What is in `later` and not here (`+`), here and not in `later` (`-`), or changed (both), a line each; empty if they are equal.
    pub fn difference(&self, later: &Self) -> String {
        let mut lines = Vec::new();
        let mut all: BTreeMap<&PathBuf, (Option<&Seen>, Option<&Seen>)> = BTreeMap::new();
        for (path, seen) in &self.0 {
            all.insert(path, (Some(seen), None));
        }
        for (path, seen) in &later.0 {
            match all.entry(path) {
                Slot::Occupied(mut slot) => slot.get_mut().1 = Some(seen),
                Slot::Vacant(slot) => {
                    slot.insert((None, Some(seen)));
                }
            }
        }
        for (path, (before, after)) in all.into_iter().filter(|(_, (before, after))| before != after) {
            lines.extend(before.map(|seen| format!("- {} {seen}", path.display())));
            lines.extend(after.map(|seen| format!("+ {} {seen}", path.display())));
        }
        lines.join("\n")
    }

    /// Fails with the difference unless `later` shows the same.
    #[track_caller]
    pub fn assert_unchanged(&self, later: &Self) {
        let difference = self.difference(later);
        assert!(difference.is_empty(), "the tree changed:\n{difference}");
    }
}

impl fmt::Display for TreePicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|(path, seen)| writeln!(f, "{} {seen}", path.display()))
    }
}

impl fmt::Debug for TreePicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04o}", self.mode)?;
        if let Some((seconds, nanoseconds)) = self.modified {
            write!(f, " {seconds}.{nanoseconds:09}")?;
        }
        match &self.what {
            What::File { bytes, hash, head } => write!(f, " {bytes} bytes {hash:016x} {head:?}"),
            What::Directory => f.write_str(" directory"),
            What::Link { target } => write!(f, " -> {}", target.display()),
            What::Special(kind) => write!(f, " {kind}"),
            What::Unreadable(why) => write!(f, " unreadable: {why}"),
        }
    }
}

fn visit(path: &Path, name: &Path, all: &mut BTreeMap<PathBuf, Seen>) {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return;
    };
    let seen = Seen {
        what: look(path, &metadata),
        mode: metadata.mode() & 0o7777,
        modified: Some((metadata.mtime(), metadata.mtime_nsec())),
    };
    all.insert(name.to_path_buf(), seen);
    if metadata.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            let name = if name == Path::new(".") {
                PathBuf::from(entry.file_name())
            } else {
                name.join(entry.file_name())
            };
            visit(&entry.path(), &name, all);
        }
    }
}

fn look(path: &Path, metadata: &Metadata) -> What {
    let kind = metadata.file_type();
    if kind.is_file() {
        match fs::read(path) {
            Ok(content) => {
                let mut hasher = DefaultHasher::new();
                content.hash(&mut hasher);
                What::File {
                    bytes: metadata.len(),
                    hash: hasher.finish(),
                    head: String::from_utf8_lossy(&content[..content.len().min(60)]).into_owned(),
                }
            }
            Err(error) => What::Unreadable(error.to_string()),
        }
    } else if kind.is_dir() {
        What::Directory
    } else if kind.is_symlink() {
        What::Link {
            target: fs::read_link(path).unwrap_or_default(),
        }
    } else if kind.is_fifo() {
        What::Special("pipe")
    } else if kind.is_socket() {
        What::Special("socket")
    } else {
        What::Special("device")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn each_kind_of_change_is_seen() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("a");
        fs::write(&file, "one").unwrap();
        let modified = fs::metadata(&file).unwrap().modified().unwrap();
        let before = TreePicture::of(scratch.path());
        before.assert_unchanged(&TreePicture::of(scratch.path()));

        // Same length and same time: only the content differs.
        fs::write(&file, "two").unwrap();
        fs::File::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_modified(modified)
            .unwrap();
        let changed = TreePicture::of(scratch.path());
        assert!(
            before.difference(&changed).contains("- a "),
            "{}",
            before.difference(&changed)
        );

        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        assert_ne!(changed, TreePicture::of(scratch.path()));

        fs::File::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_modified(std::time::UNIX_EPOCH)
            .unwrap();
        let touched = TreePicture::of(scratch.path());
        std::os::unix::fs::symlink("nowhere", scratch.path().join("link")).unwrap();
        let linked = TreePicture::of(scratch.path());
        assert!(touched.difference(&linked).contains("+ link 0777"), "{linked}");
        assert_ne!(touched.without_times(), linked.without_times());
    }
}
