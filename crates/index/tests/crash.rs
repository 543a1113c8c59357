//! Several processes at once, killed ones, damaged catalogues, endless lines.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

mod support;

use std::fs;
use std::path::Path;
use std::time::Instant;

use sexton_testkit::crash::{self, End};
use support::{Machine, id, prompt};

const SESSIONS: u128 = 15;

/// Sessions of which each says one word that no other says.
fn fill(machine: &Machine) {
    let filler = "x".repeat(3000);
    for number in 1..=SESSIONS {
        let content: String = (0..40).map(|_| prompt(1, &format!("{filler} own{number}"))).collect();
        machine.write(&machine.transcript("-w", id(number)), &content);
    }
}

fn assert_complete(machine: &Machine) {
    let report = machine.pass();
    assert!(report.finished && report.problems.is_empty(), "{report:?}");
    assert_eq!(machine.pass().progress.files_total, 0);
    for number in 1..=SESSIONS {
        assert_eq!(machine.lines(&format!("own{number}")), (1..=40).collect::<Vec<u64>>());
    }
}

#[test]
fn killed_at_any_instant_the_next_pass_completes() {
    const NAME: &str = "killed_at_any_instant_the_next_pass_completes";
    if let Some(task) = crash::task() {
        Machine::at(Path::new(&task)).pass();
        return;
    }
    let machine = Machine::new();
    fill(&machine);
    let start = Instant::now();
    assert_eq!(crash::run_again(NAME, machine.path(), None), End::Exited(0));
    let whole = start.elapsed();
    let mut killed = 0;
    for after in crash::instants(1, whole).take(4) {
        fs::remove_dir_all(machine.catalogue_path().parent().unwrap()).unwrap();
        killed += usize::from(crash::run_again(NAME, machine.path(), Some(after)) == End::Killed);
        fs::create_dir_all(machine.catalogue_path().parent().unwrap()).unwrap();
        assert_complete(&machine);
    }
    assert!(killed > 0, "every child was done before it could be killed");
}

#[test]
fn two_processes_at_once_make_one_catalogue() {
    const NAME: &str = "two_processes_at_once_make_one_catalogue";
    if let Some(task) = crash::task() {
        let machine = Machine::at(Path::new(&task));
        for _ in 0..3 {
            machine.pass();
            machine.lines("own1");
        }
        return;
    }
    let machine = Machine::new();
    fill(&machine);
    let path = machine.path();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(crash::run_again(NAME, path, None), End::Exited(0)));
        }
    });
    assert_complete(&machine);
}

#[test]
fn a_catalogue_damaged_in_the_middle_is_rebuilt() {
    let machine = Machine::new();
    fill(&machine);
    machine.pass();
    let path = machine.catalogue_path();
    let mut bytes = fs::read(&path).unwrap();
    assert!(bytes.len() > 32 * 1024);
    let end = bytes.len();
    bytes[8192..end].fill(0xA5);
    fs::write(&path, &bytes).unwrap();
    let mut catalogue = machine.open();
    if let Err(error) = machine.try_pass(&mut catalogue, None, &|| false) {
        assert!(error.is_damage(), "{error}");
        catalogue = catalogue.rebuild(&sexton_sys::Effects::apply(), 8).unwrap();
        assert!(catalogue.set_aside().unwrap().exists());
    }
    drop(catalogue);
    assert_complete(&machine);
}

#[test]
fn a_line_of_sixty_megabytes_is_found_and_the_ones_around_it() {
    let machine = Machine::new();
    // One word too long to be one, so that a slow build is done with it soon.
    let long = format!("{} some needle_at_the_end", "x".repeat(60_000_000));
    let content = [prompt(1, "before"), prompt(2, &long), prompt(3, "after")].concat();
    machine.write(&machine.transcript("-w", id(1)), &content);
    drop((long, content));
    assert!(machine.pass().problems.is_empty());
    for (query, line) in [("before", 1), ("\"some needle_at_the_end\"", 2), ("after", 3)] {
        assert_eq!(machine.lines(query), [line], "{query}");
    }
}

#[test]
fn a_fifo_in_a_transcripts_place_is_a_problem_and_no_hang() {
    let machine = Machine::new();
    machine.write(&machine.transcript("-w", id(1)), &prompt(1, "alpha"));
    let made = std::process::Command::new("mkfifo")
        .arg(machine.transcript("-w", id(2)))
        .status();
    if made.is_ok_and(|status| status.success()) {
        machine.pass();
        assert_eq!(machine.lines("alpha"), [1]);
    }
}

#[test]
fn a_text_that_comes_in_parts_is_one_message() {
    let machine = Machine::new();
    // The reader gives a mebibyte at a time; the cut falls into `boundary`.
    let filler = "x".repeat(1024 * 1024 - 10);
    let text = format!("begin {filler} boundary_word stands here {filler} end");
    machine.write(
        &machine.transcript("-w", id(1)),
        &[prompt(1, &text), prompt(2, "next")].concat(),
    );
    machine.pass();
    for query in [
        "begin end",
        "boundary_word",
        "\"boundary_word stands here\"",
        "\"here\" end",
    ] {
        assert_eq!(machine.lines(query), [1], "{query}");
    }
    assert_eq!(machine.lines("next"), [2]);
}
