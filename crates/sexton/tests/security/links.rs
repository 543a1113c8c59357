//! A planted link makes nothing outside move, change, vanish or appear.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use sexton_testkit::{TestEnv, Transcript, TreePicture, session_id};

use crate::{SECRET, sexton};

/// A session, and a directory outside with a file in it.
fn arranged() -> (TestEnv, String, PathBuf) {
    let env = TestEnv::new();
    let id = session_id(1);
    Transcript::new(&id)
        .conversation("mend the parser", "yes")
        .write(&env.config_dir());
    let outside = env.root().join("outside");
    env.write(&outside.join("diary.txt"), SECRET);
    (env, id, outside)
}

fn transcript(env: &TestEnv, id: &str) -> PathBuf {
    Transcript::new(id).path(&env.config_dir())
}

/// Everything that can be done to a session, to its end.
fn do_everything(env: &TestEnv, id: &str) {
    for arguments in [
        &["archive", id][..],
        &["restore", id],
        &["delete", id, "--yes", "--yes-most"],
        &["undo"],
        &["keep", "add", id],
        &["search", "parser"],
        &["delete", id, "--purge", "--yes", "--yes-most"],
        &["restore", id, "--from", "vault"],
        &["trash", "empty", "--all", "--yes"],
        &["doctor", "--fix"],
    ] {
        let run = sexton(env, arguments);
        assert!(run.code.is_some(), "{arguments:?}: {run:#?}");
        assert!(
            !run.stdout.contains(SECRET) && !run.stderr.contains(SECRET),
            "{arguments:?}: {run:#?}"
        );
    }
}

#[test]
fn in_place_of_a_part_of_a_session() {
    for name in ["projects", "file-history", "tasks", "todos", "uploads"] {
        let (env, id, outside) = arranged();
        let at = match name {
            "projects" => transcript(&env, &id).with_extension(""),
            "todos" => env.config_dir().join(format!("todos/{id}-agent-{id}.json")),
            other => env.config_dir().join(other).join(&id),
        };
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(&outside, &at).unwrap();
        let before = TreePicture::of(&outside);
        do_everything(&env, &id);
        before.assert_unchanged(&TreePicture::of(&outside));
    }
}

#[test]
fn inside_a_part_of_a_session() {
    let (env, id, outside) = arranged();
    let directory = transcript(&env, &id).with_extension("").join("subagents");
    fs::create_dir_all(&directory).unwrap();
    symlink(&outside, directory.join("more")).unwrap();
    symlink(outside.join("diary.txt"), directory.join("notes.txt")).unwrap();
    symlink("../../../../../outside", directory.join("climbing")).unwrap();
    let before = TreePicture::of(&outside);
    do_everything(&env, &id);
    before.assert_unchanged(&TreePicture::of(&outside));
}

#[test]
fn in_place_of_a_transcript() {
    let (env, _, outside) = arranged();
    let id = session_id(2);
    symlink(outside.join("diary.txt"), transcript(&env, &id)).unwrap();
    let before = TreePicture::of(&outside);
    do_everything(&env, &id);
    before.assert_unchanged(&TreePicture::of(&outside));
    assert!(
        transcript(&env, &id).is_symlink(),
        "a link to a transcript is left alone"
    );
}

#[test]
fn a_second_name_of_a_file_outside_takes_nothing_from_the_first() {
    let (env, id, outside) = arranged();
    let directory = transcript(&env, &id).with_extension("");
    fs::create_dir_all(&directory).unwrap();
    fs::hard_link(outside.join("diary.txt"), directory.join("diary.txt")).unwrap();
    let before = TreePicture::of(&outside).without_times();
    for arguments in [
        &["archive", &id][..],
        &["restore", &id],
        &["delete", &id, "--purge", "--yes", "--yes-most"],
    ] {
        let run = sexton(&env, arguments);
        assert!(run.code.is_some(), "{run:#?}");
    }
    before.assert_unchanged(&TreePicture::of(&outside).without_times());
}

#[test]
fn in_place_of_what_is_about_to_be_made() {
    for name in [
        "home/.claude/archive/00000001-5e55-4000-8000-000000000001.jsonl",
        "home/.claude/archive/00000001-5e55-4000-8000-000000000001.sexton",
        "home/.local/share/sexton/trash",
        "home/.local/share/sexton/vault/00000001-5e55-4000-8000-000000000001",
        "home/.cache/sexton/catalogue.sqlite",
    ] {
        let (env, id, outside) = arranged();
        let at = env.root().join(name);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        let target = if at
            .extension()
            .is_some_and(|extension| extension == "jsonl" || extension == "sqlite")
        {
            outside.join("diary.txt")
        } else {
            outside.clone()
        };
        symlink(&target, &at).unwrap();
        do_everything(&env, &id);
        // A directory that someone has linked elsewhere is used there; what lay there stays.
        assert_eq!(fs::read_to_string(outside.join("diary.txt")).unwrap(), SECRET, "{name}");
    }
}

#[test]
fn ids_and_names_are_never_paths() {
    let (env, _, outside) = arranged();
    let before = TreePicture::of(&outside);
    for id in [
        "../../outside/diary",
        "/etc/passwd",
        "..",
        "00000001/../../outside",
        "*",
        "%2e%2e",
        "\n",
    ] {
        for arguments in [
            &["show", id][..],
            &["log", id],
            &["read", id],
            &["mark", id, "done"],
            &["name", id, "x"],
            &["archive", id],
            &["delete", id, "--yes", "--yes-most"],
            &["restore", id],
            &["keep", "add", id],
            &["keep", "drop", id],
            &["routine", id, "yes"],
        ] {
            let run = sexton(&env, arguments);
            assert!(matches!(run.code, Some(1..=3)), "{arguments:?}: {run:#?}");
            assert!(
                !run.stdout.contains(SECRET) && !run.stdout.contains("root:"),
                "{run:#?}"
            );
        }
    }
    before.assert_unchanged(&TreePicture::of(&outside));
    assert!(transcript(&env, &session_id(1)).exists());
}
