//! Several processes at the tombstone file at once.

use std::path::Path;

use sexton_sys::Effects;
use sexton_testkit::crash::{End, run_again, task};
use sexton_yard::tombstones::{lift_tombstones, load_tombstones, tombstone_ids};

use crate::support::in_memory;

const EACH: usize = 60;

/// Adds its own ids one by one and lifts every other again.
fn as_child(task: &str) {
    let (who, directory) = task.split_once(':').unwrap();
    let effects = Effects::apply();
    let directory = Path::new(directory);
    for number in 0..EACH {
        let id = format!("{who}-{number}");
        tombstone_ids(&effects, directory, &[&id]).unwrap();
        if number % 2 == 0 {
            lift_tombstones(&effects, directory, &[&id]).unwrap();
        }
    }
}

#[test]
fn concurrent_appends_and_liftings_lose_nothing() {
    if let Some(task) = task() {
        return as_child(task.to_str().unwrap());
    }
    let directory = in_memory();
    std::thread::scope(|scope| {
        for who in ["a", "b", "c"] {
            let directory = directory.path();
            scope.spawn(move || {
                let task = format!("{who}:{}", directory.display());
                let end = run_again("processes::concurrent_appends_and_liftings_lose_nothing", task, None);
                assert_eq!(end, End::Exited(0));
            });
        }
    });
    let found = load_tombstones(directory.path()).unwrap();
    let mut expected: Vec<String> = ["a", "b", "c"]
        .iter()
        .flat_map(|who| {
            (0..EACH)
                .filter(|number| number % 2 == 1)
                .map(move |number| format!("{who}-{number}"))
        })
        .collect();
    expected.sort();
    assert_eq!(found.iter().collect::<Vec<_>>(), expected);
}
