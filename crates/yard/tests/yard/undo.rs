//! Undo, again and again, further back.

use sexton_sys::Effects;
use sexton_testkit::TreePicture;
use sexton_yard::item::ItemError;
use sexton_yard::journal::OperationKind::{self, Archive, Delete, Restore, Tombstone};
use sexton_yard::tombstones::{add_tombstones, remove_tombstones};
use sexton_yard::trash::{Selection, plan_empty};
use sexton_yard::undo::{UndoError, UndoPlan, plan_possible_undo, plan_undo};
use sexton_yard::{Yard, YardError};

use crate::copies::{restore_copy, set_apart};
use crate::support::{NOBODY, World, assert_done, keeping_times};

fn plan(world: &World, yard: &Yard<'_>) -> Result<UndoPlan, UndoError> {
    plan_undo(yard, &world.ground().survey(), &world.trash(), &keeping_times())
}

fn undo(world: &World, yard: &Yard<'_>) -> Option<OperationKind> {
    let plan = match plan(world, yard) {
        Ok(plan) => plan,
        Err(UndoError::Nothing) => return None,
        Err(other) => panic!("{other}"),
    };
    assert!(plan.refused.is_empty(), "{plan:?}");
    let kind = plan.kind;
    assert_done(&plan.apply(yard, &world.ground().survey()).unwrap());
    Some(kind)
}

#[test]
fn every_step_is_taken_back_to_the_beginning() {
    let world = World::new();
    let (one, two) = (world.plant_small(1), world.plant_small(2));
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let look = || (TreePicture::of(&world.config).without_times(), world.tombstones());
    let mut looks = vec![look()];
    assert_done(&world.archive(&yard, &[one]));
    looks.push(look());
    assert_done(&world.delete(&yard, &[two]));
    looks.push(look());
    assert_done(&world.restore(&yard, two));
    looks.push(look());
    assert_done(&world.restore(&yard, one));
    looks.push(look());
    assert_done(&add_tombstones(&yard, &["elsewhere".to_owned()]).unwrap());
    looks.push(look());
    assert_done(&world.delete(&yard, &[one, two]));

    let mut kinds = Vec::new();
    while let Some(kind) = undo(&world, &yard) {
        kinds.push(kind);
        let (picture, tombstones) = looks.pop().unwrap();
        // An archive directory that was made stays, empty; a manifest names the operation that wrote it.
        let difference = picture.difference(&look().0);
        let beside: Vec<&str> = difference
            .lines()
            .filter(|line| !line[2..].starts_with("archive ") && !line.contains("manifest.json"))
            .collect();
        assert_eq!(beside, Vec::<&str>::new(), "{kind:?}");
        assert_eq!(tombstones, look().1);
    }
    assert_eq!(kinds, [Delete, Tombstone, Restore, Restore, Delete, Archive]);
    assert!(looks.is_empty());
}

#[test]
fn a_session_that_grew_since_it_came_back_goes_as_it_is_now() {
    let world = World::new();
    let (session, path) = world.plant_transcript(1);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&world.delete(&yard, &[session]));
    assert_done(&world.restore(&yard, session));
    std::fs::write(&path, "grown\n").unwrap();
    assert_eq!(undo(&world, &yard), Some(OperationKind::Restore));
    assert!(!path.exists() && world.is_tombstoned(session));
    assert_done(&world.restore(&yard, session));
    assert_eq!(std::fs::read(&path).unwrap(), b"grown\n");
}

#[test]
fn what_was_emptied_stands_in_no_ones_way() {
    let world = World::new();
    let session = world.plant_small(1);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let other = world.plant_small(2);
    assert_done(&world.archive(&yard, &[other]));
    assert_done(&world.delete(&yard, &[session]));
    assert_done(&plan_empty(&world.trash(), Selection::All).apply(&yard).unwrap());
    assert_eq!(undo(&world, &yard), Some(Archive));
    assert!(world.is_tombstoned(session), "what is gone stays gone");
    assert_eq!(undo(&world, &yard), None);
}

#[test]
fn what_was_put_away_again_is_not_gone_with_the_generation_that_it_was_in_first() {
    let world = World::new();
    let session = world.plant_small(1);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&world.delete(&yard, &[session]));
    let first = world.trash().generations[0].clone();
    assert_done(&world.restore(&yard, session));
    std::fs::create_dir_all(&first).unwrap();
    assert_done(&plan_empty(&world.trash(), Selection::All).apply(&yard).unwrap());
    assert_eq!(undo(&world, &yard), Some(Restore));
    assert_eq!(undo(&world, &yard), Some(Delete));
    assert!(!world.is_tombstoned(session));
}

#[test]
fn a_change_that_changed_nothing_is_no_step() {
    let world = World::new();
    let session = world.plant_small(1);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&world.delete(&yard, &[session]));
    assert_done(&add_tombstones(&yard, &[session.to_string()]).unwrap());
    assert_done(&remove_tombstones(&yard, &["nobody".to_owned()]).unwrap());
    assert_eq!(undo(&world, &yard), Some(Delete));
    assert_eq!(undo(&world, &yard), None);
}

#[test]
fn what_cannot_be_taken_back_now_is_passed_over_when_that_is_asked_for() {
    let world = World::new();
    let (session, path) = world.plant_transcript(1);
    let other = world.plant_small(2);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&world.archive(&yard, &[other]));
    assert_done(&world.delete(&yard, &[session]));
    // The client goes on under the same id.
    world.plant_transcript(1);
    let stuck = plan(&world, &yard).unwrap();
    assert!(stuck.is_empty() && stuck.refused.len() == 1, "{stuck:?}");

    let plan = plan_possible_undo(&yard, &world.ground().survey(), &world.trash(), &keeping_times()).unwrap();
    assert_eq!((plan.kind, plan.refused.len()), (Archive, 0));
    assert_done(&plan.apply(&yard, &world.ground().survey()).unwrap());
    // Once nothing is in the way, the delete can be taken back still.
    std::fs::remove_file(&path).unwrap();
    assert_eq!(undo(&world, &yard), Some(Delete));
}

#[test]
fn a_copy_that_came_back_is_not_deleted() {
    let world = World::new();
    let session = world.plant_small(1);
    set_apart(&world, session);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&restore_copy(&world, &yard, session).unwrap());
    let before = TreePicture::of(&world.config);
    let plan = plan(&world, &yard).unwrap();
    assert_eq!((plan.kind, plan.refused.len()), (Restore, 1));
    assert!(matches!(plan.refused[0].1, ItemError::FromVault));
    let _: Result<_, YardError> = plan.apply(&yard, &world.ground().survey());
    assert!(!world.is_tombstoned(session));
    before.assert_unchanged(&TreePicture::of(&world.config));
}
