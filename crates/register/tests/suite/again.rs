//! Loading a store by what an earlier load kept: the same as reading it, whatever happened in between.

use std::fs::{self, File, FileTimes};

use proptest::prelude::*;
use sexton_register::{Loaded, load_all_again, load_all_tolerant};

use crate::arrange::{Store, ended, lines, session, started};

/// Long after every file was written.
const LATER_MS: i64 = 99_999_999_999_999;

/// Something that happens to a store between two loads. Each changes a file's size or its inode, so that no clock is needed to see it.
#[derive(Debug, Clone)]
enum Edit {
    Append(u128),
    Torn(u128),
    Damage(u128),
    Remove(u128),
    Replace(u128),
    Link(u128, u128),
    Directory(u128),
    Foreign(u128),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let number = || 1_u128..60;
    let edit = prop_oneof![
        4 => number().prop_map(Edit::Append),
        1 => number().prop_map(Edit::Torn),
        1 => number().prop_map(Edit::Damage),
        1 => number().prop_map(Edit::Remove),
        1 => number().prop_map(Edit::Replace),
        1 => (number(), number()).prop_map(|(link, target)| Edit::Link(link, target)),
        1 => number().prop_map(Edit::Directory),
        1 => number().prop_map(Edit::Foreign),
    ];
    prop::collection::vec(edit, 0..40)
}

fn perform(store: &Store, edit: &Edit, step: usize) {
    let at = format!("2026-01-01T00:{:02}:{:02}Z", step / 60, step % 60);
    let append = |number: u128, text: &str| {
        let before = fs::read(store.file(number)).unwrap_or_default();
        // What is no file stays as it is.
        let _ = fs::write(store.file(number), [&before, text.as_bytes()].concat());
    };
    match edit {
        Edit::Append(number) => append(*number, &lines(&[started(*number, &at), ended(*number, &at, "exited")])),
        Edit::Torn(number) => append(*number, "{\"format_version\":1,"),
        Edit::Damage(number) => append(*number, "damage\n"),
        Edit::Remove(number) => drop(fs::remove_file(store.file(*number))),
        Edit::Replace(number) => {
            let new = store.path().join("new");
            fs::write(&new, lines(&[started(*number, &at)])).unwrap();
            let _ = fs::rename(new, store.file(*number));
        }
        Edit::Link(link, target) => drop(std::os::unix::fs::symlink(store.file(*target), store.file(*link))),
        Edit::Directory(number) => drop(fs::create_dir(store.file(*number))),
        Edit::Foreign(number) => fs::write(store.path().join(format!("{number}.jsonl")), "").unwrap(),
    }
}

/// Everything a load tells, problems in words.
fn told(loaded: &Loaded) -> String {
    let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    format!("{:?}\n{:?}\n{problems:?}", loaded.sessions, loaded.damaged)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_load_by_what_was_kept_tells_what_a_whole_one_tells(rounds in prop::collection::vec(edits(), 1..4), cut in 0_usize..20_000) {
        let store = Store::new();
        for number in 1..40 {
            store.put(number, lines(&[started(number, "2025-12-31T00:00:00Z")]));
        }
        let mut kept = Vec::new();
        for (round, edits) in rounds.iter().enumerate() {
            for (step, edit) in edits.iter().enumerate() {
                perform(&store, edit, round * 100 + step);
            }
            let expected = told(&load_all_tolerant(store.path()).unwrap());
            let again = load_all_again(store.path(), kept.clone(), LATER_MS).unwrap();
            prop_assert_eq!(told(&again.loaded), expected.clone());
            let damaged = &kept[..cut.min(kept.len())];
            prop_assert_eq!(told(&load_all_again(store.path(), damaged.to_vec(), LATER_MS).unwrap().loaded), expected);
            kept = again.keep.unwrap_or(kept);
        }
        prop_assert!(!kept.is_empty());
    }
}

#[test]
fn what_did_not_change_is_recalled_and_a_change_of_mode_is_a_change() {
    use std::os::unix::fs::PermissionsExt;

    let store = Store::new();
    for number in 1..=20 {
        store.put(number, lines(&[started(number, "2026-01-01T00:00:00Z")]));
    }
    let first = load_all_again(store.path(), Vec::new(), LATER_MS).unwrap();
    let kept = first.keep.unwrap();
    let second = load_all_again(store.path(), kept.clone(), LATER_MS).unwrap();
    assert_eq!(told(&second.loaded), told(&first.loaded));
    assert!(second.keep.is_none(), "nothing is new");

    // A file that may no longer be read says so, although its content is the same.
    let secret = fs::Permissions::from_mode(0o0);
    fs::set_permissions(store.file(3), secret).unwrap();
    let third = load_all_again(store.path(), kept.clone(), LATER_MS).unwrap();
    assert_eq!(told(&third.loaded), told(&load_all_tolerant(store.path()).unwrap()));
}

#[test]
fn a_file_rewritten_with_its_size_and_time_kept_is_read_again() {
    let store = Store::new();
    for number in 1..=20 {
        store.put(number, lines(&[started(number, "2026-01-01T00:00:00Z")]));
    }
    let path = store.file(7);
    let written = fs::metadata(&path).unwrap();
    let kept = load_all_again(store.path(), Vec::new(), LATER_MS)
        .unwrap()
        .keep
        .unwrap();
    // Until the clock by which files are stamped has moved on, which is why a file that was just written is not kept in earnest.
    while changed(&path) == stamp_of(&written) {
        fs::write(&path, lines(&[started(7, "2026-01-01T00:00:01Z")])).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_times(FileTimes::new().set_modified(written.modified().unwrap()))
            .unwrap();
    }
    assert_eq!(
        fs::metadata(&path).unwrap().modified().unwrap(),
        written.modified().unwrap()
    );
    let loaded = load_all_again(store.path(), kept.clone(), LATER_MS).unwrap().loaded;
    assert_eq!(
        loaded.sessions[&session(7)].last_at.as_ref().unwrap().as_str(),
        "2026-01-01T00:00:01Z"
    );
}

#[test]
fn what_was_written_a_moment_ago_is_not_kept() {
    let store = Store::new();
    for number in 1..=20 {
        store.put(number, lines(&[started(number, "2026-01-01T00:00:00Z")]));
    }
    let now = fs::metadata(store.file(1)).unwrap();
    let now_ms = stamp_of(&now).0 * 1000;
    assert!(load_all_again(store.path(), Vec::new(), now_ms).unwrap().keep.is_none());
}

#[test]
fn few_changes_in_a_large_store_are_read_and_not_kept_anew() {
    let store = Store::new();
    for number in 1..=40 {
        store.put(number, lines(&[started(number, "2026-01-01T00:00:00Z")]));
    }
    let kept = load_all_again(store.path(), Vec::new(), LATER_MS)
        .unwrap()
        .keep
        .unwrap();
    for number in 1..=15 {
        store.put(number, lines(&[started(number, "2026-01-01T00:00:00.5Z")]));
    }
    let again = load_all_again(store.path(), kept.clone(), LATER_MS).unwrap();
    assert!(again.keep.is_none());
    assert_eq!(told(&again.loaded), told(&load_all_tolerant(store.path()).unwrap()));
    store.put(16, lines(&[started(16, "2026-01-01T00:00:00.5Z")]));
    assert!(
        load_all_again(store.path(), kept.clone(), LATER_MS)
            .unwrap()
            .keep
            .is_some()
    );
}

fn stamp_of(metadata: &fs::Metadata) -> (i64, i64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.ctime(), metadata.ctime_nsec())
}

fn changed(path: &std::path::Path) -> (i64, i64) {
    stamp_of(&fs::metadata(path).unwrap())
}
