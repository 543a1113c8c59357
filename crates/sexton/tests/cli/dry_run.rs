//! `--dry-run` of every command that changes something: it touches nothing, and says what the real run then does.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;
use sexton_testkit::register::{file, started, write};
use sexton_testkit::{LiveProcess, RegistryRecord, TestEnv, Transcript, dead_pid, session_id};

use crate::support::{SEXTON, document, now_ms, sexton, sexton_on_terminal};

struct Machine {
    env: TestEnv,
    _process: LiveProcess,
}

/// A crash to record, names to record, a stale record to remove, and a damaged register file.
fn machine() -> Machine {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    let now = now_ms();
    write(
        &env.register_dir(),
        &session_id(1),
        &[started(&session_id(1), now - 3_600_000)],
    );
    RegistryRecord::of(&process, &session_id(2))
        .name("live \u{1b} one", "user")
        .write(&env.config_dir());
    RegistryRecord::with_pid(dead_pid(), &session_id(3))
        .name("stale", "derived")
        .write_with_key(&env.config_dir());
    Transcript::new(&session_id(4))
        .conversation("a", "b")
        .write(&env.config_dir());
    let damaged = started(&session_id(5), now - 5_000).line();
    env.write(
        &file(&env.register_dir(), &session_id(5)),
        format!("{damaged}\njunk\n{damaged}\n"),
    );
    Machine { env, _process: process }
}

/// What each path's file gained, and which paths vanished, without what differs from run to run.
fn changes(env: &TestEnv, run: impl FnOnce()) -> BTreeSet<String> {
    let picture = |env: &TestEnv| -> Vec<(String, String)> {
        let tree = env.picture();
        let files = tree
            .paths()
            .map(|path| env.root().join(path))
            .filter(|path| path.is_file());
        files
            .map(|path| {
                let content = fs::read_to_string(&path).unwrap_or_default();
                (path.display().to_string(), content)
            })
            .collect()
    };
    let before = picture(env);
    run();
    let after = picture(env);
    let mut changes = BTreeSet::new();
    for (path, _) in &before {
        if after.iter().all(|(other, _)| other != path) {
            changes.insert(format!("remove {path}"));
        }
    }
    for (path, content) in &after {
        let old = before
            .iter()
            .find(|(other, _)| other == path)
            .map_or("", |(_, old)| old);
        for line in content.strip_prefix(old).unwrap_or_default().lines() {
            changes.insert(format!("append to {path}: {}", unstamped(line)));
        }
    }
    changes
}

/// A line of the register without its id and time.
fn unstamped(line: &str) -> String {
    let mut event: Value = serde_json::from_str(line).unwrap();
    event["id"] = Value::Null;
    event["at"] = Value::Null;
    event.to_string()
}

/// The same changes without what is appended, which a person is only shown the beginning of.
fn places(changes: &BTreeSet<String>) -> BTreeSet<String> {
    let place = |change: &String| match change.strip_prefix("append to ") {
        Some(rest) => format!("append to {}", rest.split(": ").next().unwrap_or_default()),
        None => change.clone(),
    };
    changes.iter().map(place).collect()
}

/// What a dry run announced, in the same words.
fn announced(effects: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut place = String::new();
    for effect in effects.lines() {
        if let Some((path, event)) = effect.strip_prefix("append to ").and_then(|rest| rest.split_once(": ")) {
            path.clone_into(&mut place);
            all.insert(format!("append to {path}: {}", unstamped(event)));
        } else if effect.starts_with('{') {
            // A second line of one write.
            all.insert(format!("append to {place}: {}", unstamped(effect)));
        } else if !effect.starts_with("create directory") {
            all.insert(effect.to_owned());
        }
    }
    all
}

#[test]
fn what_is_announced_is_what_is_done() {
    let id = session_id(4);
    for command in [
        &["mark", &id, "blocked", "--note", "tab\t\u{1b}"][..],
        &["mark", &id, "clear"],
        &["name", &id, "büro 🌲"],
        &["sweep"],
        &["prune"],
    ] {
        let Machine { env, .. } = &machine();
        let before = env.picture();
        let dry = sexton(env, &[command, &["--dry-run"]].concat());
        before.assert_unchanged(&env.picture());
        let dry_json = sexton(env, &[command, &["--dry-run", "--json"]].concat());
        before.assert_unchanged(&env.picture());
        let done = changes(env, || drop(sexton(env, command)));
        assert!(!done.is_empty(), "{command:?} did nothing");
        let shown = dry.stdout.lines().filter_map(|line| line.strip_prefix("would "));
        let shown = shown.filter(|effect| !effect.starts_with("create directory"));
        assert_eq!(
            places(&shown.map(str::to_owned).collect()),
            places(&done),
            "{command:?}"
        );
        let json = document(&dry_json);
        assert_eq!(json["dry_run"], true);
        let effects = json["effects"].as_array().unwrap().iter();
        let effects: String = effects
            .map(|effect| effect.as_str().unwrap().to_owned() + "\n")
            .collect();
        assert_eq!(announced(&effects), done, "{command:?}");
    }
}

#[test]
fn the_plumbing_too() {
    let id = session_id(4);
    let event = format!(r#"{{"session":"{id}","source":"user","kind":"mark","state":"done","note":null}}"#);
    let Machine { env, .. } = &machine();
    let before = env.picture();
    let damaged = file(&env.register_dir(), &session_id(5));
    let far_future = "99999999999999";
    let dry = env.run_with_input(SEXTON, ["register", "append", "--dry-run"], &event);
    let wet = |run: sexton_testkit::Run| run.stdout.lines().map(unstamped).collect::<Vec<_>>();
    let announced = [
        wet(dry),
        wet(sexton(env, &["register", "name", &id, "x", "-n"])),
        wet(sexton(env, &["register", "sweep", "--now-ms", far_future, "-n"])),
    ];
    let repair = sexton(env, &["register", "repair", damaged.to_str().unwrap(), "--dry-run"]);
    repair.assert_code(0);
    assert!(repair.stdout.starts_with("would "), "{}", repair.stdout);
    before.assert_unchanged(&env.picture());
    let done = [
        wet(env.run_with_input(SEXTON, ["register", "append"], &event)),
        wet(sexton(env, &["register", "name", &id, "x"])),
        wet(sexton(env, &["register", "sweep", "--now-ms", far_future])),
    ];
    assert_eq!(announced, done);
    assert!(done.iter().all(|lines| !lines.is_empty()));
}

#[test]
fn what_matters_is_told_on_a_narrow_terminal_too() {
    let Machine { env, .. } = &machine();
    let mark = ["mark", &session_id(4), "blocked", "--note", "'after the release'", "-n"];
    if let Some(shown) = sexton_on_terminal(env, 80, &mark.join(" ")) {
        assert!(
            shown.contains(r#"mark state "blocked" note "after the release""#),
            "{shown}"
        );
    }
}
