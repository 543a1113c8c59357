//! Another process moves the very session, between one look of an operation and the next.

use std::cell::Cell;
use std::fs;
use std::thread;
use std::time::Duration;

use sexton_register::SessionId;
use sexton_sys::Effects;
use sexton_testkit::TreePicture;
use sexton_yard::archive::{ArchiveRequest, plan_archive};
use sexton_yard::delete::DeletePlan;
use sexton_yard::facts::SessionFacts;
use sexton_yard::gate::{Verdict, Vouched};
use sexton_yard::item::{Applied, ItemError, Outcome};
use sexton_yard::{Retained, plan_delete, tombstone_ids};

use crate::support::{NOBODY, World, assert_done, by_id, id};

#[test]
fn a_delete_finds_it_archived_before_it_looked_at_its_files() {
    let world = World::new();
    let session = world.plant_small(1);
    let effects = Effects::apply();
    let archived = Cell::new(false);
    // Asked when the transcript has been read, and the rest has not been looked for.
    let gate = |_: &SessionId| {
        if !archived.replace(true) {
            assert_done(&world.archive(&world.yard(&effects, &NOBODY), &[session]));
        }
        Verdict::Free
    };
    let yard = world.yard(&effects, &gate);
    let plan = plan_delete(&yard, &world.ground().survey(), &by_id(&[session])).unwrap();
    assert!(archived.get() && plan.matched.is_empty());
    assert!(
        matches!(plan.refused[0].error, ItemError::Changed(_)),
        "{:?}",
        plan.refused
    );
}

#[test]
fn an_archive_finds_it_deleted_before_it_looked_at_its_files() {
    let world = World::new();
    let session = world.plant_small(1);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let ground = world.ground();
    assert_done(&world.delete(&yard, &[session]));
    let before = TreePicture::of(&world.config);
    let requests = [ArchiveRequest::Id(session.to_string())];
    let plan = plan_archive(&yard, &ground.survey(), &requests, None, &Vouched::nobody()).unwrap();
    assert!(
        matches!(plan.refused[..], [(_, ItemError::Changed(_))]),
        "{:?}",
        plan.refused
    );
    assert!(plan.apply(&yard, &ground.survey()).unwrap().items.is_empty());
    before.assert_unchanged(&TreePicture::of(&world.config));
}

/// Plans to delete a session that counts as one without a transcript, lets somebody act, and carries the plan out.
fn delete_of_retained(world: &World, session: SessionId, meanwhile: impl FnOnce()) -> Applied {
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let mut ground = world.ground();
    ground.retained = vec![Retained {
        session,
        transcript: world.transcript(session),
        modified: None,
        facts: SessionFacts::default(),
    }];
    let plan: DeletePlan = plan_delete(&yard, &ground.survey(), &by_id(&[session])).unwrap();
    assert_eq!(plan.matched.len(), 1);
    meanwhile();
    plan.apply(&yard, &ground.survey()).unwrap()
}

#[track_caller]
fn assert_left_alone(applied: &Applied, expected: fn(&ItemError) -> bool) {
    let outcome = &applied.items[0].outcome;
    assert!(
        matches!(outcome, Outcome::LeftAlone(error) if expected(error)),
        "{applied:?}"
    );
}

#[test]
fn one_that_had_no_transcript_gets_it_back_before_it_is_deleted() {
    let session = id(1);
    let effects = Effects::apply();
    for is_archived in [false, true] {
        let world = World::new();
        let applied = delete_of_retained(&world, session, || {
            world.plant_small(1);
            if is_archived {
                assert_done(&world.archive(&world.yard(&effects, &NOBODY), &[session]));
            }
        });
        assert_left_alone(&applied, |error| matches!(error, ItemError::Changed(_)));
        assert!(!world.is_tombstoned(session));
    }
}

#[test]
fn one_that_had_no_transcript_is_deleted_by_another_first() {
    let world = World::new();
    let session = id(1);
    let applied = delete_of_retained(&world, session, || {
        tombstone_ids(&Effects::apply(), &world.stones, &[session.as_str()]).unwrap();
    });
    assert_left_alone(&applied, |error| matches!(error, ItemError::Gone));
    assert_eq!(
        world.trash().deleted().count(),
        0,
        "or a restore would find two places that have it"
    );
}

#[test]
fn a_copy_that_is_made_of_it_meanwhile_is_waited_for_and_noticed() {
    let world = World::new();
    let session = world.plant_small(1);
    let vault = world.root.join("vault");
    fs::create_dir_all(&vault).unwrap();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let copy = vault.join(session.as_str());
    let mut ground = world.ground();
    let along = copy.clone();
    ground.along = Box::new(move |_| vec![along.clone()]);
    let plan = plan_delete(&yard, &ground.survey(), &by_id(&[session])).unwrap();
    let lock = effects.lock(&vault.join("lock"), Duration::ZERO).unwrap();
    let applied = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            fs::create_dir(&copy).unwrap();
            drop(lock);
        });
        plan.apply(&yard, &ground.survey()).unwrap()
    });
    assert_left_alone(&applied, |error| matches!(error, ItemError::Changed(_)));
    assert!(!world.is_tombstoned(session) && world.transcript(session).exists());
    let plan = plan_delete(&yard, &ground.survey(), &by_id(&[session])).unwrap();
    assert_done(&plan.apply(&yard, &ground.survey()).unwrap());
    assert!(!copy.exists());
    assert_done(&world.restore(&yard, session));
    assert!(copy.exists());
}

#[test]
fn a_restore_that_saw_a_delete_in_its_middle_brings_back_no_half() {
    let world = World::new();
    let session = world.plant_small(1);
    let before = TreePicture::of(&world.config).without_times();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&world.delete(&yard, &[session]));
    // As it was when the last part had not arrived yet.
    let item = world.trash().deleted().next().unwrap().clone();
    let last = item.generation.join(&item.manifest.entries.last().unwrap().stored.0);
    let aside = world.root.join("on its way");
    fs::rename(&last, &aside).unwrap();
    let plan = world.plan_restore(&yard, session);
    fs::rename(&aside, &last).unwrap();
    assert_left_alone(&plan.apply(&yard).unwrap(), |error| {
        matches!(error, ItemError::Changed(_))
    });
    assert!(world.is_tombstoned(session) && !world.transcript(session).exists());
    assert_done(&world.restore(&yard, session));
    before.assert_unchanged(&TreePicture::of(&world.config).without_times());
}

#[test]
fn one_that_was_deleted_without_a_file_comes_back_from_where_it_has_files_by_now() {
    let world = World::new();
    let session = id(1);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&delete_of_retained(&world, session, || ()));
    assert!(world.is_tombstoned(session));
    // Somebody, who obeys no tombstones, brings it from elsewhere.
    world.plant_small(1);
    assert_done(&world.archive(&yard, &[session]));
    assert_done(&world.restore(&yard, session));
    assert!(world.transcript(session).exists() && !world.is_tombstoned(session));
}
