//! `sexton mark`

use serde_json::json;
use sexton_testkit::{LiveProcess, RegistryRecord, TestEnv, Transcript, session_id};

use crate::support::{events, listed, sexton};

#[test]
fn a_mark_is_set_shown_and_cleared() {
    let env = TestEnv::new();
    let id = session_id(1);
    Transcript::new(&id).conversation("a", "b").write(&env.config_dir());
    for word in ["on-hold", "blocked", "done"] {
        let run = sexton(&env, &["mark", "00000001", word, "--note", "a note"]);
        run.assert_clean();
        assert!(run.stdout.contains(&id) && run.stdout.contains(word), "{}", run.stdout);
        let session = &listed(&env, &["--all"])[0];
        assert_eq!(
            (&session["state"], &session["mark"]["note"]),
            (&json!(word), &json!("a note"))
        );
    }
    sexton(&env, &["mark", "00000001", "clear"]).assert_clean();
    assert_eq!(listed(&env, &["--all"])[0]["state"], "exited");
    let last = events(&env, &id).pop().unwrap();
    assert_eq!(
        (&last["kind"], &last["source"], &last["state"], &last["note"]),
        (&json!("mark"), &json!("user"), &json!(null), &json!(null))
    );
}

#[test]
fn a_mark_waits_behind_a_live_process() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    RegistryRecord::of(&process, &session_id(1)).write(&env.config_dir());
    sexton(&env, &["mark", "00000001", "done"]).assert_clean();
    let session = &listed(&env, &[])[0];
    assert_eq!(
        (&session["state"], &session["mark"]["state"]),
        (&json!("idle"), &json!("done"))
    );
}

#[test]
fn an_unknown_mark_is_a_usage_error_that_names_the_known_ones() {
    let env = TestEnv::new();
    let run = sexton(&env, &["mark", "00000001", "sleeping"]);
    run.assert_code(2);
    assert!(
        run.stderr.contains("on-hold") && run.stderr.contains("clear"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_empty_note_is_none() {
    let env = TestEnv::new();
    let id = session_id(1);
    Transcript::new(&id).conversation("a", "b").write(&env.config_dir());
    sexton(&env, &["mark", &id, "done", "--note", ""]).assert_clean();
    assert_eq!(events(&env, &id)[0]["note"], json!(null));
}
