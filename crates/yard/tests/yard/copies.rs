//! Copies of the vault's: extracted into a directory of their own, and restored from there.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use sexton_register::SessionId;
use sexton_sys::{Clock, EffectError, Effects, Fault, FaultPlan, FileTime};
use sexton_testkit::TreePicture;
use sexton_yard::Yard;
use sexton_yard::gate::Vouched;
use sexton_yard::item::{Applied, Outcome};
use sexton_yard::recovery::{Settlement, recover};
use sexton_yard::restore::{Extracted, Scratch, Source, clear_abandoned, plan_restore};
use sexton_yard::tombstones::add_tombstones;

use crate::crash::cleared;
use crate::support::{NOBODY, World, assert_done, keeping_times};

/// What a session consists of, relative to its config directory.
fn parts(session: SessionId) -> [PathBuf; 4] {
    let transcript = PathBuf::from(format!("projects/-home-dev-sample/{session}.jsonl"));
    [
        transcript.with_extension(""),
        PathBuf::from(format!("file-history/{session}")),
        PathBuf::from(format!("todos/{session}-agent-1.json")),
        transcript,
    ]
}

/// A session of which only a copy is left.
pub(crate) fn set_apart(world: &World, session: SessionId) {
    for part in parts(session) {
        let to = world.root.join("copies").join(&part);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(world.config.join(part), to).unwrap();
    }
}

/// What the vault and the command do.
pub(crate) fn restore_copy(world: &World, yard: &Yard<'_>, session: SessionId) -> Option<Applied> {
    let scratch = Scratch::make(yard).ok()?;
    let applied = restored(world, yard, session, scratch.directory());
    let _ = scratch.clear(yard, applied.as_ref());
    applied
}

fn restored(world: &World, yard: &Yard<'_>, session: SessionId, directory: PathBuf) -> Option<Applied> {
    for part in parts(session) {
        copy(
            yard.effects,
            &world.root.join("copies").join(&part),
            &directory.join(part),
        )
        .ok()?;
    }
    let copy = Extracted {
        session,
        directory,
        config_dir: world.config.clone(),
    };
    let ground = world.ground();
    let plan = plan_restore(
        yard,
        &ground.survey(),
        &Source::Vault(session),
        Some(&copy),
        &keeping_times(),
        &Vouched::nobody(),
    );
    plan.ok()?.apply(yard).ok()
}

fn copy(effects: &Effects, from: &Path, to: &Path) -> Result<(), EffectError> {
    if from.is_file() {
        effects.create_directory(to.parent().unwrap())?;
        return effects.copy_file(from, to);
    }
    effects.create_directory(to)?;
    for entry in fs::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        copy(effects, &from.join(&name), &to.join(&name))?;
    }
    effects.set_mode(to, from.metadata().unwrap().mode() & 0o7777)
}

#[test]
fn a_copy_is_restored_from_where_it_was_extracted() {
    let world = World::new();
    let session = world.plant_small(1);
    let before = TreePicture::of(&world.config).without_times();
    set_apart(&world, session);
    let effects = Effects::apply();
    assert_done(&restore_copy(&world, &world.yard(&effects, &NOBODY), session).unwrap());
    before.assert_unchanged(&TreePicture::of(&world.config).without_times());
    assert!(!TreePicture::of(&world.data).to_string().contains(".restore-"));
}

/// The first part arrives. From then on nothing moves, not even back, and nothing can be written down; only removing works.
#[test]
fn what_is_half_way_stays_where_it_was_extracted_until_it_is_settled() {
    let world = World::new();
    let session = world.plant_small(1);
    let before = TreePicture::of(&world.config).without_times();
    set_apart(&world, session);
    let has_moved = AtomicBool::new(false);
    let bad = Effects::faulty(FaultPlan::asking(move |step| {
        let fails = has_moved.load(Ordering::Relaxed) && !step.action.starts_with("remove");
        has_moved.fetch_or(step.action == "move", Ordering::Relaxed);
        fails.then_some(Fault::Error(5))
    }));
    let applied = restore_copy(&world, &world.yard(&bad, &NOBODY), session).unwrap();
    assert!(
        matches!(applied.items[0].outcome, Outcome::Unfinished(_)),
        "{applied:?}"
    );
    let effects = Effects::apply();
    assert_eq!(recover(&world.yard(&effects, &NOBODY)).unwrap().len(), 1);
    before.assert_unchanged(&TreePicture::of(&world.config).without_times());
    cleared(&world);
    assert!(!TreePicture::of(&world.data).to_string().contains(".restore-"));
}

/// The first part vanishes before its turn, and a client makes a file of its name before the next one fails to move.
#[test]
fn what_a_client_made_in_place_of_a_vanished_part_is_not_taken_back() {
    let world = World::new();
    let session = world.plant_small(1);
    set_apart(&world, session);
    let (config, made) = (world.config.clone(), Arc::new(Mutex::new(None)));
    let note = Arc::clone(&made);
    let effects = Effects::faulty(FaultPlan::asking(move |step| {
        let mut made = note.lock().unwrap();
        match (&*made, step.action) {
            (None, "move") => {
                let copy = step.path.ancestors().find(|above| above.ends_with("copy")).unwrap();
                *made = Some(config.join(step.path.strip_prefix(copy).unwrap()));
                let removed = fs::remove_file(step.path).or_else(|_| fs::remove_dir_all(step.path));
                removed.unwrap();
                None
            }
            (Some(place), "move") if !place.exists() => {
                fs::create_dir_all(place.parent().unwrap()).unwrap();
                fs::write(place, "new").unwrap();
                Some(Fault::Error(5))
            }
            _ => None,
        }
    }));
    let applied = restore_copy(&world, &world.yard(&effects, &NOBODY), session).unwrap();
    assert!(
        matches!(applied.items[0].outcome, Outcome::RolledBack(_)),
        "{applied:?}"
    );
    let place = made.lock().unwrap().take().unwrap();
    assert_eq!(fs::read_to_string(place).unwrap(), "new");
}

/// Killed when all was back and its tombstone was not lifted yet; then a client goes on with the session, and the tombstones can't be written.
#[test]
fn a_copy_that_was_gone_on_with_does_not_go_back_to_where_it_was_extracted() {
    let world = World::new();
    let session = world.plant_small(1);
    set_apart(&world, session);
    let tombstones = world.stones.clone();
    let effects = Effects::apply();
    add_tombstones(&world.yard(&effects, &NOBODY), &[session.to_string()]).unwrap();
    let stones = tombstones.clone();
    let stopping = Effects::faulty(FaultPlan::asking(move |step| {
        step.path.starts_with(&stones).then_some(Fault::Stop)
    }));
    restore_copy(&world, &world.yard(&stopping, &NOBODY), session);
    let transcript = world.transcript(session);
    let mut content = fs::read(&transcript).unwrap();
    content.extend_from_slice(b"{}\n");
    fs::write(&transcript, &content).unwrap();

    let bad = Effects::faulty(FaultPlan::asking(move |step| {
        step.path.starts_with(&tombstones).then_some(Fault::Error(5))
    }));
    let open = recover(&world.yard(&bad, &NOBODY)).unwrap();
    assert!(matches!(open[0].settlement, Settlement::StillOpen(_)), "{open:?}");
    drop(clear_abandoned(&world.yard(&effects, &NOBODY), &|_| true));
    assert_eq!(fs::read(&transcript).unwrap(), content);
    let done = recover(&world.yard(&effects, &NOBODY)).unwrap();
    assert!(matches!(done[0].settlement, Settlement::Finished), "{done:?}");
    assert!(fs::read(&transcript).unwrap() == content && !world.is_tombstoned(session));
    cleared(&world);
    assert!(!TreePicture::of(&world.data).to_string().contains(".restore-"));
}

#[test]
fn what_may_be_in_use_or_is_nowhere_else_is_not_cleared() {
    let world = World::new();
    let effects = Effects::apply();
    let top = world.data.join(".restore-a1B2c3");
    fs::create_dir_all(top.join("projects")).unwrap();
    let age = |hours: i64| {
        let then = FileTime::from_ms(world.clock.now_ms() - hours * 3_600_000);
        effects.set_modified(&top, then).unwrap();
    };
    let clear = |is_held: bool| {
        let asked = std::cell::RefCell::new(Vec::new());
        let errors = clear_abandoned(&world.yard(&effects, &NOBODY), &|extracted| {
            asked.borrow_mut().push(extracted.to_path_buf());
            is_held
        });
        assert!(errors.is_empty(), "{errors:?}");
        asked.into_inner()
    };
    // Without a lock, young and with something in it: an older sexton may be at it.
    age(0);
    assert_eq!(clear(true), Vec::<PathBuf>::new());
    age(2);
    assert_eq!(clear(false), std::slice::from_ref(&top));
    assert!(top.join("projects").exists());
    fs::create_dir(top.join("copy")).unwrap();
    assert_eq!(clear(true), [top.join("copy")]);
    assert!(!top.exists());
}
