//! Every reading command over every kind of damage: it answers right, ends, and can't be made to drive a terminal.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use sexton_testkit::damage::{self, Case, Planted};
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
    let Ok(again) = sexton_register::load_all_again(&env.register_dir(), &[], LATER_MS) else {
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
        if planted.shown.is_empty() {
            return;
        }
        let run = sexton(env, &["show", &session_id(1)]);
        planted.assert_harmless(&run);
        assert!(matches!(run.code, Some(0 | 3)), "{run:#?}");
        assert!(run.stdout.contains("healthyneighbour"), "{run:#?}");
    });
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
