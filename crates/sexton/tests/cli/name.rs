//! `sexton name`

use serde_json::json;
use sexton_testkit::{LiveProcess, RegistryRecord, TestEnv, Transcript, session_id};

use crate::support::{events, listed, sexton};

fn machine() -> (TestEnv, String) {
    let env = TestEnv::new();
    let id = session_id(1);
    Transcript::new(&id).conversation("a", "b").write(&env.config_dir());
    (env, id)
}

#[test]
fn a_name_is_recorded_as_a_persons() {
    let (env, id) = machine();
    let run = sexton(&env, &["name", &id, "büro \"1\" 🌲"]);
    run.assert_clean();
    let event = &events(&env, &id)[0];
    assert_eq!(
        (&event["name"], &event["source"], &event["name_source"]),
        (&json!("büro \"1\" 🌲"), &json!("user"), &json!("user"))
    );
    assert_eq!(listed(&env, &["--all"])[0]["name"], "büro \"1\" 🌲");
}

#[test]
fn the_same_name_again_is_no_news() {
    let (env, id) = machine();
    sexton(&env, &["name", &id, "parser"]).assert_clean();
    let before = env.picture();
    let run = sexton(&env, &["name", "parser", "parser"]);
    run.assert_clean();
    assert!(run.stdout.contains("already"), "{}", run.stdout);
    before.assert_unchanged(&env.picture());
    // A dry run says the same.
    let run = sexton(&env, &["name", "parser", "parser", "--dry-run"]);
    assert_eq!(run.stdout, "nothing to do\n");
}

#[test]
fn an_empty_name_is_refused() {
    let (env, id) = machine();
    for empty in ["", "  ", "\t\n"] {
        let run = sexton(&env, &["name", &id, empty]);
        run.assert_code(2);
        assert!(run.stderr.contains("empty name"), "{}", run.stderr);
    }
    assert_eq!(events(&env, &id).len(), 0);
}

#[test]
fn a_name_that_the_client_outranks_is_told() {
    for (given_by, is_outranked) in [("user", true), ("derived", false)] {
        let (env, id) = machine();
        let process = LiveProcess::start();
        RegistryRecord::of(&process, &id)
            .name("old", given_by)
            .write(&env.config_dir());
        let run = sexton(&env, &["name", &id, "new"]);
        run.assert_code(0);
        assert_eq!(
            run.stderr.contains("the client calls it `old`"),
            is_outranked,
            "{run:#?}"
        );
        let shown = if is_outranked { "old" } else { "new" };
        assert_eq!(listed(&env, &["--all"])[0]["name"], shown);
    }
}
