//! Reading a whole store, and its strict and its tolerant answer to damage.

use sexton_register::{LifecycleError, load_all, load_all_tolerant};

use crate::arrange::{Store, ended, lines, session, started};

#[test]
fn an_absent_directory_holds_nothing_and_a_file_is_none() {
    let store = Store::new();
    assert!(load_all(&store.path().join("absent")).unwrap().is_empty());
    let file = store.put(1, "");
    let error = load_all(&file).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("{}: cannot be read: ", file.display())),
        "{error}"
    );
}

#[test]
fn only_the_files_of_the_store_are_looked_at() {
    let store = Store::new();
    store.put(1, lines(&[started(1, "2026-01-01T00:00:00Z")]));
    store.put(2, "");
    std::fs::write(store.path().join("notes.txt"), "not ours").unwrap();
    std::fs::write(
        store.path().join("00000000-0000-0000-0000-000000000001.jsonl.before"),
        "damage",
    )
    .unwrap();
    std::fs::create_dir(store.path().join("directory")).unwrap();
    let loaded = load_all(store.path()).unwrap();
    assert_eq!(loaded.keys().copied().collect::<Vec<_>>(), [session(1), session(2)]);
    assert!(loaded[&session(1)].started.is_some());
    assert_eq!(loaded[&session(2)].last_at, None);
}

#[test]
fn one_damaged_file_never_hides_the_others() {
    let store = Store::new();
    let good = [
        started(1, "2026-01-01T00:00:00Z"),
        ended(1, "2026-01-01T00:00:01Z", "exited"),
    ];
    store.put(1, lines(&good));
    let torn = store.put(2, format!("{}{{\n[\n", lines(&[started(2, "2026-01-01T00:00:00Z")])));
    let directory = store.file(3);
    std::fs::create_dir(&directory).unwrap();
    store.put(4, lines(&[started(4, "2026-01-01T00:00:00Z")]));
    let foreign = store.path().join("0-notes.jsonl");
    std::fs::write(&foreign, "").unwrap();

    let loaded = load_all_tolerant(store.path()).unwrap();
    assert_eq!(
        loaded.sessions.keys().copied().collect::<Vec<_>>(),
        [session(1), session(4)]
    );
    assert_eq!(loaded.damaged.keys().copied().collect::<Vec<_>>(), [session(2)]);
    assert!(
        loaded.damaged[&session(2)].started.is_some(),
        "its good lines are still told"
    );
    let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    let begins = [
        format!("{}: file name is not a session id", foreign.display()),
        format!("{}:2: malformed JSON", torn.display()),
        format!("{}:3: malformed JSON", torn.display()),
        format!("{}: cannot be read: is a directory", directory.display()),
    ];
    assert_eq!(problems.len(), 4, "{problems:?}");
    // `0-notes.jsonl` sorts behind `00000000-…`.
    for begin in begins {
        assert!(
            problems.iter().any(|problem| problem.starts_with(&begin)),
            "{begin} in {problems:?}"
        );
    }

    let error = load_all(store.path()).unwrap_err();
    assert_eq!(error.to_string(), problems[0], "the strict form tells the first");
}

#[test]
fn a_stray_name_is_an_error_of_its_own_kind() {
    let store = Store::new();
    let upper = store.path().join("00000000-0000-0000-0000-00000000000A.jsonl");
    std::fs::write(&upper, "").unwrap();
    let error = load_all(store.path()).unwrap_err();
    assert!(
        matches!(&error, LifecycleError::ForeignFile { path } if *path == upper),
        "{error}"
    );
    let newline = store.path().join("00000000-0000-0000-0000-00000000000a\n.jsonl");
    std::fs::rename(&upper, &newline).unwrap();
    assert!(matches!(
        load_all(store.path()),
        Err(LifecycleError::ForeignFile { .. })
    ));
    std::fs::rename(&newline, store.path().join(".jsonl")).unwrap();
    assert!(matches!(
        load_all(store.path()),
        Err(LifecycleError::ForeignFile { .. })
    ));
}
