//! What a hook does with what it can't use: one line, exit 1, nothing created.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use sexton_testkit::register::{started, write};
use sexton_testkit::{Run, TestEnv, session_id};

use super::{end_payload, hook, start_payload};
use crate::support::{SEXTON, kinds, now_ms, sexton_without_privileges};

#[track_caller]
fn assert_one_line(run: &Run) {
    run.assert_code(1);
    assert!(run.stderr.starts_with("sexton: "), "{:?}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{:?}", run.stderr);
    assert!(run.stderr.len() < 1000, "{}", run.stderr.len());
}

#[test]
fn payloads_that_cannot_be_used() {
    let env = TestEnv::new();
    let before = env.picture();
    let id = session_id(1);
    let good = start_payload(&id, "startup").build();
    let bad = [
        String::new(),
        "not json".to_owned(),
        "[]".to_owned(),
        "null".to_owned(),
        "{}".to_owned(),
        good[..good.len() - 1].to_owned(),
        good.replace(&id, "../../../../etc/passwd"),
        good.replace(&id, &id.to_uppercase().replace('0', "A")),
        good.replace(&id, &format!("{id}\\n")),
        good.replace(&format!("\"{id}\""), "7"),
        good.replace("startup", "teleport"),
        good.replace("startup", "Startup"),
        good.replace("\"startup\"", "null"),
        good.replace("\"source\"", "\"sauce\""),
        good.replace("/home/dev/sample", ""),
        good.replace("\"cwd\"", "\"dwc\""),
        good.replace("startup", "new\\nline \\u001b[31m"),
    ];
    for payload in bad {
        assert_one_line(&hook(&env, "session-start", &payload));
        before.assert_unchanged(&env.picture());
    }
    for payload in ["", "x", "{}", "{\"session_id\":\"x\"}"] {
        assert_one_line(&hook(&env, "session-end", payload));
        before.assert_unchanged(&env.picture());
    }
    assert_one_line(&hook(&env, "session-end", b"\xff\xfe\x00"));
    before.assert_unchanged(&env.picture());
}

#[test]
fn a_hundred_megabytes_are_not_swallowed() {
    let env = TestEnv::new();
    let before = env.picture();
    let mut payload = start_payload(&session_id(1), "startup").build();
    payload.truncate(payload.len() - 1);
    payload.push_str(",\"pad\":\"");
    payload.push_str(&"x".repeat(100 << 20));
    payload.push_str("\"}");
    assert_one_line(&hook(&env, "session-start", payload));
    before.assert_unchanged(&env.picture());
}

#[test]
fn events_that_are_none() {
    let env = TestEnv::new();
    let before = env.picture();
    for arguments in [
        &["hook"][..],
        &["hook", "stop"],
        &["hook", "--help"],
        &["hook", ""],
        &["hook", "session_start"],
    ] {
        let run = env.run(SEXTON, arguments);
        assert_one_line(&run);
        assert_eq!(run.stdout, "");
    }
    before.assert_unchanged(&env.picture());
}

#[test]
fn what_follows_the_value_is_not_read() {
    let env = TestEnv::new();
    let id = session_id(1);
    let payload = start_payload(&id, "startup").build() + "\ntrailing {{{ junk \u{0}";
    hook(&env, "session-start", payload).assert_clean();
    assert_eq!(kinds(&env, &id), ["started"]);
}

#[test]
fn a_stdin_that_stays_open_is_no_wait() {
    let env = TestEnv::new();
    let id = session_id(1);
    let (status, stderr) = run_with_open_stdin(&env, start_payload(&id, "startup").build().as_bytes());
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    assert_eq!(kinds(&env, &id), ["started"]);
}

#[test]
fn patience_ends() {
    let env = TestEnv::new();
    let before = env.picture();
    for beginning in [&b""[..], b"{\"session_id\":"] {
        let (status, stderr) = run_with_open_stdin(&env, beginning);
        assert_eq!(status, Some(1));
        assert!(stderr.starts_with("sexton: "), "{stderr}");
        before.assert_unchanged(&env.picture());
    }
}

/// Runs `session-start` with `input` on a pipe that stays open until the hook has ended.
fn run_with_open_stdin(env: &TestEnv, input: &[u8]) -> (Option<i32>, String) {
    let mut child = env
        .command(SEXTON)
        .args(["hook", "session-start"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input).unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    let status = child.wait().unwrap();
    drop(stdin);
    (status.code(), stderr)
}

#[test]
fn nothing_says_where_home_is() {
    let mut env = TestEnv::new();
    env.unset("HOME");
    let before = env.picture();
    assert_one_line(&hook(
        &env,
        "session-start",
        start_payload(&session_id(1), "startup").build(),
    ));
    assert_one_line(&hook(
        &env,
        "session-end",
        end_payload(&session_id(1), "/t", "other").build(),
    ));
    before.assert_unchanged(&env.picture());
    // Both directories named, it is not needed.
    let (config_dir, register_dir) = (env.config_dir(), env.register_dir());
    env.set("CLAUDE_CONFIG_DIR", config_dir)
        .set("SEXTON_REGISTER_DIR", register_dir);
    hook(&env, "session-start", start_payload(&session_id(1), "startup").build()).assert_clean();
    assert_eq!(kinds(&env, &session_id(1)), ["started"]);
}

#[test]
fn a_register_that_is_a_file_or_closed() {
    let env = TestEnv::new();
    env.write(&env.register_dir(), "");
    let before = env.picture();
    assert_one_line(&hook(
        &env,
        "session-start",
        start_payload(&session_id(1), "startup").build(),
    ));
    before.assert_unchanged(&env.picture());

    let env = TestEnv::new();
    let id = session_id(1);
    let path = write(&env.register_dir(), &id, &[started(&id, now_ms())]);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    // The hook reads from a file this time: a process of nobody's gets no pipe of ours.
    let run = sexton_without_privileges(&env, &["register", "name", &id, "x"]);
    run.assert_code(1);
    assert_eq!(kinds(&env, &id), ["started"]);
}
