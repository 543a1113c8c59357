//! One archive, two who share nothing else and have a session of the same id: whoever is first has it, and the other keeps the own one.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use sexton_sys::{Effects, FaultPlan};
use sexton_testkit::{Transcript, TreePicture};
use sexton_yard::archive::list_archive;
use sexton_yard::item::{Applied, ItemError, Outcome};
use sexton_yard::recovery::recover;

use crate::devices::archive_to;
use crate::support::{NOBODY, World, assert_done, id, in_memory};

fn world(words: &str) -> World {
    let world = World::new();
    world.plant_small(1);
    Transcript::new(id(1).as_str())
        .conversation(words, "yes")
        .write(&world.config);
    world
}

fn archived(world: &World, effects: &Effects, archive: &Path) -> Applied {
    archive_to(world, &world.yard(effects, &NOBODY), id(1), archive).unwrap()
}

/// What is at home of the session; nothing once it is archived.
fn at_home(world: &World) -> Vec<String> {
    let picture = TreePicture::of(&world.config).without_times().to_string();
    let own = picture.lines().filter(|line| line.contains(id(1).as_str()));
    own.map(str::to_owned).collect()
}

#[test]
fn the_other_one_comes_between_any_two_steps() {
    between_any_two_steps(&|_| ());
}

#[test]
fn also_where_a_power_cut_has_left_an_empty_manifest() {
    between_any_two_steps(&|archive| {
        let rest = archive.join(format!("{}.sexton", id(1)));
        fs::create_dir_all(&rest).unwrap();
        fs::write(rest.join("manifest.json"), b"").unwrap();
    });
}

fn between_any_two_steps(arrange: &dyn Fn(&Path)) {
    let counting = Effects::faulty(FaultPlan::count_only());
    let directory = in_memory();
    let archive = directory.path().join("archive");
    arrange(&archive);
    assert_done(&archived(&world("mine"), &counting, &archive));
    let (mut firsts, mut seconds) = (0, 0);
    for at in 0..counting.steps_taken() {
        let directory = in_memory();
        let archive = directory.path().join("archive");
        arrange(&archive);
        let (mine, theirs) = (world("mine"), Arc::new(world("theirs")));
        let before = [&mine, &*theirs].map(at_home);
        let done = Arc::new(Mutex::new(None));
        let effects = {
            let (theirs, archive, done) = (Arc::clone(&theirs), archive.clone(), Arc::clone(&done));
            Effects::faulty(FaultPlan::asking(move |step| {
                if step.number == at {
                    *done.lock().unwrap() = Some(archived(&theirs, &Effects::apply(), &archive));
                }
                None
            }))
        };
        let own = archived(&mine, &effects, &archive);
        let other = done.lock().unwrap().take().unwrap();
        let what = format!("at {at}: {own:?}, {other:?}\n{}", TreePicture::of(&archive));
        let has = |applied: &Applied| !applied.items.is_empty() && applied.is_complete();
        assert_ne!(has(&own), has(&other), "{what}");
        let (first, second, kept, words, refused) = if has(&own) {
            (&mine, &*theirs, &before[1], "mine", &other)
        } else {
            (&*theirs, &mine, &before[0], "theirs", &own)
        };
        // Later on the plan already says so.
        if let Some(item) = refused.items.first() {
            let error = match &item.outcome {
                Outcome::LeftAlone(error) | Outcome::RolledBack(error) => error,
                other => panic!("{other:?}, {what}"),
            };
            assert!(
                matches!(error, ItemError::Claimed { .. } | ItemError::Occupied { .. }),
                "{what}"
            );
        }
        firsts += u32::from(has(&own));
        seconds += u32::from(has(&other));
        assert_eq!(at_home(second), *kept, "{what}");
        assert_eq!(list_archive(&archive).unwrap(), [id(1)], "{what}");
        let text = fs::read_to_string(archive.join(format!("{}.jsonl", id(1)))).unwrap();
        assert!(text.contains(words), "{what}");
        let manifest = archive.join(format!("{}.sexton/manifest.json", id(1)));
        let manifest = fs::read_to_string(manifest).unwrap();
        assert!(manifest.contains(first.config.to_str().unwrap()), "{what}\n{manifest}");
        for world in [first, second] {
            let effects = Effects::apply();
            assert_eq!(recover(&world.yard(&effects, &NOBODY)).unwrap().len(), 0, "{what}");
        }
    }
    assert!(firsts > 3 && seconds > 3, "{firsts} {seconds}");
}
