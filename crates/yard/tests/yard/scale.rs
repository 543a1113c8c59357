//! Very many sessions.

use std::fs;

use sexton_sys::Effects;
use sexton_yard::filter::DeleteOptions;
use sexton_yard::plan_delete;

use crate::support::{NOBODY, World, assert_done, id};

fn many(world: &World, count: u128) {
    for number in 1..=count {
        let project = world.config.join(format!("projects/-p{}", number % 100));
        if number <= 100 {
            fs::create_dir_all(&project).unwrap();
        }
        fs::write(project.join(format!("{}.jsonl", id(number))), "{\"type\":\"mode\"}\n").unwrap();
    }
}

#[test]
fn fifty_thousand_sessions_are_planned_and_some_of_them_go() {
    let world = World::new();
    many(&world, 50_000);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let all = DeleteOptions {
        project: Some("-p".to_owned()),
        ..DeleteOptions::default()
    };
    let plan = plan_delete(&yard, &world.ground().survey(), &all).unwrap();
    assert_eq!((plan.matched.len(), plan.takes_most()), (50_000, true));

    let some = DeleteOptions {
        project: Some("-p77".to_owned()),
        ..DeleteOptions::default()
    };
    let ground = world.ground();
    let plan = plan_delete(&yard, &ground.survey(), &some).unwrap();
    let applied = plan.apply(&yard, &ground.survey()).unwrap();
    assert_done(&applied);
    assert_eq!((applied.items.len(), world.tombstones().len()), (500, 500));
    assert!(!world.config.join("projects/-p77").exists());
}

#[test]
fn syncs_are_paid_by_the_batch() {
    let steps = |count: u128| {
        let world = World::new();
        many(&world, count);
        let effects = Effects::faulty(sexton_sys::FaultPlan::count_only());
        let yard = world.yard(&effects, &NOBODY);
        let options = DeleteOptions {
            project: Some("-p1".to_owned()),
            ..DeleteOptions::default()
        };
        let ground = world.ground();
        let plan = plan_delete(&yard, &ground.survey(), &options).unwrap();
        assert_done(&plan.apply(&yard, &ground.survey()).unwrap());
        (world.tombstones().len() as u64, effects.steps_taken())
    };
    // One step a session is its rename; the rest is shared.
    let ((few, few_steps), (more, more_steps)) = (steps(1_000), steps(3_000));
    assert!(more > 2 * few);
    assert!(
        more_steps - few_steps <= (more - few) + 40,
        "{few} {few_steps} {more} {more_steps}"
    );
}
