//! What each effect leaves on a real file system, applied, recorded, and stopped at every step.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use sexton_sys::{Durability, Effect, EffectError, Effects, Fault, FaultPlan, FileIdentity, FileTime};

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn what_we_make_is_private() {
    let directory = tempfile::tempdir().unwrap();
    let nested = directory.path().join("a/b");
    let effects = Effects::apply();
    effects.create_directory(&nested).unwrap();
    effects
        .append(&nested.join("appended"), b"x\n", Durability::Synced)
        .unwrap();
    effects.create_file(&nested.join("created"), b"x").unwrap();
    effects.replace_file(&nested.join("replaced"), b"x").unwrap();
    assert_eq!(mode(&directory.path().join("a")), 0o700);
    assert_eq!(mode(&nested), 0o700);
    for name in ["appended", "created", "replaced"] {
        assert_eq!(mode(&nested.join(name)), 0o600, "{name}");
    }
}

#[test]
fn an_append_starts_its_own_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let effects = Effects::apply();
    effects.append(&path, b"one\n", Durability::Buffered).unwrap();
    effects.append(&path, b"two", Durability::Buffered).unwrap();
    effects.append(&path, b"three\n", Durability::Buffered).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"one\ntwo\nthree\n");
}

#[test]
fn a_short_write_is_said_and_the_next_line_stands_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    // Step 0 opens, step 1 writes.
    let effects = Effects::faulty(FaultPlan::new(1, Fault::ShortWrite(3)));
    let error = effects
        .append(&path, b"first line\n", Durability::Buffered)
        .unwrap_err();
    assert!(
        matches!(
            error,
            EffectError::ShortWrite {
                written: 3,
                expected: 11,
                ..
            }
        ),
        "{error}"
    );
    effects.append(&path, b"second\n", Durability::Buffered).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"fir\nsecond\n");
}

#[test]
fn an_append_to_something_else_than_a_file_is_refused_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = directory.path().join("fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    Effects::apply()
        .append(&fifo, b"x\n", Durability::Buffered)
        .unwrap_err();
    Effects::apply()
        .append(directory.path(), b"x\n", Durability::Buffered)
        .unwrap_err();
}

#[test]
fn nothing_is_ever_overwritten_but_by_replace() {
    let directory = tempfile::tempdir().unwrap();
    let (a, b) = (directory.path().join("a"), directory.path().join("b"));
    fs::write(&a, "a").unwrap();
    fs::write(&b, "b").unwrap();
    let effects = Effects::apply();
    assert!(matches!(effects.create_file(&b, b"x"), Err(EffectError::Exists(_))));
    assert!(matches!(effects.rename(&a, &b), Err(EffectError::Exists(_))));
    assert!(matches!(effects.copy_file(&a, &b), Err(EffectError::Exists(_))));
    assert!(matches!(effects.symlink(&a, &b), Err(EffectError::Exists(_))));
    let empty = directory.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let full = directory.path().join("full");
    fs::create_dir(&full).unwrap();
    assert!(matches!(effects.rename(&full, &empty), Err(EffectError::Exists(_))));
    assert_eq!(
        (fs::read(&a).unwrap(), fs::read(&b).unwrap()),
        (b"a".to_vec(), b"b".to_vec())
    );
    assert_eq!(
        fs::read_dir(directory.path()).unwrap().count(),
        4,
        "no temporary file is left"
    );
}

#[test]
fn replace_keeps_the_mode_and_does_not_follow_links() {
    let directory = tempfile::tempdir().unwrap();
    let (file, outside, link) = (
        directory.path().join("file"),
        directory.path().join("outside"),
        directory.path().join("link"),
    );
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    fs::write(&outside, "precious").unwrap();
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    let effects = Effects::apply();
    effects.replace_file(&file, b"new").unwrap();
    effects.replace_file(&link, b"new").unwrap();
    assert_eq!((fs::read(&file).unwrap(), mode(&file)), (b"new".to_vec(), 0o640));
    assert_eq!(fs::read(&outside).unwrap(), b"precious");
    assert!(fs::symlink_metadata(&link).unwrap().is_file());
}

#[test]
fn a_copy_has_content_mode_and_time() {
    let directory = tempfile::tempdir().unwrap();
    let (from, to) = (directory.path().join("from"), directory.path().join("to"));
    fs::write(&from, vec![7; 200_000]).unwrap();
    fs::set_permissions(&from, fs::Permissions::from_mode(0o604)).unwrap();
    let effects = Effects::apply();
    let modified = FileTime {
        seconds: 1_000_000_000,
        nanoseconds: 123_456_789,
    };
    effects.set_modified(&from, modified).unwrap();
    effects.copy_file(&from, &to).unwrap();
    assert_eq!(fs::read(&from).unwrap(), fs::read(&to).unwrap());
    assert_eq!(mode(&to), 0o604);
    assert_eq!(FileIdentity::at(&to).unwrap().modified, modified);
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(&from, &link).unwrap();
    effects.copy_file(&link, &directory.path().join("other")).unwrap_err();
}

#[test]
fn a_mode_is_never_set_through_a_link() {
    let directory = tempfile::tempdir().unwrap();
    let (file, link) = (directory.path().join("file"), directory.path().join("link"));
    fs::write(&file, "x").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    Effects::apply().set_mode(&link, 0o777).unwrap_err();
    assert_eq!(mode(&file), 0o600);
}

#[test]
fn a_directory_that_holds_something_stays() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("file"), "x").unwrap();
    let error = Effects::apply().remove_directory(directory.path()).unwrap_err();
    assert_eq!(error.kind(), Some(std::io::ErrorKind::DirectoryNotEmpty));
}

/// Every kind of effect once, in an order in which each can succeed.
fn everything(effects: &Effects, root: &Path) -> Result<(), EffectError> {
    effects.create_directory(&root.join("new/deep"))?;
    effects.append(&root.join("log"), b"line\n", Durability::Synced)?;
    effects.create_file(&root.join("created"), b"created")?;
    effects.replace_file(&root.join("kept"), b"replaced")?;
    effects.copy_file(&root.join("kept"), &root.join("copied"))?;
    effects.rename(&root.join("moved"), &root.join("new/moved"))?;
    effects.symlink(Path::new("kept"), &root.join("link"))?;
    effects.set_modified(
        &root.join("kept"),
        FileTime {
            seconds: 1,
            nanoseconds: 0,
        },
    )?;
    effects.set_mode(&root.join("kept"), 0o640)?;
    effects.remove_file(&root.join("removed"))?;
    effects.sync(root)?;
    effects.remove_directory(&root.join("empty"))
}

#[test]
fn a_buffered_effect_takes_one_step_and_can_be_synced_later() {
    let directory = arranged();
    let root = directory.path();
    let effects = Effects::faulty(FaultPlan::count_only());
    let (from, to) = (root.join("moved"), root.join("empty/moved"));
    effects.rename_with(&from, &to, Durability::Buffered).unwrap();
    effects.remove_file_with(&to, Durability::Buffered).unwrap();
    effects
        .remove_directory_with(&root.join("empty"), Durability::Buffered)
        .unwrap();
    effects
        .create_directory_with(&root.join("new"), Durability::Buffered)
        .unwrap();
    assert_eq!(effects.steps_taken(), 4);
    effects.sync(root).unwrap();
    effects.sync(&root.join("kept")).unwrap();
    effects.sync_filesystem(root).unwrap();
    assert_eq!(effects.steps_taken(), 7);
    assert!(effects.sync(&root.join("absent")).unwrap_err().is_not_found());
}

fn arranged() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for name in ["kept", "moved", "removed"] {
        fs::write(directory.path().join(name), name).unwrap();
    }
    fs::create_dir(directory.path().join("empty")).unwrap();
    directory
}

/// Each path below `root` with all that a stat tells of it, and its content.
fn picture(root: &Path) -> Vec<(String, FileIdentity, u32, Vec<u8>)> {
    let mut seen = Vec::new();
    let mut left = vec![root.to_path_buf()];
    while let Some(path) = left.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let content = if metadata.is_file() {
            fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        if metadata.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        let name = path.strip_prefix(root).unwrap().display().to_string();
        seen.push((name, FileIdentity::of(&metadata), metadata.mode(), content));
    }
    seen.sort_by(|a, b| a.0.cmp(&b.0));
    seen
}

#[test]
fn a_dry_run_records_everything_and_touches_nothing() {
    let directory = arranged();
    let before = picture(directory.path());
    let effects = Effects::record();
    everything(&effects, directory.path()).unwrap();
    effects.create_directory(&directory.path().join("new/deep")).unwrap();
    assert_eq!(picture(directory.path()), before);
    let recorded = effects.recorded();
    assert_eq!(
        recorded.len(),
        11,
        "one each, and the directory only once: {recorded:?}"
    );
    assert!(matches!(&recorded[1], Effect::Append { bytes, .. } if bytes == b"line\n"));
    assert!(recorded[5].to_string().starts_with("move /"), "{}", recorded[5]);
}

#[test]
fn stopped_at_any_step_each_file_is_old_or_new_and_no_temporary_stays() {
    let counted = Effects::faulty(FaultPlan::count_only());
    everything(&counted, arranged().path()).unwrap();
    let steps = counted.steps_taken();
    assert!(steps > 20, "{steps}");
    for at in 0..steps {
        for fault in [Fault::Stop, Fault::Error(rustix::io::Errno::IO.raw_os_error())] {
            let directory = arranged();
            let root = directory.path();
            everything(&Effects::faulty(FaultPlan::new(at, fault)), root).unwrap_err();
            let kept = fs::read(root.join("kept")).unwrap();
            assert!(kept == b"kept" || kept == b"replaced", "step {at}");
            assert!(
                root.join("moved").exists() != root.join("new/moved").exists(),
                "step {at}"
            );
            for (name, whole) in [("created", "created"), ("copied", "replaced")] {
                if let Ok(content) = fs::read(root.join(name)) {
                    assert_eq!(content, whole.as_bytes(), "step {at}");
                }
            }
            let strays = picture(root)
                .into_iter()
                .filter(|(name, ..)| name.contains(".sexton-"))
                .count();
            assert_eq!(strays, 0, "step {at}");
        }
    }
}

#[test]
fn a_file_is_made_from_a_stream_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("streamed");
    let effects = Effects::apply();

    let mut broken = std::io::Read::chain(&b"half"[..], Broken);
    assert!(effects.create_file_from(&path, &mut broken, None, None).is_err());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);

    effects.create_file_from(&path, &mut &b"whole"[..], None, None).unwrap();
    assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"whole".to_vec(), 0o600));
    let again = effects.create_file_from(&path, &mut &b"other"[..], None, None);
    assert!(matches!(again, Err(EffectError::Exists(_))));
    assert_eq!(fs::read(&path).unwrap(), b"whole");

    let old = FileTime {
        seconds: 1_000_000_000,
        nanoseconds: 7,
    };
    let path = directory.path().join("as it was");
    effects
        .create_file_from(&path, &mut &b"old"[..], Some(0o640), Some(old))
        .unwrap();
    assert_eq!((mode(&path), FileIdentity::at(&path).unwrap().modified), (0o640, old));
}

struct Broken;

impl std::io::Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("broken"))
    }
}

#[test]
fn what_was_seen_is_removed_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let (top, elsewhere) = (directory.path().join("top"), directory.path().join("elsewhere"));
    let at = |path: &Path| FileIdentity::at(path).unwrap();
    let arrange = || {
        fs::create_dir_all(top.join("inner")).unwrap();
        fs::write(top.join("inner/file"), "seen").unwrap();
        (at(&top), at(&top.join("inner")), at(&top.join("inner/file")))
    };
    let (seen_top, inner, file) = arrange();
    let effects = Effects::apply();
    let name = Path::new("inner/file");

    // Another file under the name, and the same name behind a link on the way: even the very file that was seen.
    fs::write(top.join("inner/file"), "changed").unwrap();
    let error = effects.remove_seen_file(&top, name, &file).unwrap_err();
    assert!(matches!(error, EffectError::Changed(_)), "{error}");
    let file = at(&top.join(name));
    for linked in ["top/inner", "top"] {
        let linked = directory.path().join(linked);
        fs::rename(&linked, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &linked).unwrap();
        let error = effects.remove_seen_file(&top, name, &file).unwrap_err();
        assert_eq!(error.kind(), Some(std::io::ErrorKind::NotADirectory), "{error}");
        fs::remove_file(&linked).unwrap();
        fs::rename(&elsewhere, &linked).unwrap();
    }
    assert!(top.join(name).exists());

    // Links above the tree are somebody's wish.
    let linked = directory.path().join("linked");
    std::os::unix::fs::symlink(directory.path(), &linked).unwrap();
    effects.remove_seen_file(&linked.join("top"), name, &file).unwrap();
    assert!(effects.remove_seen_file(&top, name, &file).unwrap_err().is_not_found());
    let error = effects
        .remove_seen_directory(&top, Path::new("inner"), &seen_top)
        .unwrap_err();
    assert!(matches!(error, EffectError::Changed(_)), "{error}");
    effects.remove_seen_directory(&top, Path::new("inner"), &inner).unwrap();
    effects.remove_seen_directory(&top, Path::new(""), &seen_top).unwrap();
    assert!(!top.exists());

    // A link is removed as one.
    std::os::unix::fs::symlink(directory.path(), &top).unwrap();
    effects.remove_seen_file(&top, Path::new(""), &at(&top)).unwrap();
    assert!(!top.is_symlink() && directory.path().exists());
}

#[test]
fn a_file_of_our_own_is_no_link() {
    let directory = tempfile::tempdir().unwrap();
    let (file, link) = (directory.path().join("file"), directory.path().join("link"));
    let effects = Effects::apply();
    effects.append_to_own(&file, b"one\n", Durability::Synced).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    effects.append_to_own(&link, b"two\n", Durability::Synced).unwrap_err();
    effects.append(&link, b"three\n", Durability::Synced).unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"one\nthree\n");
}

#[test]
fn faults_can_come_in_any_pattern() {
    let directory = tempfile::tempdir().unwrap();
    let effects = Effects::faulty(FaultPlan::asking(|step| match step.number {
        2 => Some(Fault::Error(rustix::io::Errno::DQUOT.raw_os_error())),
        _ if step.path.ends_with("forbidden") => Some(Fault::Stop),
        _ => None,
    }));
    let path = |name| directory.path().join(name);
    effects.create_file(&path("one"), b"1").unwrap_err();
    effects.create_file(&path("two"), b"2").unwrap();
    let error = effects.create_file(&path("forbidden"), b"3").unwrap_err();
    assert!(matches!(error, EffectError::Stopped), "{error}");
    let error = effects.create_file(&path("four"), b"4").unwrap_err();
    assert!(matches!(error, EffectError::Stopped), "it lasts: {error}");
}
