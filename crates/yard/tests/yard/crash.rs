//! Stopped at every step, then recovered: each session is where it was or where it was going, whole.

use rustix::io::Errno;
use sexton_sys::{Effects, Fault, FaultPlan};
use sexton_testkit::TreePicture;
use sexton_yard::journal::Tail;
use sexton_yard::recovery::{Pending, pending, recover};
use sexton_yard::restore::clear_abandoned;

use crate::scenarios::{Scenario, ids, scenario};
use crate::support::{NOBODY, World};

/// Everything that belongs to one session, wherever it lies, and whether it is tombstoned.
#[derive(Debug, PartialEq, Eq, Clone)]
pub(crate) struct State {
    /// Its files relative to the world, with content and mode, without the name of a trash generation, which differs from run to run.
    paths: Vec<String>,
    tombstoned: bool,
}

pub(crate) fn states(world: &World) -> Vec<State> {
    let picture = TreePicture::of(&world.root).without_times().to_string();
    let tombstones = world.tombstones();
    ids(world)
        .into_iter()
        .map(|session| {
            // Not the archive's own directories and manifest: one error while they are tidied away leaves them, and harms nobody.
            let is_own = |path: &str| match path.rsplit_once(".sexton") {
                Some((_, below)) => below.contains(session.as_str()),
                None => path.contains(session.as_str()),
            };
            let own = picture
                .lines()
                .filter_map(|line| line.split_once(' '))
                .filter(|(path, _)| is_own(path));
            let mut paths: Vec<String> = own
                .map(|(path, seen)| format!("{} {seen}", without_generation(path)))
                .collect();
            paths.sort();
            State {
                paths,
                tombstoned: tombstones.contains(session.as_str()),
            }
        })
        .collect()
}

fn without_generation(path: &str) -> String {
    let mut after_trash = false;
    let components = path.split('/').filter(|component| {
        let is_generation = std::mem::replace(&mut after_trash, *component == "trash");
        !is_generation
    });
    components.collect::<Vec<_>>().join("/")
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
                .map(|path| format!("+{path}"));
            let missing = other
                .paths
                .iter()
                .filter(|path| !now.paths.contains(path))
                .map(|path| format!("-{path}"));
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
        .filter(|path| {
            [".sexton-", ".emptying", ".restore-"]
                .iter()
                .any(|stray| path.contains(stray))
        })
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
    let is_about_others = scenario.name.contains("tombstones");
    assert!(
        before != after || is_about_others,
        "{}: nothing happened",
        scenario.name
    );
    check(&world, &after, &after, scenario.name);
    (before, after, counting.steps_taken())
}

fn recovered(world: &World, effects: &Effects) -> Option<usize> {
    let yard = world.yard(effects, &NOBODY);
    let done = recover(&yard).ok()?;
    for line in &done {
        assert!(line.to_string().contains("interrupted"), "{line}");
        assert!(!line.to_string().contains('\n'), "one line each: {line}");
    }
    Some(done.len())
}

/// What the next restore does beside it. Other tests start processes, which hold what we held until they become another program.
pub(crate) fn cleared(world: &World) {
    let is_left = || TreePicture::of(&world.data).to_string().contains(".restore-");
    for _ in 0..2000 {
        drop(clear_abandoned(&world.yard(&Effects::apply(), &NOBODY), &|_| true));
        if !is_left() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Stops or fails the scenario at every step, and recovers.
fn interrupt(name: &str) {
    let scenario = scenario(name);
    let (before, after, steps) = undisturbed(scenario, 2);
    assert!(steps > 5, "{}: {steps}", scenario.name);
    for at in 0..steps {
        for fault in [
            Fault::Stop,
            Fault::ErrorFromHere(Errno::NOSPC.raw_os_error()),
            // Over the quota one file is refused, and the next, smaller one is not.
            Fault::Error(Errno::DQUOT.raw_os_error()),
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
            cleared(&world);
            check(&world, &before, &after, &what);
            assert_eq!(surroundings(&world), around, "{what}");
        }
    }
}

/// Stops the scenario at every step, stops its recovery at every step, and recovers again.
fn interrupt_recovery(name: &str) {
    let scenario = scenario(name);
    let (before, after, steps) = undisturbed(scenario, 1);
    for at in 0..steps {
        let interrupted = || {
            let world = arranged(scenario, 1);
            let stopped = Effects::faulty(FaultPlan::new(at, Fault::Stop));
            (scenario.act)(&world, &world.yard(&stopped, &NOBODY));
            world
        };
        let counting = Effects::faulty(FaultPlan::count_only());
        let world = interrupted();
        recovered(&world, &counting).unwrap();
        drop(clear_abandoned(&world.yard(&counting, &NOBODY), &|_| true));
        for again in 0..counting.steps_taken() {
            let world = interrupted();
            let stopped = Effects::faulty(FaultPlan::new(again, Fault::Stop));
            recovered(&world, &stopped);
            drop(clear_abandoned(&world.yard(&stopped, &NOBODY), &|_| true));
            recovered(&world, &Effects::apply()).unwrap();
            cleared(&world);
            let what = format!("{} stopped at {at}, recovery at {again}", scenario.name);
            check(&world, &before, &after, &what);
        }
    }
}

macro_rules! scenarios {
    ($($test:ident $name:literal)*) => {
        mod interrupted {
            $(#[test] fn $test() { super::interrupt($name); })*
        }
        mod recovery_interrupted {
            $(#[test] fn $test() { super::interrupt_recovery($name); })*
        }
    };
}

scenarios! {
    archive "archive"
    delete "delete"
    restore_from_the_trash "restore from the trash"
    restore_from_the_archive "restore from the archive"
    restore_from_a_copy "restore from a copy"
    restore_over_a_stub "restore over a stub"
    restore_into_the_archive "restore into the archive"
    delete_archived_sessions "delete archived sessions"
    delete_retained_sessions "delete retained sessions"
    archive_again_over_a_stub "archive again over a stub"
    tidy_stubs "tidy stubs"
    empty "empty"
    purge "purge"
    add_tombstones "add tombstones"
    lift_tombstones "lift tombstones"
    undo_a_delete "undo a delete"
    undo_an_archive "undo an archive"
    undo_a_restore "undo a restore"
    undo_tombstones "undo tombstones"
}
