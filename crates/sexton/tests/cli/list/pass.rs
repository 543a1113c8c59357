//! What listing records in passing.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use sexton_testkit::register::{started, write};
use sexton_testkit::{LiveProcess, RegistryRecord, TestEnv, TreePicture, dead_pid, session_id};

use crate::support::{events, kinds, listed, now_ms, sexton, sexton_without_privileges};

const HOUR: i64 = 3_600_000;

#[test]
fn a_death_is_recorded_once() {
    let env = TestEnv::new();
    let id = session_id(1);
    write(&env.register_dir(), &id, &[started(&id, now_ms() - HOUR)]);
    sexton(&env, &["list"]).assert_clean();
    let event = &events(&env, &id)[1];
    assert_eq!(
        (
            &event["kind"],
            &event["source"],
            &event["outcome"],
            &event["reason"],
            &event["detail"]
        ),
        (
            &json!("ended"),
            &json!("sweep"),
            &json!("crashed"),
            &json!(null),
            &json!("no live process and no SessionEnd recorded")
        )
    );
    let after = TreePicture::of(&env.register_dir());
    sexton(&env, &["list"]).assert_clean();
    sexton(&env, &["sweep"]).assert_clean();
    after.assert_unchanged(&TreePicture::of(&env.register_dir()));
}

#[test]
fn a_name_is_recorded_once_and_outlives_the_process() {
    let env = TestEnv::new();
    let id = session_id(1);
    let process = LiveProcess::start();
    let record = RegistryRecord::of(&process, &id)
        .name("tab\t\"quoted\" 🌲 büro", "derived")
        .write(&env.config_dir());
    for _ in 0..3 {
        sexton(&env, &["list"]).assert_clean();
    }
    assert_eq!(kinds(&env, &id), ["named"]);
    assert_eq!(events(&env, &id)[0]["name"], "tab\t\"quoted\" 🌲 büro");
    drop(process);
    fs::remove_file(record).unwrap();
    assert_eq!(listed(&env, &["--all"])[0]["name"], "tab\t\"quoted\" 🌲 büro");
}

#[test]
fn read_only_writes_nothing() {
    let env = TestEnv::new();
    let id = session_id(1);
    let process = LiveProcess::start();
    write(&env.register_dir(), &id, &[started(&id, now_ms() - HOUR)]);
    RegistryRecord::of(&process, &session_id(2))
        .name("a name", "user")
        .write(&env.config_dir());
    let before = env.picture();
    for arguments in [
        &["list", "--read-only"][..],
        &["list", "--dry-run", "--all"],
        &["list", "-n", "--json"],
        &["show", &id],
        &["log", &id],
    ] {
        sexton(&env, arguments).assert_clean();
        before.assert_unchanged(&env.picture());
    }
}

#[test]
fn only_what_is_certain_is_recorded() {
    let env = TestEnv::new();
    let id = session_id(1);
    // Its registry can't be listed: nothing can be concluded about what runs there.
    env.write(&env.config_dir().join("sessions"), "not a directory");
    let began = started(&id, now_ms() - HOUR).text("config_dir", env.config_dir().to_str().unwrap());
    write(&env.register_dir(), &id, &[began]);
    let run = sexton(&env, &["list"]);
    run.assert_code(3);
    assert!(run.stderr.contains("sessions"), "{}", run.stderr);
    assert_eq!(kinds(&env, &id), ["started"]);
}

#[test]
fn a_record_that_is_being_written_is_no_death() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    let pid = process.pid();
    let id = session_id(1);
    let began = started(&id, now_ms() - HOUR).raw("pid", &pid.to_string());
    write(&env.register_dir(), &id, &[began]);
    let torn = RegistryRecord::of(&process, &id).text();
    env.write(
        &env.config_dir().join(format!("sessions/{pid}.json")),
        &torn[..torn.len() / 2],
    );
    sexton(&env, &["list"]).assert_clean();
    assert_eq!(kinds(&env, &id), ["started"]);
    // Once nobody has the pid, a torn record protects nobody.
    drop(process);
    sexton(&env, &["list"]).assert_clean();
    assert_eq!(kinds(&env, &id), ["started", "ended"]);
}

#[test]
fn a_damaged_file_is_not_written_to() {
    let env = TestEnv::new();
    let id = session_id(1);
    let path = write(&env.register_dir(), &id, &[started(&id, now_ms() - HOUR)]);
    let damaged = fs::read_to_string(&path).unwrap() + "not json\n";
    env.write(&path, &damaged);
    RegistryRecord::with_pid(dead_pid(), &id)
        .name("a name", "user")
        .write(&env.config_dir());
    sexton(&env, &["list"]).assert_code(3);
    assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
}

#[test]
fn a_store_that_cannot_be_written_is_a_warning() {
    let env = TestEnv::new();
    for number in 1..=30 {
        let id = session_id(number);
        write(&env.register_dir(), &id, &[started(&id, now_ms() - HOUR)]);
        fs::set_permissions(
            sexton_testkit::register::file(&env.register_dir(), &id),
            fs::Permissions::from_mode(0o400),
        )
        .unwrap();
    }
    fs::set_permissions(env.register_dir(), fs::Permissions::from_mode(0o500)).unwrap();
    let run = sexton_without_privileges(&env, &["list"]);
    run.assert_code(0);
    assert!(run.stderr.starts_with("warning: "), "{}", run.stderr);
    assert!(
        run.stderr.lines().count() <= 5,
        "thirty times the same is no news:\n{}",
        run.stderr
    );
    assert_eq!(run.stdout.matches("crashed").count(), 30);
    let json = sexton_without_privileges(&env, &["list", "--json"]);
    json.assert_code(0);
    assert!(json.stderr.starts_with("warning: "), "{}", json.stderr);
}

#[test]
fn modes_are_private() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    let id = session_id(1);
    RegistryRecord::of(&process, &id)
        .name("a name", "user")
        .write(&env.config_dir());
    sexton(&env, &["list"]).assert_clean();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&env.register_dir()), 0o700);
    assert_eq!(mode(&sexton_testkit::register::file(&env.register_dir(), &id)), 0o600);
}
