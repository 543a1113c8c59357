//! What is guarded: the paths that people wait for many times a day.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use sexton_testkit::corpus::needles;
use sexton_testkit::{NOW_MS, register, session_id};

use crate::bench::rows::{hook, index};
use crate::bench::sample::{Program, until_complete};
use crate::bench::{Bench, fresh};
use crate::{Result, corpus};

/// A run to count, with what must be done before.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) program: Program,
    pub(crate) prepare: Box<dyn Fn() -> Result<()>>,
}

/// Hooks, the unchanged list, the unchanged pass.
pub(crate) fn everyday(bench: &Bench) -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    for registry_files in [8, 500] {
        let home = hook::prepare(registry_files)?;
        for event in hook::EVENTS {
            let program = hook::program(bench.binary(), &home, event);
            subjects.push(warm(format!("hook {event}, {registry_files} registry files"), program));
        }
    }
    let home = small_corpus("guard", 200)?;
    // On a busy machine two lists may not have the time to read everything.
    until_complete(&bench.sexton(&home).arguments(index::PASS))?;
    for arguments in [&["list"][..], &["list", "--all"], &["search", needles::RARE]] {
        let program = bench
            .sexton(&home)
            .variable("RAYON_NUM_THREADS", "1")
            .arguments(arguments);
        subjects.push(warm(format!("{}, nothing changed", arguments.join(" ")), program));
    }
    settle();
    Ok(subjects)
}

/// The same work at two sizes: names, how many times larger, and the two subjects.
pub(crate) fn growing(bench: &Bench) -> Result<Vec<(String, u64, [Subject; 2])>> {
    let mut all = Vec::new();
    for (name, arguments) in [
        ("list by sessions", &["list", "--all"][..]),
        ("search by sessions", &["search", needles::COMMON]),
    ] {
        let pair = [50, 200].map(|sessions| {
            let home = small_corpus(&format!("guard-{sessions}"), sessions)?;
            let program = bench
                .sexton(&home)
                .variable("RAYON_NUM_THREADS", "1")
                .arguments(arguments);
            Ok(warm(name.to_owned(), program))
        });
        all.push((name.to_owned(), 4, both(pair)?));
    }
    let pair = [1_000, 10_000].map(|events| {
        let home = fresh(&format!("guard-events-{events}"))?;
        let lines: Vec<_> = (0..events)
            .map(|number| register::named(&session_id(1), NOW_MS + number, "n"))
            .collect();
        let file = register::write(&home.join("register"), &session_id(1), &lines);
        let program = bench.sexton(&home).arguments(["register", "summary"]).argument(file);
        Ok(warm("events in one file".to_owned(), program))
    });
    all.push(("summary by events in one file".to_owned(), 10, both(pair)?));
    let pair = [1_000, 10_000].map(|tombstones: u32| {
        let home = small_corpus(&format!("guard-tombstones-{tombstones}"), 50)?;
        let text: String = (0..tombstones)
            .flat_map(|number| [session_id(number + 1_000_000), "\n".to_owned()])
            .collect();
        fs::write(home.join(".cache/session-search/.deleted"), text)?;
        let program = bench
            .sexton(&home)
            .variable("RAYON_NUM_THREADS", "1")
            .arguments(["list", "--all"]);
        Ok(warm("tombstones".to_owned(), program))
    });
    all.push(("list by tombstones".to_owned(), 10, both(pair)?));
    settle();
    Ok(all)
}

/// A corpus of little sessions, generated anew so that every count begins at the same state.
fn small_corpus(name: &str, sessions: usize) -> Result<PathBuf> {
    let home = fresh(name)?;
    corpus::generate(&home, sessions, sessions as u64 * 10_000)?;
    // Copies are made a few at a time, so that no two runs would do the same.
    index::keep_copies(&home, false)?;
    Ok(home)
}

/// Waits until what was just generated is old enough to be believed: of a file that was written a moment ago nothing is kept.
fn settle() {
    std::thread::sleep(Duration::from_millis(2_100));
}

/// Counted only after two runs: the first brings everything up to date, the second shows that it stays so.
fn warm(name: String, program: Program) -> Subject {
    let first = program.clone();
    Subject {
        name,
        program,
        prepare: Box::new(move || {
            first.sample()?;
            first.sample().map(|_| ())
        }),
    }
}

fn both(pair: [Result<Subject>; 2]) -> Result<[Subject; 2]> {
    let [small, large] = pair;
    Ok([small?, large?])
}
