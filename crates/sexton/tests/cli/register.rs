//! `sexton register …`, the plumbing for other programs.

use std::fs;

use serde_json::{Value, json};
use sexton_testkit::register::{ended, file, mark, named, started, write};
use sexton_testkit::{LiveProcess, NOW_MS, NOWHERE, RegistryRecord, Run, TestEnv, TreePicture, session_id};

use crate::support::{SEXTON, now_ms, sexton};

#[track_caller]
fn append(env: &TestEnv, event: &str) -> Run {
    env.run_with_input(SEXTON, ["register", "append"], event)
}

#[test]
fn append_stamps_prints_and_writes_one_line() {
    let env = TestEnv::new();
    let id = session_id(1);
    let event =
        format!(r#"{{"session":"{id}","source":"user","kind":"mark","state":"done","note":"büro","id":"","at":""}}"#);
    let run = append(&env, &event);
    run.assert_clean();
    let text = fs::read_to_string(file(&env.register_dir(), &id)).unwrap();
    assert_eq!(run.stdout, text);
    assert!(text.contains(r#""note":"b\u00fcro""#), "{text}");
    let line = mark(&id, NOW_MS, Some("blocked")).line();
    let run = append(&env, &line);
    assert_eq!(run.stdout, line + "\n", "what is stamped already is kept");
}

#[test]
fn an_event_that_is_wrong_creates_nothing() {
    let env = TestEnv::new();
    let before = env.picture();
    let good = mark(&session_id(1), NOW_MS, Some("done"));
    for (event, named) in [
        (String::new(), "JSON"),
        ("[]".to_owned(), "object"),
        (good.clone().without("note").line(), "note"),
        (good.clone().raw("surplus", "1").line(), "surplus"),
        (good.clone().text("state", "sleeping").line(), "sleeping"),
        (good.clone().text("kind", "dreamt").line(), "dreamt"),
        (good.clone().text("session", "../../x").line(), "session"),
        (good.clone().raw("format_version", "2").line(), "format_version"),
        (good.clone().text("at", "yesterday").line(), "at"),
        (good.line().replacen("\"note\"", "\"note\":null,\"note\"", 1), "note"),
        (good.line() + "\n" + &good.line(), ""),
    ] {
        let run = append(&env, &event);
        run.assert_code(1);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains(named), "`{named}`: {}", run.stderr);
        before.assert_unchanged(&env.picture());
    }
}

#[test]
fn read_and_summary_of_any_file() {
    let env = TestEnv::new();
    let id = session_id(1);
    let lines = [
        started(&id, NOW_MS),
        named(&id, NOW_MS + 1, "a"),
        ended(&id, NOW_MS + 2, "exited"),
    ];
    let path = write(&env.register_dir(), &id, &lines);
    let text = fs::read_to_string(&path).unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(sexton(&env, &["register", "read", path]).stdout, text);
    let summary: Value = serde_json::from_str(&sexton(&env, &["register", "summary", path]).stdout).unwrap();
    let keys: Vec<&String> = summary.as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 7, "{keys:?}");
    assert_eq!(summary["session"], json!(id));
    assert_eq!(summary["name"]["name"], "a");
    assert_eq!(summary["mark"], Value::Null);
    assert_eq!(summary["last_at"], json!(sexton_testkit::iso(NOW_MS + 2)));

    let absent = sexton(&env, &["register", "read", &format!("{NOWHERE}/x.jsonl")]);
    absent.assert_clean();
    assert_eq!(absent.stdout, "");
    let absent = sexton(&env, &["register", "summary", &format!("{NOWHERE}/any name")]);
    absent.assert_clean();
    assert!(
        absent.stdout.starts_with(r#"{"session":"any name","started":null"#),
        "{}",
        absent.stdout
    );

    env.write(path.as_ref(), text + "junk\n");
    let run = sexton(&env, &["register", "read", path]);
    run.assert_code(1);
    assert!(run.stderr.contains(&format!("{path}:4: ")), "{}", run.stderr);
}

#[test]
fn load_is_strict_or_tolerant() {
    let env = TestEnv::new();
    let empty = sexton(&env, &["register", "load", "--strict"]);
    empty.assert_clean();
    assert_eq!(empty.stdout, "");
    for number in [2, 1] {
        let id = session_id(number);
        write(&env.register_dir(), &id, &[started(&id, NOW_MS)]);
    }
    let strict = sexton(&env, &["register", "load", "--strict"]);
    strict.assert_clean();
    let sessions: Vec<Value> = strict
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        [&sessions[0]["session"], &sessions[1]["session"]],
        [&json!(session_id(1)), &json!(session_id(2))]
    );

    env.write(&file(&env.register_dir(), &session_id(3)), "junk\n");
    env.write(&env.register_dir().join("notes.jsonl"), "");
    let strict = sexton(&env, &["register", "load", "--strict"]);
    strict.assert_code(1);
    assert_eq!(strict.stdout, "");
    let tolerant = sexton(&env, &["register", "load"]);
    tolerant.assert_code(3);
    assert_eq!(tolerant.stdout.lines().count(), 2);
    assert_eq!(
        tolerant.stderr.lines().count(),
        2,
        "each problem is named:\n{}",
        tolerant.stderr
    );
}

#[test]
fn name_is_only_recorded_when_it_is_news() {
    let env = TestEnv::new();
    let id = session_id(1);
    let name = |arguments: &[&str]| sexton(&env, &[&["register", "name", &id], arguments].concat());
    assert_eq!(name(&[""]).assert_clean().stdout, "");
    let run = name(&["-a name", "--name-source", "derived"]);
    run.assert_clean();
    let event: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        json!([event["name"], event["name_source"], event["source"]]),
        json!(["-a name", "derived", "sweep"])
    );
    assert_eq!(name(&["-a name", "--name-source", "derived"]).stdout, "");
    assert_ne!(name(&["-a name"]).stdout, "", "another source is news");
    sexton(&env, &["register", "name", "not-a-uuid", "x"]).assert_code(2);
}

#[test]
fn states_by_their_rules() {
    let env = TestEnv::new();
    let id = session_id(1);
    let path = write(&env.register_dir(), &id, &[started(&id, NOW_MS)]);
    let (path, now) = (path.to_str().unwrap(), NOW_MS.to_string());
    let later = (NOW_MS + 60_001).to_string();
    for (flags, at, state) in [
        (&["--live", "--verified", "--status", "busy"][..], &now, "working"),
        (&["--live", "--verified"], &now, "running"),
        (&["--live"], &now, "unverified"),
        (&["--registry-present"], &now, "crashed"),
        (&[], &now, "starting"),
        (&[], &later, "crashed"),
    ] {
        let run = sexton(&env, &[&["register", "state", path, "--now-ms", at], flags].concat());
        run.assert_clean();
        assert_eq!(run.stdout, format!("{state}\n"));
    }
    let run = sexton(&env, &["register", "state", NOWHERE, "--now-ms", "-5"]);
    assert_eq!(run.stdout, "exited\n");
}

#[test]
fn repair_moves_damage_aside_and_keeps_everything() {
    let env = TestEnv::new();
    let id = session_id(1);
    let first = started(&id, now_ms() - 3_600_000).line();
    let last = ended(&id, now_ms() - 3_500_000, "exited").line();
    let path = file(&env.register_dir(), &id);
    // Spelled in another way, which is good and stays byte for byte.
    let spaced = last.replace("\":", "\": ");
    env.write(&path, format!("{first}\n{{\"torn\n\u{0}\u{0}\n{spaced}\n"));
    sexton(&env, &["list", "--read-only"]).assert_code(3);
    let run = sexton(&env, &["register", "repair", path.to_str().unwrap()]);
    run.assert_clean();
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{first}\n{spaced}\n"));
    assert!(
        run.stdout.contains("moved line 2") && run.stdout.contains("kept 2 good lines"),
        "{}",
        run.stdout
    );
    // What was moved lies in a file that readers pass over, as does the file as it was.
    let kept: Vec<String> = fs::read_dir(env.register_dir())
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert!(
        kept.iter()
            .any(|text| text.contains("{\"torn\n\u{0}\u{0}\n") && text.contains(&first)),
        "{kept:?}"
    );
    sexton(&env, &["list", "--all"]).assert_clean();
    let after = TreePicture::of(&env.register_dir());
    let again = sexton(&env, &["register", "repair", path.to_str().unwrap()]);
    again.assert_clean();
    assert!(again.stdout.contains("nothing to repair"), "{}", again.stdout);
    after.assert_unchanged(&TreePicture::of(&env.register_dir()));
}

#[test]
fn repair_refuses_while_the_session_lives() {
    let env = TestEnv::new();
    let id = session_id(1);
    let process = LiveProcess::start();
    RegistryRecord::of(&process, &id).write(&env.config_dir());
    let path = file(&env.register_dir(), &id);
    env.write(&path, "junk\n");
    let before = env.picture();
    let run = sexton(&env, &["register", "repair", path.to_str().unwrap()]);
    run.assert_code(1);
    assert!(run.stderr.contains("live"), "{}", run.stderr);
    before.assert_unchanged(&env.picture());
    drop(process);
    sexton(&env, &["register", "repair", path.to_str().unwrap()]).assert_clean();
}

#[test]
fn the_directory_that_is_named_is_used() {
    let env = TestEnv::new();
    let id = session_id(1);
    let elsewhere = env.root().join("elsewhere/register");
    let directory = format!("--register-dir={}", elsewhere.display());
    let event = mark(&id, NOW_MS, None).line();
    env.run_with_input(SEXTON, ["register", "append", &directory], event)
        .assert_clean();
    assert!(file(&elsewhere, &id).exists() && !env.register_dir().exists());
    assert_eq!(
        sexton(&env, &["register", "load", &directory]).stdout.lines().count(),
        1
    );
}
