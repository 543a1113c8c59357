//! `sexton prune`

use serde_json::json;
use sexton_testkit::register::{ended, started, write};
use sexton_testkit::{LiveProcess, RegistryRecord, TestEnv, Zombie, dead_pid, session_id};

use crate::support::{events, kinds, listed, now_ms, registry_dir, sexton};

#[test]
fn what_only_the_record_knew_is_recorded_before_it_goes() {
    let env = TestEnv::new();
    let id = session_id(1);
    let (record, key) = RegistryRecord::with_pid(dead_pid(), &id)
        .name("parser", "user")
        .write_with_key(&env.config_dir());
    let run = sexton(&env, &["prune"]);
    run.assert_clean();
    assert!(run.stdout.contains(record.to_str().unwrap()), "{}", run.stdout);
    assert!(!record.exists() && !key.exists());
    assert_eq!(kinds(&env, &id), ["named", "ended"]);
    let session = &listed(&env, &["--all"])[0];
    assert_eq!(
        (&session["state"], &session["name"]),
        (&json!("crashed"), &json!("parser"))
    );
    let again = sexton(&env, &["prune"]);
    assert_eq!(again.stdout, "nothing to prune\n");
}

#[test]
fn an_end_that_is_known_is_not_recorded_again() {
    let env = TestEnv::new();
    let id = session_id(1);
    let at = now_ms() - 3_600_000;
    write(
        &env.register_dir(),
        &id,
        &[started(&id, at), ended(&id, at + 1, "exited")],
    );
    let record = RegistryRecord::with_pid(dead_pid(), &id).write(&env.config_dir());
    sexton(&env, &["prune"]).assert_clean();
    assert!(!record.exists());
    assert_eq!(events(&env, &id).len(), 2);
}

#[test]
fn what_lives_or_cannot_be_judged_or_read_stays() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    let zombie = Zombie::new();
    RegistryRecord::of(&process, &session_id(1)).write_with_key(&env.config_dir());
    RegistryRecord::with_pid(dead_pid(), &session_id(2))
        .on_another_machine()
        .write_with_key(&env.config_dir());
    let sessions = registry_dir(&env.config_dir());
    env.write(&sessions.join("4000001.json"), "{\"pid\":400");
    env.write(&sessions.join("notes.txt"), "mine");
    let stale = RegistryRecord::with_pid(zombie.pid(), &session_id(3))
        .proc_start(&zombie.start_ticks())
        .write(&env.config_dir());
    let before = sexton_testkit::TreePicture::of(&sessions);
    sexton(&env, &["prune"]).assert_clean();
    let difference = before
        .without_times()
        .difference(&sexton_testkit::TreePicture::of(&sessions).without_times());
    let gone: Vec<&str> = difference.lines().collect();
    assert_eq!(gone.len(), 1, "{difference}");
    assert!(
        gone[0].starts_with(&format!("- {}", stale.file_name().unwrap().to_str().unwrap())),
        "{difference}"
    );
}

#[test]
fn a_helper_that_died_leaves_no_crash() {
    let env = TestEnv::new();
    let id = session_id(1);
    let record = RegistryRecord::with_pid(dead_pid(), &id)
        .spare()
        .write(&env.config_dir());
    sexton(&env, &["prune"]).assert_clean();
    assert!(!record.exists());
    assert_eq!(events(&env, &id).len(), 0);
}
