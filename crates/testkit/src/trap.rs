//! Someone who puts links in place of things while a program works at them, and what must not happen to what lies outside.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::tree::TreePicture;

/// A directory of a test's own, with something outside of all that the program under test may touch.
#[derive(Debug, Clone)]
pub struct Trap {
    root: PathBuf,
}

/// What only files outside hold.
const SECRET: &str = "the secret outside";

/// What someone does to the path of a step, just before it is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swap {
    /// A link to a file or directory outside, in place of what lies there.
    Link,
    /// A second name of a file outside, in place of a file.
    HardLink,
    /// A link to a file outside, where nothing lies yet.
    Planted,
    /// A link in place of the directory so many levels above, to one outside that has the same names in it.
    Above(usize),
}

impl Swap {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Link,
        Self::HardLink,
        Self::Planted,
        Self::Above(1),
        Self::Above(2),
        Self::Above(3),
        Self::Above(4),
        Self::Above(5),
    ];
}

impl Trap {
    /// Puts something outside into `root`, which is there.
    pub fn in_directory(root: &Path) -> Self {
        let trap = Self {
            root: root.to_path_buf(),
        };
        fs::create_dir(trap.outside()).unwrap();
        fs::write(trap.diary(), SECRET).unwrap();
        trap
    }

    /// The directory that nothing may be taken from or done to.
    pub fn outside(&self) -> PathBuf {
        self.root.join("outside")
    }

    fn diary(&self) -> PathBuf {
        self.outside().join("diary.txt")
    }

    /// Makes a swap at the path of a step; tells what was swapped, if there was anything to be done.
    pub fn spring(&self, swap: Swap, path: &Path) -> Option<PathBuf> {
        let target = match swap {
            Swap::Above(levels) => path.ancestors().nth(levels).unwrap_or(path),
            _ => path,
        };
        if !target.starts_with(&self.root) || target == self.root {
            return None;
        }
        let name = target.file_name().unwrap().to_string_lossy();
        // Lines are added to whatever is one of these by its second name; the tombstone file may be a link, too.
        if name == ".deleted" || (swap == Swap::HardLink && is_own(&name)) {
            return None;
        }
        let Ok(metadata) = target.symlink_metadata() else {
            let is_planted = swap == Swap::Planted && symlink(self.diary(), target).is_ok();
            return is_planted.then(|| target.to_path_buf());
        };
        let decoy = self.outside().join("decoy");
        match swap {
            Swap::Planted => return None,
            Swap::HardLink if !metadata.is_file() => return None,
            Swap::Above(_) if !metadata.is_dir() => return None,
            _ => {}
        }
        if metadata.is_dir() {
            copy_as_decoy(target, &decoy);
        }
        fs::rename(target, self.root.join("aside")).unwrap();
        match swap {
            Swap::HardLink => fs::hard_link(self.diary(), target).unwrap(),
            _ if metadata.is_dir() => symlink(&decoy, target).unwrap(),
            _ => symlink(self.diary(), target).unwrap(),
        }
        Some(target.to_path_buf())
    }

    /// Makes a swap undone, as far as nobody has made more of it.
    pub fn release(&self, target: &Path) {
        let aside = self.root.join("aside");
        if target.is_symlink() && aside.exists() {
            fs::remove_file(target).unwrap();
            fs::rename(aside, target).unwrap();
        }
    }

    /// Everything outside: what it is, its mode, and of what is no directory its time.
    ///
    /// Without sexton's own files, which it goes on writing wherever their directory is.
    pub fn picture(&self) -> BTreeSet<String> {
        let name = |line: &str| line.split(' ').next()?.rsplit('/').next().map(str::to_owned);
        let of = |picture: TreePicture, directories: bool| {
            let text = picture.to_string();
            let lines = text.lines().map(str::to_owned);
            let lines = lines.filter(move |line| line.ends_with(" directory") == directories);
            lines.collect::<Vec<_>>()
        };
        let picture = TreePicture::of(&self.outside());
        let directories = of(picture.clone().without_times(), true);
        let others = of(picture, false).into_iter();
        let others = others.filter(|line| !name(line).is_some_and(|name| is_own(&name)));
        directories.into_iter().chain(others).collect()
    }

    /// Fails if anything of `before` is gone or changed. An empty directory in a place that was linked is tidied away like any other.
    #[track_caller]
    pub fn assert_untouched(&self, before: &BTreeSet<String>, what: &str) {
        let now = self.picture();
        let is_pruned = |line: &&String| {
            let path = line.split(' ').next().unwrap_or_default();
            line.ends_with(" directory") && !self.outside().join(path).exists()
        };
        let lost: Vec<&String> = before.difference(&now).filter(|line| !is_pruned(line)).collect();
        assert!(lost.is_empty(), "{what}: {lost:#?}\n{}", TreePicture::of(&self.root));
    }

    /// Fails if any file below `place` has something of a file outside in it.
    #[track_caller]
    pub fn assert_not_taken_in(place: &Path, what: &str) {
        let picture = TreePicture::of(place);
        for path in picture.paths().map(|path| place.join(path)) {
            if path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
                let content = fs::read(&path).unwrap();
                let text = String::from_utf8_lossy(&content);
                assert!(
                    !text.contains(SECRET),
                    "{what}: {text:?} in `{}`\n{picture}",
                    path.display()
                );
            }
        }
    }
}

/// Whether it is the name of a file of sexton's own, which it goes on writing wherever its directory is.
fn is_own(name: &str) -> bool {
    if name.starts_with(".sexton-") {
        return true;
    }
    let own = [
        ".deleted",
        "journal.jsonl",
        "manifest.json",
        "manifest.jsonl",
        "operation.lock",
        "lock",
    ];
    own.contains(&name)
}

/// The same names, and a secret in each file.
fn copy_as_decoy(directory: &Path, decoy: &Path) {
    fs::create_dir(decoy).unwrap();
    // A mode of its own, to tell whether it gets another.
    fs::set_permissions(decoy, fs::Permissions::from_mode(0o710)).unwrap();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let twin = decoy.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_as_decoy(&entry.path(), &twin);
        } else {
            fs::write(twin, format!("{SECRET} of {}\n", entry.file_name().display())).unwrap();
        }
    }
}
