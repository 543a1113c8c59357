//! Real processes, killed at every step.

use std::path::Path;

use sexton_sys::{Effects, Fault, FaultPlan};
use sexton_testkit::crash::{End, run_again, task};
use sexton_yard::recovery::recover;

use crate::crash::{check, cleared, states};
use crate::scenarios::{Scenario, scenario};
use crate::support::{NOBODY, World, in_memory};

/// A child: `<scenario>:<step>:<directory>`; kills itself at the step.
fn as_child(task: &str) {
    let mut parts = task.splitn(3, ':');
    let mut next = || parts.next().unwrap();
    let (name, step, root) = (next(), next(), next());
    let world = World::at(Path::new(root), &Path::new(root).join("data"));
    let plan = match step.parse() {
        Ok(step) => FaultPlan::new(step, Fault::Kill),
        Err(_) => FaultPlan::count_only(),
    };
    let effects = Effects::faulty(plan);
    (scenario(name).act)(&world, &world.yard(&effects, &NOBODY));
}

fn arranged(scenario: &Scenario) -> (tempfile::TempDir, World) {
    let directory = in_memory();
    let world = World::at(directory.path(), &directory.path().join("data"));
    let effects = Effects::apply();
    (scenario.arrange)(&world, &world.yard(&effects, &NOBODY));
    (directory, world)
}

fn killed_at_every_step(test: &str, name: &str) {
    if let Some(task) = task() {
        return as_child(task.to_str().unwrap());
    }
    let scenario = scenario(name);
    let (before, after, steps) = crate::crash::undisturbed(scenario, 2);
    let mut killed = 0;
    for step in 0..steps {
        let (directory, world) = arranged(scenario);
        let end = run_again(test, format!("{name}:{step}:{}", directory.path().display()), None);
        killed += u64::from(end == End::Killed);
        let interrupted = states(&world);
        let effects = Effects::apply();
        let told = recover(&world.yard(&effects, &NOBODY)).unwrap();
        assert!(
            states(&world) == interrupted || !told.is_empty(),
            "settled without a word"
        );
        cleared(&world);
        check(&world, &before, &after, &format!("{} killed at {step}", scenario.name));
    }
    assert_eq!(killed, steps, "every step was one to be killed at");
}

#[test]
fn archive() {
    killed_at_every_step("kill::archive", "archive");
}

#[test]
fn delete() {
    killed_at_every_step("kill::delete", "delete");
}

#[test]
fn restore() {
    killed_at_every_step("kill::restore", "restore from the trash");
}

#[test]
fn restore_from_a_copy() {
    killed_at_every_step("kill::restore_from_a_copy", "restore from a copy");
}

#[test]
fn empty() {
    killed_at_every_step("kill::empty", "empty");
}

#[test]
fn lift_tombstones() {
    killed_at_every_step("kill::lift_tombstones", "lift tombstones");
}
