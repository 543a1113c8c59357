//! Links put in place of things between two steps of an operation: nothing outside is moved, changed, removed or taken in.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use sexton_sys::{Effects, FaultPlan};
use sexton_testkit::{SmallFilesystem, Swap, Trap};
use sexton_yard::Yard;
use sexton_yard::recovery::recover;

use crate::devices::archive_to;
use crate::scenarios::scenario;
use crate::support::{NOBODY, World, id};

/// A world that `arrange` has made something of, with something outside.
fn arranged(arrange: &dyn Fn(&World, &Yard<'_>)) -> (World, Trap) {
    let mut world = World::new();
    world.crew = 1;
    let effects = Effects::apply();
    arrange(&world, &world.yard(&effects, &NOBODY));
    let trap = Trap::in_directory(&world.root);
    (world, trap)
}

/// What was swapped, and everything outside after that.
type Swapped = (PathBuf, BTreeSet<String>);

/// Runs the operation with the swap made just before the step `at`; nothing if there was nothing to swap.
fn swapped(world: &World, trap: &Trap, act: &dyn Fn(&World, &Yard<'_>), at: u64, swap: Swap) -> Option<Swapped> {
    let (trap, copies) = (trap.clone(), world.root.join("copies"));
    let noted = Arc::new(Mutex::new(None));
    let note = Arc::clone(&noted);
    let effects = Effects::faulty(FaultPlan::asking(move |step| {
        // Until its parts are moved, a copy is filled by the scenario itself.
        let is_filled = step.path.to_string_lossy().contains("/.restore-") && !step.action.contains("move");
        if step.number == at
            && !is_filled
            && !step.path.starts_with(&copies)
            && let Some(target) = trap.spring(swap, step.path)
        {
            *note.lock().unwrap() = Some((target, trap.picture()));
        }
        None
    }));
    act(world, &world.yard(&effects, &NOBODY));
    noted.lock().unwrap().take()
}

fn nothing_outside_is_touched(arrange: &dyn Fn(&World, &Yard<'_>), act: &dyn Fn(&World, &Yard<'_>)) {
    let counting = Effects::faulty(FaultPlan::count_only());
    let (world, _) = arranged(arrange);
    act(&world, &world.yard(&counting, &NOBODY));
    let mut made = 0;
    for at in 0..counting.steps_taken() {
        for swap in Swap::ALL {
            let (world, trap) = arranged(arrange);
            let Some((target, outside)) = swapped(&world, &trap, act, at, swap) else {
                continue;
            };
            made += 1;
            for moment in ["", ", recovered"] {
                let what = format!("{swap:?} at step {at}{moment}");
                trap.assert_untouched(&outside, &what);
                for place in [&world.config, &world.data, &world.stones] {
                    // A second name goes where the file goes whose place it took; the first one stays.
                    if swap != Swap::HardLink {
                        Trap::assert_not_taken_in(place, &what);
                    }
                }
                // A link that stays is a directory that someone keeps elsewhere.
                trap.release(&target);
                let effects = Effects::apply();
                let _ = recover(&world.yard(&effects, &NOBODY));
            }
        }
    }
    assert!(made > 20, "{made}");
}

macro_rules! scenarios {
    ($($test:ident $name:literal)*) => {
        $(#[test] fn $test() {
            nothing_outside_is_touched(&scenario($name).arrange, &scenario($name).act);
        })*
    };
}

scenarios! {
    archive "archive"
    delete "delete"
    restore_from_the_trash "restore from the trash"
    restore_from_the_archive "restore from the archive"
    restore_from_a_copy "restore from a copy"
    restore_over_a_stub "restore over a stub"
    tidy_stubs "tidy stubs"
    delete_archived_sessions "delete archived sessions"
    empty "empty"
    purge "purge"
}

#[test]
fn archive_to_another_device() {
    let Some(other) = SmallFilesystem::mount(16 << 20) else {
        return;
    };
    let archive = other.path().join("archive");
    let arrange = |world: &World, _: &Yard<'_>| {
        world.plant_small(1);
        let _ = fs::remove_dir_all(&archive);
    };
    let act = |world: &World, yard: &Yard<'_>| {
        drop(archive_to(world, yard, id(1), &archive));
        Trap::assert_not_taken_in(&archive, "copied");
    };
    nothing_outside_is_touched(&arrange, &act);
}
