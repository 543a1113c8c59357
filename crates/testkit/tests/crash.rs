//! Children are started, told what to do, and killed where they were meant to be.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use sexton_sys::{Durability, Effects, Fault, FaultPlan};
use sexton_testkit::TestEnv;
use sexton_testkit::crash::{self, End};

#[test]
fn a_child_dies_at_the_step_its_task_names() {
    if let Some(task) = crash::task() {
        let task = task.into_string().unwrap();
        let (step, path) = task.split_once(' ').unwrap();
        let effects = Effects::faulty(FaultPlan::new(step.parse().unwrap(), Fault::Kill));
        for _ in 0..100 {
            effects
                .append(Path::new(path), b"line\n", Durability::Buffered)
                .unwrap();
        }
        return;
    }
    let env = TestEnv::new();
    let path = env.home().join("file");
    let run = |step: u64| {
        crash::run_again(
            "a_child_dies_at_the_step_its_task_names",
            format!("{step} {}", path.display()),
            None,
        )
    };
    assert_eq!(run(30), End::Killed);
    let lines = fs::read_to_string(&path).unwrap().lines().count();
    assert!((1..100).contains(&lines), "{lines}");
    assert_eq!(run(u64::MAX), End::Exited(0));
}

#[test]
fn a_child_dies_at_an_instant_or_ends_before() {
    if crash::task().is_some() {
        loop {
            std::thread::park();
        }
    }
    let mut instants = crash::instants(1, Duration::from_millis(50));
    let end = crash::run_again("a_child_dies_at_an_instant_or_ends_before", "wait", instants.next());
    assert_eq!(end, End::Killed);
    assert_eq!(
        crash::kill_after(Command::new("sh").args(["-c", "exit 4"]), Duration::from_mins(1)),
        End::Exited(4)
    );
}
