//! `sexton log`

use std::fs;

use sexton_testkit::register::{ended, mark, moved, named, started, write};
use sexton_testkit::{TestEnv, Transcript, iso, session_id};

use crate::support::{document, now_ms, sexton};

#[test]
fn events_in_the_order_of_the_file() {
    let env = TestEnv::new();
    let (id, at) = (session_id(1), now_ms() - 60_000);
    let events = [
        started(&id, at).raw("pid", "4711"),
        named(&id, at + 1_000, "parser"),
        moved(&id, at + 2_000, "/home/dev/new", "/t/old.jsonl", "/t/new.jsonl"),
        ended(&id, at + 3_000, "exited"),
        mark(&id, at + 4_000, Some("on-hold")).text("note", "after the release"),
        mark(&id, at + 5_000, None),
    ];
    write(&env.register_dir(), &id, &events);
    let run = sexton(&env, &["log", &id]);
    run.assert_clean();
    let lines: Vec<&str> = run.stdout.lines().collect();
    for (line, expected) in lines[1..].iter().zip([
        &["started", "hook", "startup in `/home/dev/sample`", "4711", &iso(at)][..],
        &["named", "sweep", "`parser`", "derived"],
        &["moved", "`/home/dev/new`"],
        &["ended", "exited", "prompt_input_exit"],
        &["mark", "user", "on-hold", "after the release"],
        &["mark", "cleared"],
    ]) {
        for word in expected {
            assert!(line.contains(word), "`{word}` is missing in `{line}`");
        }
    }
    assert_eq!(lines.len(), 7);
    let json = document(&sexton(&env, &["log", &id, "--json"]));
    let ids: Vec<&str> = json["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["kind"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["started", "named", "moved", "ended", "mark", "mark"]);
}

#[test]
fn a_session_without_events() {
    let env = TestEnv::new();
    Transcript::new(&session_id(1))
        .conversation("a", "b")
        .write(&env.config_dir());
    let run = sexton(&env, &["log", "00000001"]);
    run.assert_code(0);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("no events"), "{}", run.stderr);
}

#[test]
fn damaged_lines_are_named_and_the_others_shown() {
    let env = TestEnv::new();
    let id = session_id(1);
    let path = write(&env.register_dir(), &id, &[started(&id, now_ms() - 5_000)]);
    let text = format!("junk\n{}", fs::read_to_string(&path).unwrap());
    env.write(&path, text);
    let run = sexton(&env, &["log", &id]);
    run.assert_code(3);
    assert!(run.stdout.contains("started"), "{}", run.stdout);
    assert!(
        run.stderr.contains(&format!("{}:1: ", path.display())),
        "{}",
        run.stderr
    );
}
