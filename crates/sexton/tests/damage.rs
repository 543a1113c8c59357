//! Every reading command over every kind of damage: it answers right, ends, and can't be made to drive a terminal.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use sexton_testkit::damage::{self, Case, Exit, Planted};
use sexton_testkit::{NOW_MS, Run, TestEnv, register, session_id};

const SEXTON: &str = env!("CARGO_BIN_EXE_sexton");

/// Runs `check` over the light cases.
fn over_all(check: impl Fn(&TestEnv, &Planted<'_>)) {
    over(|case| !case.heavy, check);
}

/// Runs `check` over some cases and tells all that failed, not only the first.
fn over(which: impl Fn(&Case) -> bool, check: impl Fn(&TestEnv, &Planted<'_>)) {
    let mut failed = Vec::new();
    for case in damage::catalogue().into_iter().filter(|case| which(case)) {
        let env = TestEnv::new();
        let planted = case.plant(&env);
        if catch_unwind(AssertUnwindSafe(|| check(&env, &planted))).is_err() {
            failed.push(case.name);
        }
    }
    assert!(failed.is_empty(), "failed: {failed:#?}");
}

fn sexton(env: &TestEnv, arguments: &[&str]) -> Run {
    env.run(SEXTON, arguments)
}

#[test]
fn list_shows_all_it_can() {
    over_all(|env, planted| planted.assert_listing(&sexton(env, &["list", "--all"])));
}

#[test]
fn list_as_json_is_one_document() {
    over_all(|env, planted| {
        let run = sexton(env, &["list", "--all", "--json"]);
        planted.assert_exit(&run);
        if planted.shown.is_empty() {
            return;
        }
        let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let ids: Vec<&str> = document["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|row| row["id"].as_str())
            .collect();
        for shown in &planted.shown {
            assert!(
                ids.contains(&shown.id.as_str()),
                "{} is hidden:\n{}",
                shown.id,
                run.stdout
            );
        }
    });
}

/// What the program keeps between two runs is made by the library at a time when every file has been left alone for long: a test
/// can't wait until a file that it has just written is believed.
fn keep_summaries(env: &TestEnv) {
    const LATER_MS: i64 = 99_999_999_999_999;
    let Ok(again) = sexton_register::load_all_again(&env.register_dir(), Vec::new(), LATER_MS) else {
        return;
    };
    if let Some(kept) = again.keep {
        env.write(&kept_summaries(env), kept);
    }
}

fn kept_summaries(env: &TestEnv) -> std::path::PathBuf {
    env.cache_dir().join("register-summaries")
}

/// Enough sessions that what is known of them is kept.
fn plant_many(env: &TestEnv) {
    for number in 500..540 {
        let id = session_id(number);
        let events = [
            register::started(&id, NOW_MS),
            register::named(&id, NOW_MS + 1, &format!("many-{number}")),
            register::ended(&id, NOW_MS + 2, "exited"),
        ];
        // A damaged place takes none.
        if env.register_dir().is_dir() || !env.register_dir().exists() {
            register::write(&env.register_dir(), &id, &events[..=(number as usize % 3)]);
        }
    }
}

#[test]
fn a_list_is_the_same_whatever_was_kept_before() {
    over_all(|env, planted| {
        if planted.is_moving() {
            return;
        }
        if env.cache_dir().is_file() {
            // Nothing can be kept.
            return;
        }
        if !env.config_file().exists() {
            // Copies are made in as many runs as they take, and a list tells of them.
            env.write(&env.config_file(), "[vault]\npolicy = \"off\"\n");
        }
        plant_many(env);
        // The first run writes down what it sees.
        let _ = sexton(env, &["list", "--all"]);
        let told = |arguments: &[&str]| {
            let run = sexton(env, &[&["list", "--json"], arguments].concat());
            (run.code, run.stdout, run.stderr)
        };
        for arguments in [&["--all"][..], &[], &["--read-only", "--all"]] {
            let _ = std::fs::remove_dir_all(env.cache_dir());
            // Waits for the catalogue, which a list does for a moment only.
            let _ = sexton(env, &["search", "nowhere"]);
            let without = told(arguments);
            keep_summaries(env);
            assert!(told(arguments) == without, "with what was kept: {arguments:?}");
            assert!(told(arguments) == without, "and once more: {arguments:?}");
            env.write(&kept_summaries(env), "damaged");
            assert!(told(arguments) == without, "with damage: {arguments:?}");
        }
    });
}

#[test]
fn a_list_that_reads_only_changes_nothing() {
    over_all(|env, planted| {
        if planted.is_moving() {
            return;
        }
        let before = env.picture();
        let run = sexton(env, &["list", "--all", "--read-only"]);
        planted.assert_listing(&run);
        before.assert_unchanged(&env.picture());
    });
}

#[test]
fn the_healthy_session_is_shown_whole() {
    over_all(|env, planted| {
        if planted.shown.is_empty() || planted.exit == Exit::Any {
            return;
        }
        let run = sexton(env, &["show", &session_id(1)]);
        planted.assert_harmless(&run);
        assert!(matches!(run.code, Some(0 | 3)), "{run:#?}");
        assert!(run.stdout.contains("healthyneighbour"), "{run:#?}");
    });
}

/// What only looks, with the exit statuses that its own answer can have beside those of the damage.
const READERS: &[(&[&str], &[i32])] = &[
    (&["show", ONE], &[]),
    (&["log", ONE], &[1]),
    (&["read", ONE], &[]),
    (&["search", "healthyneighbour"], &[]),
    (&["search", "--substring", "healthyneighbo"], &[]),
    (&["search", "--regex", "healthy[a-z]+bour"], &[]),
    (&["search", "nosuchwordanywhere"], &[1]),
    (&["resume", "--print", ONE], &[1]),
    (&["doctor"], &[1]),
    (&["trash", "list"], &[]),
    (&["tombstone", "list"], &[]),
    (&["keep", "status"], &[]),
    (&["hooks", "status"], &[1]),
    (&["config", "show"], &[]),
];

/// Session 1, which every case leaves whole.
const ONE: &str = "00000001";

/// Each within an address space that a reader of whole devices would burst.
fn every_reader_answers(readers: &[(&[&str], &[i32])]) {
    over_all(|env, planted| {
        let mut failed = Vec::new();
        for (arguments, own) in readers {
            for format in [&[][..], &["--json"]] {
                let arguments = [arguments, format].concat();
                let run = env.run("/bin/sh", [&LIMITED, &arguments[..]].concat());
                let answered = catch_unwind(AssertUnwindSafe(|| {
                    let refused = planted.shown.is_empty() || planted.exit == Exit::Any;
                    let code = run.code.unwrap_or(-1);
                    assert!(
                        [0, 3].contains(&code) || own.contains(&code) || refused && code == 1,
                        "{run:#?}"
                    );
                    if format.is_empty() {
                        planted.assert_harmless(&run);
                    }
                    if code == 1 {
                        assert!(
                            !run.stderr.is_empty() || own.contains(&1),
                            "refused without a word: {run:#?}"
                        );
                    }
                    if !format.is_empty() && !run.stdout.is_empty() {
                        serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap();
                    }
                    let finds =
                        matches!(arguments[0], "show" | "read" | "search") && arguments[1] != "nosuchwordanywhere";
                    // Without knowing what is deleted, or what a person decided, some would rather say nothing.
                    let is_silent = run.stdout.is_empty() && !run.stderr.is_empty() && code == 3;
                    let is_found =
                        !planted.shown.is_empty() && code != 1 && !(is_silent && may_be_silent(arguments[0], planted));
                    if finds && is_found {
                        assert!(run.stdout.contains("healthyneighbour"), "{run:#?}");
                    }
                }));
                if answered.is_err() {
                    failed.push(arguments.join(" "));
                }
            }
        }
        assert!(failed.is_empty(), "{failed:?}");
    });
}

/// Whether an error without an answer is one: what is deleted isn't known, or what a person decided, or there is no place for an index.
fn may_be_silent(command: &str, planted: &Planted<'_>) -> bool {
    planted.exit == Exit::Any || command != "show" && planted.exit != Exit::Clean
}

const LIMITED: [&str; 4] = ["-c", "ulimit -v 2000000; exec \"$@\"", "sh", SEXTON];

#[test]
fn readers_of_one_session_answer() {
    every_reader_answers(&READERS[..3]);
}

#[test]
fn readers_of_words_answer() {
    every_reader_answers(&READERS[3..7]);
}

#[test]
fn all_other_readers_answer() {
    every_reader_answers(&READERS[7..]);
}

/// The same cases for someone whom file modes keep out.
#[test]
fn closed_doors_are_told_and_hide_nothing_else() {
    let cases = damage::catalogue();
    let mut doors = 0;
    for case in cases.iter().filter(|case| case.name.contains("may not be")) {
        let env = TestEnv::new();
        let planted = case.plant(&env);
        let program = env.root().join("bin/sexton");
        assert!(
            std::process::Command::new("cp")
                .arg(SEXTON)
                .arg(&program)
                .status()
                .unwrap()
                .success()
        );
        for arguments in [&["list", "--all"][..], &["search", "healthyneighbour"], &["show", ONE]] {
            let run = env
                .run_as_nobody(&program, arguments)
                .unwrap_or_else(|| env.run(&program, arguments));
            planted.assert_harmless(&run);
            assert!(matches!(run.code, Some(0 | 3)), "{}: {run:#?}", case.name);
            assert!(run.stdout.contains(ONE), "{}: {run:#?}", case.name);
        }
        doors += 1;
    }
    assert!(doors >= 2);
}

/// Within an address space that a reader of whole files would burst.
#[test]
#[ignore = "writes hundreds of megabytes; run with `--ignored`"]
fn heavy_cases_are_listed_in_bounded_memory() {
    over(
        |case| case.heavy,
        |env, planted| {
            let limited = ["-c", "ulimit -v 1000000; exec \"$@\"", "sh", SEXTON, "list", "--all"];
            planted.assert_listing(&env.run("/bin/sh", limited));
        },
    );
}
