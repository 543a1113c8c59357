//! Links put in place of things between two steps of an operation: nothing outside is moved, changed, removed or taken in.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use sexton_sys::{Effects, FaultPlan};
use sexton_testkit::{SmallFilesystem, TreePicture};
use sexton_yard::Yard;
use sexton_yard::recovery::recover;

use crate::devices::archive_to;
use crate::scenarios::scenario;
use crate::support::{NOBODY, World, id};

/// What only files outside hold.
const SECRET: &str = "the secret outside";

/// What someone does to the path of a step, just before it is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Swap {
    /// A link to a file or directory outside, in place of what lies there.
    Link,
    /// A second name of a file outside, in place of a file.
    HardLink,
    /// A link to a file outside, where nothing lies yet.
    Planted,
    /// A link in place of the directory so many levels above, to one outside that has the same names in it.
    Above(usize),
}

const SWAPS: [Swap; 8] = [
    Swap::Link,
    Swap::HardLink,
    Swap::Planted,
    Swap::Above(1),
    Swap::Above(2),
    Swap::Above(3),
    Swap::Above(4),
    Swap::Above(5),
];

impl Swap {
    /// Tells what was swapped, if there was anything to be done.
    fn make(self, path: &Path, root: &Path) -> Option<PathBuf> {
        let outside = root.join("outside");
        let target = match self {
            Self::Above(levels) => path.ancestors().nth(levels).unwrap_or(path),
            _ => path,
        };
        // What a scenario's own copying does is no matter of ours.
        if !target.starts_with(root) || target == root || target.starts_with(root.join("copies")) {
            return None;
        }
        let name = target.file_name().unwrap().to_string_lossy();
        // Lines are added to whatever is one of these by its second name; the tombstone file may be a link, too.
        if name == ".deleted" || (self == Self::HardLink && is_own(&name)) {
            return None;
        }
        let Ok(metadata) = target.symlink_metadata() else {
            let is_planted = self == Self::Planted && symlink(outside.join("diary.txt"), target).is_ok();
            return is_planted.then(|| target.to_path_buf());
        };
        let decoy = outside.join("decoy");
        match self {
            Self::Planted => return None,
            Self::HardLink if !metadata.is_file() => return None,
            Self::Above(_) if !metadata.is_dir() => return None,
            _ => {}
        }
        if metadata.is_dir() {
            copy_as_decoy(target, &decoy);
        }
        fs::rename(target, root.join("aside")).unwrap();
        match self {
            Self::HardLink => fs::hard_link(outside.join("diary.txt"), target).unwrap(),
            _ if metadata.is_dir() => symlink(&decoy, target).unwrap(),
            _ => symlink(outside.join("diary.txt"), target).unwrap(),
        }
        Some(target.to_path_buf())
    }

    /// Makes it undone, as far as nobody has made more of it.
    fn unmake(target: &Path, root: &Path) {
        if target.is_symlink() && root.join("aside").exists() {
            fs::remove_file(target).unwrap();
            fs::rename(root.join("aside"), target).unwrap();
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

/// Everything below but our own files: what it is, its mode, and of what is no directory its time.
fn everything(root: &Path) -> BTreeSet<String> {
    let name = |line: &str| line.split(' ').next()?.rsplit('/').next().map(str::to_owned);
    let of = |picture: TreePicture, directories: bool| {
        let text = picture.to_string();
        let lines = text.lines().map(str::to_owned);
        let lines = lines.filter(move |line| line.ends_with(" directory") == directories);
        lines.collect::<Vec<_>>()
    };
    let picture = TreePicture::of(root);
    let directories = of(picture.clone().without_times(), true);
    let others = of(picture, false).into_iter();
    let others = others.filter(|line| !name(line).is_some_and(|name| is_own(&name)));
    directories.into_iter().chain(others).collect()
}

/// The contents of all files below, however they are called.
fn contents(root: &Path) -> BTreeSet<Vec<u8>> {
    let picture = TreePicture::of(root);
    let files = picture.paths().map(|path| root.join(path));
    let files = files.filter(|path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()));
    files.map(|path| fs::read(path).unwrap()).collect()
}

/// A world that `arrange` has made something of, with something outside.
fn arranged(arrange: &dyn Fn(&World, &Yard<'_>)) -> World {
    let mut world = World::new();
    world.crew = 1;
    let effects = Effects::apply();
    arrange(&world, &world.yard(&effects, &NOBODY));
    fs::create_dir(world.root.join("outside")).unwrap();
    fs::write(world.root.join("outside/diary.txt"), SECRET).unwrap();
    world
}

/// What was swapped, and everything outside after that.
type Swapped = (PathBuf, BTreeSet<String>);

/// Runs the operation with the swap made just before the step `at`; nothing if there was nothing to swap.
fn swapped(world: &World, act: &dyn Fn(&World, &Yard<'_>), at: u64, swap: Swap) -> Option<Swapped> {
    let root = world.root.clone();
    let noted = Arc::new(Mutex::new(None));
    let note = Arc::clone(&noted);
    let effects = Effects::faulty(FaultPlan::asking(move |step| {
        // Until its parts are moved, a copy is filled by the scenario itself.
        let is_filled = step.path.to_string_lossy().contains("/.restore-") && !step.action.contains("move");
        if step.number == at
            && !is_filled
            && let Some(target) = swap.make(step.path, &root)
        {
            *note.lock().unwrap() = Some((target, everything(&root.join("outside"))));
        }
        None
    }));
    act(world, &world.yard(&effects, &NOBODY));
    noted.lock().unwrap().take()
}

fn nothing_outside_is_touched(arrange: &dyn Fn(&World, &Yard<'_>), act: &dyn Fn(&World, &Yard<'_>)) {
    let counting = Effects::faulty(FaultPlan::count_only());
    let world = arranged(arrange);
    act(&world, &world.yard(&counting, &NOBODY));
    let mut made = 0;
    for at in 0..counting.steps_taken() {
        for swap in SWAPS {
            let world = arranged(arrange);
            let Some((target, outside)) = swapped(&world, act, at, swap) else {
                continue;
            };
            made += 1;
            for moment in ["", ", recovered"] {
                let what = format!("{swap:?} at step {at}{moment}");
                let now = everything(&world.root.join("outside"));
                // An empty directory in a place that was linked is tidied away like any other.
                let is_pruned = |line: &&String| {
                    let path = line.split(' ').next().unwrap_or_default();
                    line.ends_with(" directory") && !world.root.join("outside").join(path).exists()
                };
                let lost: Vec<&String> = outside.difference(&now).filter(|line| !is_pruned(line)).collect();
                assert!(lost.is_empty(), "{what}: {lost:#?}\n{}", TreePicture::of(&world.root));
                if swap != Swap::HardLink {
                    assert_not_taken_in(&world, &what);
                }
                // A link that stays is a directory that someone keeps elsewhere.
                Swap::unmake(&target, &world.root);
                let effects = Effects::apply();
                let _ = recover(&world.yard(&effects, &NOBODY));
            }
        }
    }
    assert!(made > 20, "{made}");
}

/// Fails if anything from outside lies among sessions, archives or trash.
fn assert_not_taken_in(world: &World, what: &str) {
    for place in [&world.config, &world.data, &world.stones] {
        for content in contents(place) {
            let text = String::from_utf8_lossy(&content);
            assert!(
                !text.contains(SECRET),
                "{what}: {text:?} in\n{}",
                TreePicture::of(&world.root)
            );
        }
    }
}

macro_rules! scenarios {
    ($($test:ident $name:literal)*) => {
        $(#[test] fn $test() {
            nothing_outside_is_touched(&scenario($name).arrange, &scenario($name).act);
        })*
    };
}

scenarios! {
    archive "archive"
    delete "delete"
    restore_from_the_trash "restore from the trash"
    restore_from_the_archive "restore from the archive"
    restore_from_a_copy "restore from a copy"
    restore_over_a_stub "restore over a stub"
    tidy_stubs "tidy stubs"
    delete_archived_sessions "delete archived sessions"
    empty "empty"
    purge "purge"
}

#[test]
fn archive_to_another_device() {
    let Some(other) = SmallFilesystem::mount(16 << 20) else {
        return;
    };
    let archive = other.path().join("archive");
    let arrange = |world: &World, _: &Yard<'_>| {
        world.plant_small(1);
        let _ = fs::remove_dir_all(&archive);
    };
    let act = |world: &World, yard: &Yard<'_>| {
        drop(archive_to(world, yard, id(1), &archive));
        let copied = contents(&archive);
        let is_secret = |content: &Vec<u8>| String::from_utf8_lossy(content).contains(SECRET);
        assert!(!copied.iter().any(is_secret), "taken in\n{}", TreePicture::of(&archive));
    };
    nothing_outside_is_touched(&arrange, &act);
}
