//! Everything at once: hooks, list, search, sweep, doctor, deletes, restores, archives, marks, and a client that writes.
//!
//! No event is lost, no session, no line of a transcript; every document is whole; nobody waits for ever. `SEXTON_SOAK_SECONDS` says
//! how long.

use std::fs;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use sexton_testkit::{Object, Random, Run};

use crate::machine::{Machine, PROBE, SEXTON, WORD};
use crate::observed::{Home, Observed};

/// Enough to notice a mistake.
const SECONDS: u64 = 4;

/// Sessions that are put away and brought back, and as many that only hooks, marks and a client touch.
const SESSIONS: usize = 8;

#[test]
fn everything_at_once() {
    let seconds = std::env::var("SEXTON_SOAK_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(SECONDS);
    let mut machine = Machine::new();
    for _ in 0..2 * SESSIONS {
        machine.plant();
    }
    let machine = &machine;
    let is_over = &AtomicBool::new(false);
    let counts = &Counts::default();
    thread::scope(|scope| {
        let every = |act: Box<dyn Fn(&mut Random) + Send>, seed: u64| {
            scope.spawn(move || {
                let mut random = Random::new(seed);
                while !is_over.load(Ordering::Relaxed) {
                    act(&mut random);
                }
            });
        };
        every(Box::new(|random| hooks(machine, counts, random)), 1);
        every(Box::new(|_| look(machine, counts)), 2);
        every(Box::new(|random| move_away(machine, counts, random)), 3);
        every(Box::new(|random| move_away(machine, counts, random)), 4);
        every(Box::new(|_| write(machine, counts)), 5);
        thread::sleep(Duration::from_secs(seconds));
        is_over.store(true, Ordering::Relaxed);
    });
    println!("{seconds} s: {counts:?}");
    assert_nothing_is_lost(machine, counts);
}

/// What the threads did.
#[derive(Debug, Default)]
struct Counts {
    started: AtomicUsize,
    marked: AtomicUsize,
    looked: AtomicUsize,
    moved: AtomicUsize,
    lines: AtomicUsize,
}

fn count(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::Relaxed);
}

fn hooks(machine: &Machine, counts: &Counts, random: &mut Random) {
    let id = &machine.sessions[SESSIONS + random.below(SESSIONS)].id;
    let payload = |event: &str| {
        let payload = Object::new()
            .text("session_id", id)
            .text("transcript_path", "/home/dev/t.jsonl");
        let payload = payload.text("cwd", "/home/dev/sample").text("hook_event_name", event);
        payload.text("source", "resume").text("reason", "other").build()
    };
    let run = machine
        .env
        .run_with_input(SEXTON, ["hook", "session-start"], payload("SessionStart"));
    run.assert_clean();
    count(&counts.started);
    machine
        .env
        .run_with_input(SEXTON, ["hook", "session-end"], payload("SessionEnd"))
        .assert_clean();
    machine.sexton(&["mark", id, "blocked"]).assert_code(0);
    count(&counts.marked);
}

fn look(machine: &Machine, counts: &Counts) {
    for arguments in [
        &["list", "--all", "--json"][..],
        &["search", WORD, "--json"],
        &["sweep", "--json"],
        &["doctor", "--json"],
        &["trash", "list", "--json"],
    ] {
        document(&machine.sexton(arguments));
        count(&counts.looked);
    }
}

/// Puts a session away in some way, and brings it back in some way.
fn move_away(machine: &Machine, counts: &Counts, random: &mut Random) {
    // Often the very one that another thread is at.
    let among = if random.percent(50) { 2 } else { SESSIONS };
    let id = &machine.sessions[random.below(among)].id;
    let away: &[&str] = if random.percent(50) {
        &["archive", id, "--json"]
    } else {
        &["delete", id, "--yes", "--yes-most", "--json"]
    };
    document(&machine.sexton(away));
    let back: &[&str] = if random.percent(30) {
        &["undo", "--json"]
    } else {
        &["restore", id, "--json"]
    };
    // Another thread may have brought it back, or put another one away meanwhile.
    document(&machine.sexton(back));
    count(&counts.moved);
}

/// A client that goes on with its conversation.
fn write(machine: &Machine, counts: &Counts) {
    let session = &machine.sessions[SESSIONS];
    let path = machine.env.config_dir().join(&session.files[0].0);
    let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
    let message = Object::new()
        .text("role", "user")
        .text("content", "grown while others looked");
    let record = Object::new().text("type", "user").object("message", message).build();
    // In two pieces, as a reader may find it.
    let (first, second) = record.split_at(record.len() / 2);
    file.write_all(first.as_bytes()).unwrap();
    thread::yield_now();
    file.write_all(format!("{second}\n").as_bytes()).unwrap();
    count(&counts.lines);
    thread::sleep(Duration::from_millis(2));
}

/// One whole document, or one clear refusal.
#[track_caller]
fn document(run: &Run) {
    match run.code {
        Some(0 | 3) => {
            drop(serde_json::from_str::<Value>(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:#?}")));
        }
        Some(1) => assert!(!run.stderr.contains("panicked"), "{run:#?}"),
        _ => panic!("{run:#?}"),
    }
}

fn assert_nothing_is_lost(machine: &Machine, counts: &Counts) {
    machine.recover();
    for _ in 0..2 {
        let now = Observed::of_others(machine, SESSIONS);
        for (number, home) in now.homes.iter().enumerate() {
            assert_ne!(*home, Home::Gone, "nothing was purged");
            if *home != Home::Projects {
                machine
                    .sexton(&["restore", &machine.sessions[number].id])
                    .assert_code(0);
            }
        }
    }
    let now = Observed::of_others(machine, SESSIONS);
    assert!(now.homes.iter().all(|home| *home == Home::Projects), "{:?}", now.homes);
    assert!(now.tombstones.iter().all(|id| id == PROBE), "{:?}", now.tombstones);
    let events = |words: &str| {
        now.register
            .values()
            .flatten()
            .filter(|line| line.contains(words))
            .count()
    };
    // Each session's first event was planted.
    assert_eq!(
        events("\"kind\":\"started\""),
        2 * SESSIONS + counts.started.load(Ordering::Relaxed)
    );
    assert_eq!(events("\"outcome\":\"exited\""), counts.started.load(Ordering::Relaxed));
    assert_eq!(events("\"kind\":\"mark\""), counts.marked.load(Ordering::Relaxed));

    let grown = machine.env.config_dir().join(&machine.sessions[SESSIONS].files[0].0);
    let lines = fs::read_to_string(grown)
        .unwrap()
        .lines()
        .filter(|line| line.contains("grown while"))
        .count();
    assert_eq!(lines, counts.lines.load(Ordering::Relaxed));
    let run = machine.sexton(&["search", WORD, "--json", "--limit", "100"]);
    for session in &machine.sessions {
        assert!(run.stdout.contains(&session.id), "{} is not found", session.id);
    }
}
