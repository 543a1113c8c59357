//! Killed at any instant, each command leaves what the next one makes whole: nothing lost, nothing doubled, nothing half.
//!
//! A random walk over one machine: a command is started, killed after a random part of the time that it takes, the next command runs,
//! and what lies there then is compared with what lay there before. `SEXTON_KILLS` says after how many kills the walk ends.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::Value;
use sexton_testkit::Random;
use sexton_testkit::crash::{End, kill_after};

use crate::actions::Action;
use crate::machine::Machine;
use crate::observed::{Home, Observed};

/// Enough to notice a mistake.
const KILLS: usize = 40;

/// After so many of a hundred commands every session is looked for by its words.
const SEARCHED: usize = 10;

/// A machine that has seen so much is slow to look at.
const SESSIONS_A_MACHINE: usize = 60;

#[test]
fn at_any_instant() {
    let wanted = std::env::var("SEXTON_KILLS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(KILLS);
    let seed = std::env::var("SEXTON_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    let mut random = Random::new(seed);
    let mut durations: BTreeMap<&'static str, Duration> = BTreeMap::new();
    let mut tally: BTreeMap<&'static str, [usize; 3]> = BTreeMap::new();
    let mut machine = Machine::new();
    let (mut killed, mut between) = (0, 0);
    while killed < wanted {
        if machine.sessions.len() > SESSIONS_A_MACHINE {
            machine = Machine::new();
        }
        let action = Action::choose(&mut machine, &mut random);
        let before = Observed::of(&machine);
        let whole = durations.get(action.name).copied();
        let after = whole.map_or(Duration::from_mins(1), |whole| whole.mul_f64(0.1 + random.unit()));
        let start = Instant::now();
        let end = kill_after(&mut action.command(&machine), after);
        if end != End::Killed {
            durations.insert(action.name, start.elapsed());
        }
        // The machine as it was found: what the walk is about happened between its first and its last effect.
        let interrupted = end == End::Killed && journal_is_open(&machine);
        machine.recover();
        let now = Observed::of(&machine);
        check(&machine, &action, end, &before, &now);
        if random.percent(SEARCHED) {
            is_found(&machine, &now);
        }
        let tally = tally.entry(action.name).or_default();
        tally[0] += 1;
        tally[1] += usize::from(end == End::Killed);
        tally[2] += usize::from(interrupted);
        killed += usize::from(end == End::Killed);
        between += usize::from(interrupted);
    }
    for (name, [runs, killed, between]) in &tally {
        println!("{name:16} {runs:4} runs {killed:4} killed {between:4} with something pending");
    }
    println!("seed {seed}: {killed} killed, {between} of them with something pending");
    finally(&machine);
}

fn journal_is_open(machine: &Machine) -> bool {
    let journal = std::fs::read_to_string(machine.env.data_dir().join("journal.jsonl")).unwrap_or_default();
    journal
        .lines()
        .last()
        .is_some_and(|line| !line.contains("\"line\":\"closed\""))
}

fn check(machine: &Machine, action: &Action, end: End, before: &Observed, now: &Observed) {
    let what = format!("{} {:?} {end:?}", action.name, action.arguments);
    for (number, (was, is)) in before.homes.iter().zip(&now.homes).enumerate() {
        let id = &machine.sessions[number].id;
        let may_move = action.moved.contains(&number);
        let is_allowed = was == is
            || may_move
                && (*was != Home::Gone)
                && match action.to {
                    // A purge goes by way of the trash.
                    Some(Home::Gone) => matches!(is, Home::Gone | Home::Trash),
                    Some(to) => *is == to,
                    None => *is != Home::Gone,
                };
        assert!(is_allowed, "{what}: {id} went from {was:?} to {is:?}");
        if end == End::Exited(0)
            && may_move
            && let Some(to) = action.to
        {
            assert_eq!(*is, to, "{what}: done, and {id} is elsewhere");
        }
        let is_deleted = matches!(is, Home::Trash | Home::Gone);
        assert_eq!(now.tombstones.contains(id), is_deleted, "{what}: {id} is in {is:?}");
    }
    register(action, before, now, &what);
    let settings_may_change = matches!(action.name, "hooks" | "doctor --fix");
    assert!(
        settings_may_change || now.settings == before.settings,
        "{what}: settings changed"
    );
    for (record, id) in &machine.ghosts {
        if !record.exists() {
            let lines = now
                .register
                .get(&format!("{id}.jsonl"))
                .cloned()
                .unwrap_or_default()
                .join("\n");
            assert!(
                lines.contains("\"name\":\"ghost") && lines.contains("crashed"),
                "{what}: what only {} knew is lost",
                record.display()
            );
        }
    }
}

/// What was recorded stays, in its order; a kill adds a person's event once or not at all, and no end twice.
fn register(action: &Action, before: &Observed, now: &Observed, what: &str) {
    for (file, was) in &before.register {
        let is = &now.register[file];
        if action.name == "register repair" {
            let good = |lines: &[String]| -> Vec<String> {
                lines
                    .iter()
                    .filter(|line| !line.starts_with("damaged"))
                    .cloned()
                    .collect()
            };
            assert_eq!(good(is), good(was), "{what}: {file}");
            continue;
        }
        assert_eq!(is.get(..was.len()), Some(was.as_slice()), "{what}: {file}");
        let new = &is[was.len()..];
        let by_a_person = new.iter().filter(|line| line.contains("\"source\":\"user\"")).count();
        assert!(by_a_person <= usize::from(action.writes_event), "{what}: {new:?}");
        assert!(
            new.iter().filter(|line| line.contains("\"kind\":\"ended\"")).count() <= 1,
            "{what}: {new:?}"
        );
    }
}

/// Every session that is there is found by its words, and no deleted one is.
fn is_found(machine: &Machine, now: &Observed) {
    let run = machine.sexton(&["search", crate::machine::WORD, "--json", "--limit", "1000"]);
    // The damage that was planted for `register repair` is told.
    assert!(matches!(run.code, Some(0 | 3)), "{run:#?}");
    let what = format!("{}{}", run.stdout, run.stderr);
    let document: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {what}"));
    let hits = document["hits"].as_array().into_iter().flatten();
    let found: BTreeSet<&str> = hits.filter_map(|hit| hit["session"].as_str()).collect();
    for (session, home) in machine.sessions.iter().zip(&now.homes) {
        let is_found = found.contains(&session.id[..]);
        match home {
            Home::Projects | Home::Vault => assert!(is_found, "{} is not found: {what}", session.id),
            // Not even in what is told of damage.
            Home::Trash | Home::Gone => assert!(!run.stdout.contains(&session.id), "{} is told of: {what}", session.id),
            Home::Archive => {}
        }
    }
}

fn finally(machine: &Machine) {
    is_found(machine, &Observed::of(machine));
    let copies = machine.sexton(&["keep", "verify", "--json"]);
    assert!(matches!(copies.code, Some(0)), "{}{}", copies.stdout, copies.stderr);
    let doctor = machine.sexton(&["doctor", "--json"]);
    let document: Value = serde_json::from_str(&doctor.stdout).unwrap_or_else(|error| panic!("{error}: {doctor:#?}"));
    assert!(document["schema_version"].is_number(), "{document}");
}
