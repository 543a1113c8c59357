//! Everything that is made is its owner's alone, whatever the umask.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sexton_testkit::{Object, Run, TestEnv, Transcript, session_id};

use crate::SEXTON;

#[test]
fn whatever_the_umask() {
    let env = TestEnv::new();
    let id = session_id(1);
    Transcript::new(&id)
        .conversation("mend the parser", "yes")
        .write(&env.config_dir());
    let before = entries(env.root());
    let payload = Object::new()
        .text("session_id", &id)
        .text("cwd", "/home/dev/sample")
        .text("transcript_path", "/t");
    let payload = payload
        .text("hook_event_name", "SessionStart")
        .text("source", "startup")
        .build();
    run(&env, &["hook", "session-start"], &payload).assert_clean();
    let other = "ffffffff-0000-4000-8000-000000000000";
    for arguments in [
        &["list"][..],
        &["mark", &id, "blocked"],
        &["name", &id, "a name"],
        &["search", "parser"],
        &["keep", "add", &id],
        &["routine", &id, "no"],
        &["tombstone", "add", other],
        &["tombstone", "lift", other],
        &["hooks", "install"],
        &["archive", &id],
        &["restore", &id],
        &["delete", &id, "--yes", "--yes-most"],
        &["undo"],
    ] {
        let run = run(&env, arguments, "");
        assert_eq!(run.code, Some(0), "{arguments:?}: {run:#?}");
    }
    let mut count = 0;
    for path in entries(env.root()).into_iter().filter(|path| !before.contains(path)) {
        let mode = path.symlink_metadata().unwrap().permissions().mode() & 0o7777;
        let allowed = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode & !allowed, 0, "`{}` has mode {mode:o}", path.display());
        count += 1;
    }
    assert!(count > 10, "hardly anything was made");
}

fn run(env: &TestEnv, arguments: &[&str], input: &str) -> Run {
    let without_mask = ["-c", "umask 0; exec \"$@\"", "sh", SEXTON];
    env.run_with_input("/bin/sh", [&without_mask, arguments].concat(), input)
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(entries(&entry.path()));
        }
        found.push(entry.path());
    }
    found
}
