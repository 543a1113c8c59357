//! What killed processes have left behind, as `sexton doctor` tells and removes it.

use std::fs;

use sexton_testkit::{TestEnv, Transcript, session_id};

use crate::doctor::{findings, healthy, mended};
use crate::support::{read, sexton};

#[test]
fn what_a_killed_process_was_writing_is_told_and_removed() {
    let env = healthy();
    sexton(&env, &["search", "anything"]).assert_code(1);
    let project = env.config_dir().join("projects/-home-dev-sample");
    let old = std::time::SystemTime::now() - std::time::Duration::from_hours(2);
    let planted = [env.config_dir(), env.cache_dir(), env.data_dir(), project].map(|directory| {
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join(".sexton-Ab3xYz.tmp");
        fs::write(&path, "half").unwrap();
        fs::File::open(&path).unwrap().set_modified(old).unwrap();
        path
    });
    // One that may still be written, and a link to something dear, are no such files.
    let young = env.config_dir().join(".sexton-young.tmp");
    fs::write(&young, "half").unwrap();
    let (dear, link) = (
        env.home().join(".sexton-dear.tmp"),
        env.config_dir().join(".sexton-link.tmp"),
    );
    fs::write(&dear, "dear").unwrap();
    fs::File::open(&dear).unwrap().set_modified(old).unwrap();
    std::os::unix::fs::symlink(&dear, &link).unwrap();
    // One whose writer has been stopped for long, and lives.
    let held = env.config_dir().join(".sexton-held.tmp");
    fs::write(&held, "half").unwrap();
    let writer = fs::File::open(&held).unwrap();
    writer.set_modified(old).unwrap();
    writer.lock().unwrap();

    let what = mended(&env, "leftovers");
    assert!(
        what.starts_with("4 files that a killed sexton was writing: /"),
        "{what}"
    );
    assert!(planted.iter().all(|path| !path.exists()), "{planted:?}");
    assert!(young.exists() && held.exists() && link.exists());
    assert_eq!(read(&dear), "dear");
}

/// A machine with a copy in the vault, and the name and the content of what it holds.
fn with_copy() -> (TestEnv, std::path::PathBuf, Vec<u8>) {
    let env = healthy();
    let transcript = Transcript::new(&session_id(1))
        .conversation("a", "b")
        .write(&env.config_dir());
    let hours_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(2);
    fs::File::open(&transcript).unwrap().set_modified(hours_ago).unwrap();
    sexton(&env, &["keep", "add", &session_id(1)]).assert_clean();
    let name = transcript.strip_prefix(env.config_dir()).unwrap().to_path_buf();
    (env, name, fs::read(&transcript).unwrap())
}

#[test]
fn what_a_killed_restore_had_extracted_is_told_and_removed() {
    let (env, name, content) = with_copy();
    let [abandoned, used] = [".restore-1", ".restore-2"].map(|name| env.data_dir().join(name));
    for directory in [&abandoned, &used] {
        env.write(&directory.join("copy").join(&name), &content[..10]);
        env.write(&directory.join("lock"), "");
    }
    let maker = fs::File::open(used.join("lock")).unwrap();
    maker.lock().unwrap();
    // A link to something dear is no such directory.
    env.write(&env.home().join("dear/file"), "dear");
    std::os::unix::fs::symlink(env.home().join("dear"), env.data_dir().join(".restore-3")).unwrap();

    let what = mended(&env, "leftovers");
    assert!(
        what.starts_with("1 extracted copy that a killed restore has left: /"),
        "{what}"
    );
    assert!(!abandoned.exists() && used.join("copy").join(&name).exists());
    assert_eq!(read(&env.home().join("dear/file")), "dear");
}

#[test]
fn what_an_older_sexton_had_extracted_is_removed_when_it_is_old_and_the_vault_has_it() {
    let (env, name, content) = with_copy();
    // It lies right in the directory, without a lock.
    let top = env.data_dir().join(".restore-a1B2c3");
    env.write(&top.join(&name), &content);
    let touch = |hours: u64| {
        let then = std::time::SystemTime::now() - std::time::Duration::from_hours(hours);
        fs::File::open(&top).unwrap().set_modified(then).unwrap();
    };
    // It may be at it right now.
    touch(0);
    assert_eq!(findings(&env, "leftovers", &["--fix"]), [] as [serde_json::Value; 0]);
    assert!(top.join(&name).exists());
    touch(2);
    assert!(mended(&env, "leftovers").starts_with("1 extracted copy"));
    assert!(!top.exists());
}

#[test]
fn what_is_in_no_copy_is_told_and_never_removed() {
    let (env, name, content) = with_copy();
    let grown = [&content, "{}\n".as_bytes()].concat();
    let other = name.with_file_name(format!("{}.jsonl", session_id(99)));
    for (top, name, content) in [(".restore-1/copy", &name, &grown), (".restore-2", &other, &content)] {
        let top = env.data_dir().join(top);
        env.write(&top.join(name), content);
        let then = std::time::SystemTime::now() - std::time::Duration::from_hours(2);
        fs::File::open(&top).unwrap().set_modified(then).unwrap();
        fs::File::open(env.data_dir().join(".restore-1"))
            .unwrap()
            .set_modified(then)
            .unwrap();
    }
    for arguments in [&[][..], &["--fix"], &["--fix"]] {
        let found = findings(&env, "leftovers", arguments);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert_eq!(
            (&found[0]["weight"], &found[0]["mended"]),
            (&"attention".into(), &false.into())
        );
        assert!(
            found[0]["what"].as_str().unwrap().starts_with("2 extracted copies"),
            "{found:#?}"
        );
    }
    fs::remove_file(env.config_dir().join(&name)).unwrap();
    sexton(&env, &["restore", &session_id(1)]).assert_code(0);
    assert_eq!(
        fs::read(env.data_dir().join(".restore-1/copy").join(&name)).unwrap(),
        grown
    );
    assert_eq!(
        fs::read(env.data_dir().join(".restore-2").join(&other)).unwrap(),
        content
    );
}
