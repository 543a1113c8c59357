//! Every reading command over every kind of damage: it answers right, ends, and can't be made to drive a terminal.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use sexton_testkit::damage::{self, Case, Planted};
use sexton_testkit::{Run, TestEnv, session_id};

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
