//! Every invariant over its seeds, over the inputs that once failed, and over mutations of both: the bounded run that needs no fuzzer.
//!
//! `SEXTON_FUZZ_INPUTS` says how many mutated inputs each target gets.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test arranges files directly and fails by panicking"
)]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use sexton_invariants::{Mutator, TARGETS, Target};

/// Enough to notice a mistake, few enough for a debug build.
const INPUTS: usize = 300;

fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/seeds")
        .join(target.name);
    let mut paths: Vec<PathBuf> = fs::read_dir(&directory)
        .unwrap_or_else(|error| panic!("`{}`: {error}", directory.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

fn holds(target: &Target, input: &[u8]) {
    let held = catch_unwind(AssertUnwindSafe(|| (target.check)(input)));
    assert!(
        held.is_ok(),
        "`{}` doesn't hold for `{}`",
        target.name,
        input.escape_ascii()
    );
}

fn check(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let seeds = seeds(target);
    assert!(seeds.len() > 2, "`{name}` has hardly any seeds");
    holds(target, b"");
    for seed in &seeds {
        holds(target, seed);
    }
    let inputs = std::env::var("SEXTON_FUZZ_INPUTS")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut mutator = Mutator::new(1);
    for _ in 0..inputs.unwrap_or(INPUTS) {
        holds(target, &mutator.input(&seeds));
    }
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        #[test]
        fn every_target_is_tested_and_has_a_fuzz_target() {
            let tested = [$(stringify!($name)),*];
            let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
            let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
            assert_eq!(TARGETS.iter().map(|target| target.name).collect::<Vec<_>>(), tested);
            for name in tested {
                assert!(fuzz.join("fuzz_targets").join(format!("{name}.rs")).is_file(), "{name}");
                assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
            }
        }
    };
}

targets! {
    event_line
    register_file
    transcript_record
    transcript_file
    registry_file
    hook_payload
    settings_edit
    tombstone_file
    query
    journal
    manifest
    vault_manifest
    configuration
}
