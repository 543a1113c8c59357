//! Which name counts.

use sexton_testkit::{LiveProcess, RegistryRecord, TestEnv, session_id};

use crate::support::{events, kinds, listed, sexton};

#[test]
fn a_name_that_a_person_gave_here_is_kept() {
    let env = TestEnv::new();
    let id = session_id(1);
    let process = LiveProcess::start();
    let record = RegistryRecord::of(&process, &id);
    record.clone().name("made up", "derived").write(&env.config_dir());
    sexton(&env, &["name", &id, "mine"]).assert_clean();
    for _ in 0..2 {
        assert_eq!(listed(&env, &[])[0]["name"], "mine");
    }
    assert_eq!(kinds(&env, &id), ["named"]);
    // Until the person renames it in the client.
    record.name("mine, too", "user").write(&env.config_dir());
    for _ in 0..2 {
        assert_eq!(listed(&env, &[])[0]["name"], "mine, too");
    }
    assert_eq!(kinds(&env, &id), ["named", "named"]);
}

#[test]
fn two_processes_do_not_make_a_name_flap() {
    let env = TestEnv::new();
    let id = session_id(1);
    let (older, newer) = (LiveProcess::start(), LiveProcess::start());
    let started = sexton_testkit::NOW_MS;
    RegistryRecord::of(&older, &id)
        .name("older", "derived")
        .started_at(started - 2)
        .write(&env.config_dir());
    RegistryRecord::of(&newer, &id)
        .name("newer", "derived")
        .started_at(started - 1)
        .write(&env.config_dir());
    for _ in 0..3 {
        assert_eq!(listed(&env, &[])[0]["name"], "newer");
    }
    assert_eq!(events(&env, &id).len(), 1);
}

#[test]
fn an_empty_name_is_none() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    RegistryRecord::of(&process, &session_id(1))
        .name("", "derived")
        .write(&env.config_dir());
    assert_eq!(listed(&env, &[])[0]["name"], serde_json::Value::Null);
    assert_eq!(kinds(&env, &session_id(1)), [] as [&str; 0]);
}
