//! `sexton hook session-start`

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use sexton_sys::process::{observe, own_pid_domain};
use sexton_testkit::{LiveProcess, RegistryRecord, TestEnv, dead_pid, register, session_id};

use super::{hook, start_payload};
use crate::support::{events, kinds};

#[test]
fn the_line_as_it_is_written() {
    let env = TestEnv::new();
    let id = session_id(1);
    hook(&env, "session-start", start_payload(&id, "startup").build()).assert_clean();
    let path = register::file(&env.register_dir(), &id);
    let text = fs::read_to_string(&path).unwrap();
    let event: Value = serde_json::from_str(&text).unwrap();
    let stamp = |key: &str| event[key].as_str().unwrap().to_owned();
    let expected = format!(
        r#"{{"format_version":1,"id":"{}","at":"{}","session":"{id}","source":"hook","kind":"started","cwd":"/home/dev/sample","config_dir":"{}","profile":null,"claude_version":null,"model":"claude-opus-5-5","permissions":null,"entry":"startup","transcript":"/home/dev/t.jsonl","pid":null}}"#,
        stamp("id"),
        stamp("at"),
        env.config_dir().display(),
    );
    assert_eq!(text, expected + "\n");
    assert_eq!((stamp("id").len(), stamp("at").len()), (48, 24));
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(env.register_dir()), mode(path)), (0o700, 0o600));
}

#[test]
fn each_way_in() {
    for source in ["startup", "resume", "clear", "fork"] {
        let env = TestEnv::new();
        let id = session_id(1);
        hook(&env, "session-start", start_payload(&id, source).build()).assert_clean();
        assert_eq!(events(&env, &id)[0]["entry"], source);
    }
}

#[test]
fn a_compaction_is_no_beginning_and_leaves_no_trace() {
    let env = TestEnv::new();
    let before = env.picture();
    hook(&env, "session-start", start_payload(&session_id(1), "compact").build()).assert_clean();
    before.assert_unchanged(&env.picture());
}

#[test]
fn what_the_launcher_says_comes_first() {
    let mut env = TestEnv::new();
    let id = session_id(1);
    let process = LiveProcess::start();
    let config = env.root().join("config");
    RegistryRecord::of(&process, &id).version("2.0.1").write(&config);
    env.set("CLAUDE_CONFIG_DIR", &config);
    hook(&env, "session-start", start_payload(&id, "startup").build()).assert_clean();
    env.set("CLAUDEWHEEL_LAUNCH_PROFILE", "work")
        .set("CLAUDEWHEEL_LAUNCH_VERSION", "2.9.9")
        .set("CLAUDEWHEEL_LAUNCH_MODEL", "opus")
        .set("CLAUDEWHEEL_LAUNCH_PERMISSIONS", "plan");
    hook(&env, "session-start", start_payload(&id, "resume").build()).assert_clean();
    for name in ["PROFILE", "VERSION", "MODEL", "PERMISSIONS"] {
        env.set(&format!("CLAUDEWHEEL_LAUNCH_{name}"), "");
    }
    hook(
        &env,
        "session-start",
        start_payload(&id, "resume").text("model", "").build(),
    )
    .assert_clean();
    let seen: Vec<Value> = events(&env, &id)
        .into_iter()
        .map(|event| {
            json!([
                event["profile"],
                event["claude_version"],
                event["model"],
                event["permissions"],
                event["config_dir"],
                event["pid"]
            ])
        })
        .collect();
    assert_eq!(
        seen[..2],
        [
            json!([null, "2.0.1", "claude-opus-5-5", null, config, process.pid()]),
            json!(["work", "2.9.9", "opus", "plan", config, process.pid()]),
        ]
    );
}

#[test]
fn an_empty_string_is_null() {
    let mut env = TestEnv::new();
    let id = session_id(1);
    for name in ["PROFILE", "VERSION", "MODEL", "PERMISSIONS"] {
        env.set(&format!("CLAUDEWHEEL_LAUNCH_{name}"), "");
    }
    let payload = format!(r#"{{"session_id":"{id}","transcript_path":"","cwd":"/w","source":"startup","model":""}}"#);
    hook(&env, "session-start", payload).assert_clean();
    let event = &events(&env, &id)[0];
    for key in ["profile", "claude_version", "model", "permissions", "transcript"] {
        assert_eq!(event[key], Value::Null, "{key}");
    }
}

#[test]
fn the_registers_place() {
    let mut env = TestEnv::new();
    let id = session_id(1);
    let directory = |name: &str| env.root().join(name);
    let places = [
        ("HOME", env.home(), env.register_dir()),
        (
            "CLAUDEWHEEL_CONFIG_DIR",
            directory("wheel"),
            directory("wheel/shared/lifecycle"),
        ),
        (
            "CLAUDEWHEEL_LIFECYCLE_DIR",
            directory("lifecycle"),
            directory("lifecycle"),
        ),
        ("SEXTON_REGISTER_DIR", directory("register"), directory("register")),
    ];
    // Each outranks the ones before it.
    for (variable, value, place) in places {
        env.set(variable, value);
        hook(&env, "session-start", start_payload(&id, "startup").build()).assert_clean();
        let text = fs::read_to_string(register::file(&place, &id)).unwrap();
        assert_eq!(text.lines().count(), 1, "{variable}");
    }
}

#[test]
fn names_survive_byte_for_byte() {
    for name in [
        "tab\tnewline\nreturn\r quote\" back\\slash 'single'",
        "🌲 日本語 büro \u{7f}\u{1b}[31m\u{202e}",
        " leading and trailing ",
        "\u{fffd}",
    ] {
        let env = TestEnv::new();
        let id = session_id(1);
        let process = LiveProcess::start();
        RegistryRecord::of(&process, &id)
            .name(name, "user")
            .write(&env.config_dir());
        hook(&env, "session-start", start_payload(&id, "startup").build()).assert_clean();
        assert_eq!(kinds(&env, &id), ["started", "named"]);
        let event = &events(&env, &id)[1];
        assert_eq!((&event["name"], &event["name_source"]), (&json!(name), &json!("user")));
        let text = fs::read_to_string(register::file(&env.register_dir(), &id)).unwrap();
        assert!(text.is_ascii());
    }
}

#[test]
fn the_caller_is_found_among_the_ancestors() {
    // The hook's parent is this test; its record stands for the client's.
    let own = std::process::id();
    let ticks = observe(own).stat.unwrap().start_ticks;
    let record = |id: &str| {
        let record = RegistryRecord::with_pid(own, id)
            .proc_start(&ticks)
            .name("the caller", "user");
        match own_pid_domain() {
            Some(domain) => record.pid_domain(&domain.to_string()),
            None => record,
        }
    };
    let id = session_id(1);

    let env = TestEnv::new();
    record(&id).write(&env.config_dir());
    hook(&env, "session-start", start_payload(&id, "startup").build()).assert_clean();
    assert_eq!(events(&env, &id)[0]["pid"], own);
    assert_eq!(kinds(&env, &id), ["started", "named"]);

    // After `/clear` the record still shows the old id: the pid is right, the name is the other session's.
    let env = TestEnv::new();
    record(&session_id(9)).write(&env.config_dir());
    hook(&env, "session-start", start_payload(&id, "clear").build()).assert_clean();
    assert_eq!(events(&env, &id)[0]["pid"], own);
    assert_eq!(kinds(&env, &id), ["started"]);
}

#[test]
fn the_caller_is_found_by_its_variable_or_by_the_id() {
    let id = session_id(1);
    let (client, other) = (LiveProcess::start(), LiveProcess::start());

    let mut env = TestEnv::new();
    RegistryRecord::of(&client, &session_id(9)).write(&env.config_dir());
    RegistryRecord::of(&other, &session_id(8)).write(&env.config_dir());
    env.set("CLAUDE_PID", client.pid().to_string());
    hook(&env, "session-start", start_payload(&id, "startup").build()).assert_clean();
    assert_eq!(events(&env, &id)[0]["pid"], client.pid());

    let mut env = TestEnv::new();
    RegistryRecord::of(&client, &id).write(&env.config_dir());
    RegistryRecord::of(&other, &session_id(8)).write(&env.config_dir());
    for nonsense in ["", "x", "-1", "99999999999"] {
        env.set("CLAUDE_PID", nonsense);
        hook(&env, "session-start", start_payload(&id, "startup").build()).assert_clean();
        assert_eq!(events(&env, &id).pop().unwrap()["pid"], client.pid());
    }

    // An earlier run of the session that was killed left its record: it is not the caller.
    let env = TestEnv::new();
    RegistryRecord::with_pid(dead_pid(), &id).write(&env.config_dir());
    hook(&env, "session-start", start_payload(&id, "resume").build()).assert_clean();
    assert_eq!(events(&env, &id)[0]["pid"], Value::Null);
}

#[test]
fn a_torn_last_line_is_left_behind() {
    let env = TestEnv::new();
    let id = session_id(1);
    let path = register::file(&env.register_dir(), &id);
    env.write(&path, "{\"format_version\":1,\"id\":\"a");
    hook(&env, "session-start", start_payload(&id, "startup").build()).assert_clean();
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "{\"format_version\":1,\"id\":\"a");
    assert!(lines[1].contains("\"started\""), "{text}");
}
