//! Which rows are shown, in what order, and what is said about the others.

use std::os::unix::fs::symlink;

use sexton_testkit::register::{ended, mark, started, write};
use sexton_testkit::{LiveProcess, NOWHERE, RegistryRecord, TestEnv, Transcript, iso, session_id};

use crate::support::{document, listed, listed_ids, now_ms, sexton};

const HOUR: i64 = 3_600_000;

/// Sessions 1 to 7: live, waiting, on hold, crashed, done, exited an hour ago, exited ten days ago.
struct Machine {
    env: TestEnv,
    _processes: [LiveProcess; 2],
}

fn machine() -> Machine {
    let env = TestEnv::new();
    let now = now_ms();
    let processes = [LiveProcess::start(), LiveProcess::start()];
    talk(&env, 1, "/home/dev/harbour", now - 3 * HOUR);
    RegistryRecord::of(&processes[0], &session_id(1))
        .name("zebra", "user")
        .write(&env.config_dir());
    talk(&env, 2, "/home/dev/harbour/db", now - 2 * HOUR);
    RegistryRecord::of(&processes[1], &session_id(2))
        .waiting_for("permission")
        .name("Apple", "user")
        .write(&env.config_dir());
    for (number, hours_ago, marked, outcome) in [
        (3, 30, Some("on-hold"), "exited"),
        (4, 20, None, "crashed"),
        (5, 4, Some("done"), "exited"),
        (6, 1, None, "exited"),
        (7, 240, None, "exited"),
    ] {
        let id = session_id(number);
        let at = now - hours_ago * HOUR;
        talk(&env, number, "/home/dev/harbourmaster", at);
        let mut events = vec![started(&id, at - HOUR), ended(&id, at, outcome)];
        events.extend(marked.map(|state| mark(&id, at, Some(state))));
        write(&env.register_dir(), &id, &events);
    }
    Machine {
        env,
        _processes: processes,
    }
}

fn talk(env: &TestEnv, number: u32, cwd: &str, at_ms: i64) {
    Transcript::new(&session_id(number))
        .cwd(cwd)
        .at_ms(at_ms)
        .prompt("a question")
        .write(&env.config_dir());
}

#[track_caller]
fn assert_shows(env: &TestEnv, arguments: &[&str], numbers: &[u32]) {
    let expected: Vec<String> = numbers.iter().copied().map(session_id).collect();
    assert_eq!(listed_ids(env, arguments), expected, "{arguments:?}");
}

#[test]
fn groups_in_their_order_and_the_newest_first_in_each() {
    let Machine { env, .. } = &machine();
    assert_shows(env, &[], &[2, 1, 4, 3]);
    assert_shows(env, &["--all"], &[2, 1, 4, 3, 6, 5, 7]);
    let groups: Vec<String> = listed(env, &["--all"])
        .iter()
        .map(|session| session["group"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        groups,
        [
            "live",
            "live",
            "loose-end",
            "loose-end",
            "finished",
            "finished",
            "finished"
        ]
    );
}

#[test]
fn what_is_hidden_is_counted() {
    let Machine { env, .. } = &machine();
    let run = sexton(env, &["list"]);
    assert_eq!(run.stderr, "3 finished hidden: `--all`\n");
    assert_eq!(sexton(env, &["list", "--all"]).stderr, "");
    let hidden = document(&sexton(env, &["list", "--json"]))["hidden"].clone();
    assert_eq!(hidden["finished"], 3);
    // Only what was asked for can be hidden.
    let run = sexton(env, &["list", "--since", "2h"]);
    assert_eq!(run.stderr, "1 finished hidden: `--all`\n");
    let run = sexton(env, &["list", "--cwd", "/home/dev/harbour"]);
    assert_eq!(run.stderr, "");
}

#[test]
fn states_that_are_asked_for_are_not_hidden() {
    let Machine { env, .. } = &machine();
    assert_shows(env, &["--state", "done"], &[5]);
    assert_shows(env, &["--state", "exited,waiting"], &[2, 6, 7]);
    assert_shows(env, &["--state", "on-hold", "--state", "crashed"], &[4, 3]);
    assert_shows(env, &["--live"], &[2, 1]);
    let run = sexton(env, &["list", "--state", "sleeping"]);
    run.assert_code(2);
    assert!(run.stderr.contains("on-hold"), "the states are named: {}", run.stderr);
}

#[test]
fn a_directory_is_one_directory_and_everything_below_it() {
    let Machine { env, .. } = &machine();
    assert_shows(env, &["--all", "--cwd", "/home/dev/harbour"], &[2, 1]);
    assert_shows(env, &["--all", "--cwd", "/home/dev/harbour/"], &[2, 1]);
    assert_shows(env, &["--all", "--cwd", "/home/dev/harbour/db/../db"], &[2]);
    assert_shows(env, &["--all", "--cwd", "/home/dev"], &[2, 1, 4, 3, 6, 5, 7]);
    assert_shows(env, &["--all", "--cwd", NOWHERE], &[]);
}

#[test]
fn a_directory_may_be_relative_or_behind_a_link() {
    let env = TestEnv::new();
    let real = env.home().join("work");
    std::fs::create_dir(&real).unwrap();
    symlink(&real, env.home().join("link")).unwrap();
    talk(&env, 1, real.to_str().unwrap(), now_ms());
    talk(&env, 2, "/elsewhere", now_ms());
    for cwd in ["work", "./work", "link", "."] {
        assert_shows(&env, &["--all", "--cwd", cwd], &[1]);
    }
}

#[test]
fn a_project_is_a_part_of_its_transcript_directorys_name() {
    let Machine { env, .. } = &machine();
    assert_shows(env, &["--all", "--project", "harbour-db"], &[2]);
    assert_shows(env, &["--all", "--project", "HARBOUR"], &[]);
    // Not of the way there.
    assert_shows(env, &["--all", "--project", "projects"], &[]);
    assert_shows(env, &["--all", "--project", "/"], &[]);
}

#[test]
fn since_takes_ages_days_and_instants() {
    let Machine { env, .. } = &machine();
    assert_shows(env, &["--all", "--since", "23h"], &[2, 1, 4, 6, 5]);
    assert_shows(env, &["--all", "--since", "2d"], &[2, 1, 4, 3, 6, 5]);
    assert_shows(env, &["--all", "--since", &iso(now_ms() - 90 * 60_000)], &[6]);
    assert_shows(env, &["--all", "--since", "2001-01-01"], &[2, 1, 4, 3, 6, 5, 7]);
    for nonsense in ["", "soon", "-1d", "2026-13-01", "7"] {
        let run = sexton(env, &["list", &format!("--since={nonsense}")]);
        run.assert_code(2);
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn orders() {
    let Machine { env, .. } = &machine();
    assert_shows(env, &["--all", "--sort", "newest"], &[6, 2, 1, 5, 4, 3, 7]);
    assert_shows(env, &["--all", "--sort", "oldest"], &[7, 3, 4, 5, 1, 2, 6]);
    assert_shows(env, &["--sort", "name"], &[3, 4, 2, 1]);
    assert_shows(env, &["--all", "--sort", "directory"], &[1, 2, 6, 5, 4, 3, 7]);
    let by_memory = listed_ids(env, &["--all", "--sort", "memory"]);
    assert!(by_memory[..2].contains(&session_id(1)) && by_memory[..2].contains(&session_id(2)));
}

#[test]
fn nothing_there_and_nothing_that_matches() {
    let env = TestEnv::new();
    let run = sexton(&env, &["list"]);
    assert_eq!(
        (run.code, run.stdout.as_str(), run.stderr.as_str()),
        (Some(0), "", "no sessions found\n")
    );
    assert!(!env.register_dir().exists() && !env.config_dir().exists());
}

#[test]
fn every_age_that_a_list_prints_can_be_typed() {
    let env = TestEnv::new();
    Transcript::new(&session_id(1))
        .at_ms(now_ms() - 20 * 60_000)
        .conversation("a", "b")
        .write(&env.config_dir());
    for (age, is_listed) in [
        ("90s", false),
        ("10m", false),
        ("30m", true),
        ("1h", true),
        ("1d", true),
        ("1w", true),
        ("2y", true),
    ] {
        assert_eq!(
            listed_ids(&env, &["--all", "--since", age]).len(),
            usize::from(is_listed),
            "{age}"
        );
    }
    let wrong = sexton(&env, &["list", "--since", "30x"]);
    wrong.assert_code(2);
    assert!(wrong.stderr.contains("(s, m, h, d, w or y"), "{wrong:#?}");
    // Minutes that may be meant for months put nothing away.
    for command in [
        &["delete", "--before", "6m"][..],
        &["delete", "--inactive-before", "90s"],
        &["trash", "empty", "--older-than", "6m"],
    ] {
        let run = sexton(&env, &[command, &["--yes"]].concat());
        run.assert_code(2);
        assert!(run.stderr.contains("seconds or minutes"), "{run:#?}");
    }
}
