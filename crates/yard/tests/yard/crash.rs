//! Stopped at every step, then recovered: each session is where it was or where it was going, whole.

use std::path::{Path, PathBuf};

use sexton_register::SessionId;
use sexton_sys::{Effects, Fault, FaultPlan};
use sexton_testkit::TreePicture;
use sexton_yard::Yard;
use sexton_yard::journal::Tail;
use sexton_yard::recovery::{Pending, pending, recover};
use sexton_yard::tombstones::{add_tombstones, remove_tombstones};
use sexton_yard::trash::{Selection, plan_empty};
use sexton_yard::undo::plan_undo;

use crate::support::{NOBODY, World, keeping_times};

/// An operation to be interrupted: what is arranged before it, and the operation.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) arrange: fn(&World, &Yard<'_>),
    pub(crate) act: fn(&World, &Yard<'_>),
}

fn ids(world: &World) -> Vec<SessionId> {
    (1..=world.crew).map(crate::support::id).collect()
}

fn plant(world: &World, _: &Yard<'_>) {
    for number in 1..=world.crew {
        world.plant_small(number);
    }
}

pub(crate) const SCENARIOS: [Scenario; 8] = [
    Scenario {
        name: "archive",
        arrange: plant,
        act: |world, yard| drop(world.try_archive(yard, &ids(world))),
    },
    Scenario {
        name: "delete",
        arrange: plant,
        act: |world, yard| {
            let plan = world.plan_delete(yard, &ids(world));
            let _ = plan.apply(yard, &world.ground().survey());
        },
    },
    Scenario {
        name: "restore from the trash",
        arrange: |world, yard| {
            plant(world, yard);
            world.delete(yard, &ids(world));
        },
        act: |world, yard| {
            let _ = world.plan_restore(yard, ids(world)[0]).apply(yard);
        },
    },
    Scenario {
        name: "restore from the archive",
        arrange: |world, yard| {
            plant(world, yard);
            world.archive(yard, &ids(world));
        },
        act: |world, yard| {
            let _ = world.plan_restore(yard, ids(world)[0]).apply(yard);
        },
    },
    Scenario {
        name: "empty",
        arrange: |world, yard| {
            plant(world, yard);
            for session in ids(world) {
                world.delete(yard, &[session]);
            }
        },
        act: |world, yard| {
            let _ = plan_empty(&world.trash(), Selection::All).apply(yard);
        },
    },
    Scenario {
        name: "add tombstones",
        arrange: plant,
        act: |_, yard| {
            let _ = add_tombstones(yard, &["another".to_owned(), "third".to_owned()]);
        },
    },
    Scenario {
        name: "lift tombstones",
        arrange: |world, yard| {
            plant(world, yard);
            add_tombstones(yard, &["another".to_owned(), "third".to_owned(), "fourth".to_owned()]).unwrap();
        },
        act: |_, yard| {
            let _ = remove_tombstones(yard, &["another".to_owned(), "third".to_owned()]);
        },
    },
    Scenario {
        name: "undo a delete",
        arrange: |world, yard| {
            plant(world, yard);
            world.delete(yard, &ids(world));
        },
        act: |world, yard| {
            let ground = world.ground();
            if let Ok(plan) = plan_undo(yard, &ground.survey(), &world.trash(), &keeping_times()) {
                let _ = plan.apply(yard, &ground.survey());
            }
        },
    },
];

/// Everything that belongs to one session, wherever it lies, and whether it is tombstoned.
#[derive(Debug, PartialEq, Eq, Clone)]
pub(crate) struct State {
    /// The paths of its files relative to the world, without the name of a trash generation, which differs from run to run.
    paths: Vec<PathBuf>,
    tombstoned: bool,
}

pub(crate) fn states(world: &World) -> Vec<State> {
    let picture = TreePicture::of(&world.root);
    let tombstones = world.tombstones();
    ids(world)
        .into_iter()
        .map(|session| {
            // Not the archive's own directories and manifest: one error while they are tidied away leaves them, and harms nobody.
            let is_own = |path: &str| match path.rsplit_once(".sexton") {
                Some((_, below)) => below.contains(session.as_str()),
                None => path.contains(session.as_str()),
            };
            let own = picture.paths().filter(|path| is_own(&path.to_string_lossy()));
            State {
                paths: own.map(without_generation).collect(),
                tombstoned: tombstones.contains(session.as_str()),
            }
        })
        .collect()
}

fn without_generation(path: &Path) -> PathBuf {
    let mut after_trash = false;
    path.components()
        .filter(|component| {
            let is_generation = std::mem::replace(&mut after_trash, component.as_os_str() == "trash");
            !is_generation
        })
        .collect()
}

/// What the world holds beside the sessions: never touched by any of this.
fn surroundings(world: &World) -> String {
    let picture = TreePicture::of(&world.config).without_times().to_string();
    let lines = picture.lines().filter(|line| {
        let of_a_session = ids(world).iter().any(|session| line.contains(session.as_str()));
        // The directories that hold sessions come and go.
        !of_a_session && !line.contains("directory")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Checks what must hold after recovery, whatever happened before it.
pub(crate) fn check(world: &World, before: &[State], after: &[State], what: &str) {
    let now = states(world);
    for ((now, before), after) in now.iter().zip(before).zip(after) {
        let unlike = |other: &State| -> Vec<String> {
            let paths = now
                .paths
                .iter()
                .filter(|path| !other.paths.contains(path))
                .map(|path| format!("+{}", path.display()));
            let missing = other
                .paths
                .iter()
                .filter(|path| !now.paths.contains(path))
                .map(|path| format!("-{}", path.display()));
            paths
                .chain(missing)
                .chain([format!("tombstoned {} / {}", now.tombstoned, other.tombstoned)])
                .collect()
        };
        assert!(
            now == before || now == after,
            "{what}: half way\nunlike before {:#?}\nunlike after {:#?}",
            unlike(before),
            unlike(after)
        );
    }
    let strays: Vec<String> = TreePicture::of(&world.root)
        .paths()
        .map(|path| path.display().to_string())
        .filter(|path| path.contains(".sexton-") || path.contains(".emptying"))
        .collect();
    assert!(strays.is_empty(), "{what}: {strays:?}");
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_eq!(yard.journal().tail().unwrap(), Tail::Settled, "{what}");
    assert_eq!(pending(&yard).unwrap(), Pending::Nothing, "{what}");
}

fn arranged(scenario: &Scenario, crew: u128) -> World {
    let mut world = World::new();
    world.crew = crew;
    let effects = Effects::apply();
    (scenario.arrange)(&world, &world.yard(&effects, &NOBODY));
    world
}

/// The states before and after an undisturbed run, and how many steps it takes.
pub(crate) fn undisturbed(scenario: &Scenario, crew: u128) -> (Vec<State>, Vec<State>, u64) {
    let world = arranged(scenario, crew);
    let before = states(&world);
    let counting = Effects::faulty(FaultPlan::count_only());
    (scenario.act)(&world, &world.yard(&counting, &NOBODY));
    let after = states(&world);
    check(&world, &after, &after, scenario.name);
    (before, after, counting.steps_taken())
}

fn recovered(world: &World, effects: &Effects) -> Option<usize> {
    let done = recover(&world.yard(effects, &NOBODY)).ok()?;
    for line in &done {
        assert!(line.to_string().contains("interrupted"), "{line}");
        assert!(!line.to_string().contains('\n'), "one line each: {line}");
    }
    Some(done.len())
}

/// Stops or fails the scenario at every step, and recovers.
fn interrupt(number: usize) {
    let scenario = &SCENARIOS[number];
    let (before, after, steps) = undisturbed(scenario, 2);
    assert!(steps > 5, "{}: {steps}", scenario.name);
    for at in 0..steps {
        for fault in [
            Fault::Stop,
            Fault::ErrorFromHere(rustix::io::Errno::NOSPC.raw_os_error()),
            // A step that is no append fails by itself.
            Fault::ShortWrite(700),
        ] {
            let what = format!("{} with {fault:?} at step {at}", scenario.name);
            let world = arranged(scenario, 2);
            let around = surroundings(&world);
            let faulty = Effects::faulty(FaultPlan::new(at, fault));
            (scenario.act)(&world, &world.yard(&faulty, &NOBODY));
            let interrupted = states(&world);
            let told = recovered(&world, &Effects::apply()).unwrap();
            if states(&world) != interrupted {
                assert!(told > 0, "{what}: settled without a word");
            }
            check(&world, &before, &after, &what);
            assert_eq!(surroundings(&world), around, "{what}");
        }
    }
}

/// Stops the scenario at every step, stops its recovery at every step, and recovers again.
fn interrupt_recovery(number: usize) {
    let scenario = &SCENARIOS[number];
    let (before, after, steps) = undisturbed(scenario, 1);
    for at in 0..steps {
        let interrupted = || {
            let world = arranged(scenario, 1);
            let stopped = Effects::faulty(FaultPlan::new(at, Fault::Stop));
            (scenario.act)(&world, &world.yard(&stopped, &NOBODY));
            world
        };
        let counting = Effects::faulty(FaultPlan::count_only());
        recovered(&interrupted(), &counting).unwrap();
        for again in 0..counting.steps_taken() {
            let world = interrupted();
            recovered(&world, &Effects::faulty(FaultPlan::new(again, Fault::Stop)));
            recovered(&world, &Effects::apply()).unwrap();
            let what = format!("{} stopped at {at}, recovery at {again}", scenario.name);
            check(&world, &before, &after, &what);
        }
    }
}

macro_rules! scenarios {
    ($($name:ident $number:literal)*) => {
        mod interrupted {
            $(#[test] fn $name() { super::interrupt($number); })*
        }
        mod recovery_interrupted {
            $(#[test] fn $name() { super::interrupt_recovery($number); })*
        }
    };
}

scenarios! {
    archive 0
    delete 1
    restore_from_the_trash 2
    restore_from_the_archive 3
    empty 4
    add_tombstones 5
    lift_tombstones 6
    undo_a_delete 7
}
