//! The trash: listed, restored from, emptied, purged; stubs; what goes along.

use std::fs;

use sexton_sys::Effects;
use sexton_testkit::{NOW_MS, Transcript, TreePicture};
use sexton_yard::delete::Place;
use sexton_yard::facts::SessionFacts;
use sexton_yard::filter::DeleteOptions;
use sexton_yard::gate::Vouched;
use sexton_yard::restore::{From, RestoreError, find_sources, plan_restore};
use sexton_yard::stub::{leftovers, plan_tidy};
use sexton_yard::trash::{KEEP_MS, Selection, plan_empty, plan_purge};
use sexton_yard::{Retained, load_tombstones, plan_delete};

use crate::support::{NOBODY, World, assert_done, by_id, id, keeping_times};

#[test]
fn only_what_is_old_enough_is_emptied() {
    let world = World::new();
    let (old, new) = (world.plant_small(1), world.plant_small(2));
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&world.delete(&yard, &[old]));
    world.clock.advance_ms(KEEP_MS + 1);
    assert_done(&world.delete(&yard, &[new]));
    let listed: Vec<_> = world.trash().items.iter().map(|item| item.id.to_string()).collect();
    assert_eq!(listed, [new.to_string(), old.to_string()], "newest first");

    let plan = plan_empty(&world.trash(), Selection::Before(NOW_MS + 1));
    assert_eq!(plan.items.len(), 1);
    assert!(plan.bytes > 0);
    assert_done(&plan.apply(&yard).unwrap());
    assert_eq!(world.trash().items[0].id, new.into());
    assert!(world.is_tombstoned(old), "emptied is still deleted");
    assert!(matches!(
        find_sources(old.as_str(), &world.trash(), &[], &[]),
        Err(RestoreError::NotFound(_))
    ));
    assert_done(&plan_empty(&world.trash(), Selection::All).apply(&yard).unwrap());
    assert_eq!(fs::read_dir(world.data.join("trash")).unwrap().count(), 0);
}

#[test]
fn a_purge_takes_what_its_delete_put_there_and_nothing_else() {
    let world = World::new();
    let (one, two) = (world.plant_small(1), world.plant_small(2));
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&world.delete(&yard, &[one]));
    let applied = world.delete(&yard, &[two]);
    let plan = plan_purge(&world.trash(), applied.operation.as_ref().unwrap());
    assert_eq!(plan.items.len(), 1);
    assert_done(&plan.apply(&yard).unwrap());
    assert!(
        !TreePicture::of(&world.root)
            .to_string()
            .contains(&format!("{two}.jsonl"))
    );
    assert_done(&world.restore(&yard, one));
}

#[test]
fn the_newest_generation_comes_back() {
    let world = World::new();
    let (session, path) = world.plant_transcript(1);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&world.delete(&yard, &[session]));
    world.clock.advance_ms(1000);
    Transcript::new(session.as_str())
        .conversation("second life", "yes")
        .write(&world.config);
    assert_done(&world.delete(&yard, &[session]));
    assert_done(&world.restore(&yard, session));
    assert!(fs::read_to_string(&path).unwrap().contains("second life"));
    assert_eq!(world.trash().items.len(), 1, "the first one is still there");
}

#[test]
fn several_places_are_named_and_one_is_chosen() {
    let world = World::new();
    let (session, path) = world.plant_transcript(1);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&world.delete(&yard, &[session]));
    Transcript::new(session.as_str())
        .conversation("archived", "yes")
        .write(&world.config);
    assert_done(&world.archive(&yard, &[session]));
    let ground = world.ground();
    let sources = || find_sources(session.short(), &world.trash(), &ground.archives(), &[session]).unwrap();
    let error = sources().choose(None).unwrap_err().to_string();
    assert!(error.contains("trash and archive and vault"), "{error}");
    let source = sources().choose(Some(From::Archive)).unwrap();
    let plan = plan_restore(
        &yard,
        &ground.survey(),
        &source,
        None,
        &keeping_times(),
        &Vouched::nobody(),
    )
    .unwrap();
    assert_done(&plan.apply(&yard).unwrap());
    assert!(fs::read_to_string(path).unwrap().contains("archived"));
}

#[test]
fn what_a_client_leaves_is_put_away_and_real_messages_are_not() {
    let world = World::new();
    let (archived, deleted, went_on) = (world.plant_small(1), world.plant_small(2), world.plant_small(3));
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&world.archive(&yard, &[archived]));
    assert_done(&world.delete(&yard, &[deleted, went_on]));
    for session in [archived, deleted] {
        world.leave_stub(session);
    }
    let real = Transcript::new(went_on.as_str())
        .conversation("more", "yes")
        .write(&world.config);
    let ground = world.ground();
    let found = leftovers(&ground.survey(), &load_tombstones(&world.stones).unwrap());
    let told: Vec<(_, bool)> = found.iter().map(|left| (left.session, left.is_stub)).collect();
    assert_eq!(told, [(archived, true), (deleted, true), (went_on, false)]);
    assert_done(
        &plan_tidy(&yard, &ground.survey(), found)
            .unwrap()
            .apply(&yard, &ground.survey())
            .unwrap(),
    );
    assert!(!world.transcript(archived).exists() && !world.transcript(deleted).exists() && real.exists());
    assert!(!world.is_tombstoned(archived) && world.is_tombstoned(deleted));
    // The session comes back, not what was left.
    assert_done(&world.restore(&yard, deleted));
    assert!(
        fs::read_to_string(world.transcript(deleted))
            .unwrap()
            .contains("mend the parser")
    );
}

#[test]
fn a_stub_makes_room_for_its_session() {
    let world = World::new();
    let session = world.plant_small(1);
    let before = TreePicture::of(&world.config).without_times();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    for archive in [true, false] {
        if archive {
            assert_done(&world.archive(&yard, &[session]));
        } else {
            assert_done(&world.delete(&yard, &[session]));
        }
        let stub = world.leave_stub(session);
        fs::create_dir(stub.with_extension("")).unwrap();
        fs::write(stub.with_extension("").join("custom-title.json"), "{}").unwrap();
        let plan = world.plan_restore(&yard, session);
        assert_eq!(plan.stub, [stub.clone(), stub.with_extension("")]);
        assert_done(&plan.apply(&yard).unwrap());
        let _ = fs::remove_dir(world.config.join("archive"));
        before.assert_unchanged(&TreePicture::of(&world.config).without_times());
    }
    // Archived again with a stub about: what is left goes into the trash, the archive stays as it is.
    assert_done(&world.archive(&yard, &[session]));
    let archived = TreePicture::of(&world.config.join("archive"));
    world.leave_stub(session);
    let applied = world.archive(&yard, &[session]);
    assert_done(&applied);
    assert_eq!(applied.items[0].path, Some(world.archived_transcript(session)));
    assert!(!world.transcript(session).exists());
    archived.assert_unchanged(&TreePicture::of(&world.config.join("archive")));
}

#[test]
fn the_vaults_copy_goes_along_and_comes_back() {
    let world = World::new();
    let session = world.plant_small(1);
    let vault = world.data.join("vault").join(session.as_str());
    fs::create_dir_all(&vault).unwrap();
    fs::write(vault.join("pack"), "compressed").unwrap();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let mut ground = world.ground();
    let copy = vault.clone();
    ground.along = Box::new(move |_| vec![copy.clone()]);
    let plan = plan_delete(&yard, &ground.survey(), &by_id(&[session])).unwrap();
    assert!(plan.matched[0].footprint.contains(&vault));
    assert_done(&plan.apply(&yard, &ground.survey()).unwrap());
    assert!(!vault.exists());
    assert_done(&world.restore(&yard, session));
    assert_eq!(fs::read(vault.join("pack")).unwrap(), b"compressed");

    // Retained: no transcript any more, only the copy.
    fs::remove_file(world.transcript(session)).unwrap();
    let mut ground = world.ground();
    let copy = vault.clone();
    ground.along = Box::new(move |_| vec![copy.clone()]);
    ground.retained = vec![Retained {
        session: id(7),
        transcript: world.transcript(id(7)),
        modified: None,
        facts: SessionFacts {
            title: Some("lost".to_owned()),
            ..SessionFacts::default()
        },
    }];
    let plan = plan_delete(&yard, &ground.survey(), &by_id(&[id(7)])).unwrap();
    assert_eq!(
        (plan.matched[0].place, plan.matched[0].footprint.len()),
        (Place::Retained, 1)
    );
    assert_done(&plan.apply(&yard, &ground.survey()).unwrap());
    assert!(world.is_tombstoned(id(7)) && !vault.exists());
    assert_done(&world.restore(&yard, id(7)));
    assert!(!world.is_tombstoned(id(7)) && vault.exists());
}

#[test]
fn what_is_left_beside_a_transcript_that_is_gone_goes_with_its_copy() {
    let world = World::new();
    let session = world.plant_small(1);
    fs::remove_file(world.transcript(session)).unwrap();
    let vault = world.root.join("vault").join(session.as_str());
    fs::create_dir_all(&vault).unwrap();
    fs::write(vault.join("pack"), b"compressed").unwrap();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let mut ground = world.ground();
    let copy = vault.clone();
    ground.along = Box::new(move |_| vec![copy.clone()]);
    ground.retained = vec![Retained {
        session,
        transcript: world.transcript(session),
        modified: None,
        facts: SessionFacts::default(),
    }];
    let plan = plan_delete(&yard, &ground.survey(), &by_id(&[session])).unwrap();
    assert_eq!(plan.matched.len(), 1, "{:?}", plan.matched);
    assert_done(&plan.apply(&yard, &ground.survey()).unwrap());
    assert!(!vault.exists() && !world.transcript(session).with_extension("").exists());
    assert_done(&world.restore(&yard, session));
    assert!(vault.exists() && world.transcript(session).with_extension("").exists());
}

#[test]
fn an_archived_session_is_deleted_only_by_name_and_comes_back_into_the_archive() {
    let world = World::new();
    let (session, other) = (world.plant_small(1), world.plant_small(2));
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&world.archive(&yard, &[session]));
    let archive = world.config.join("archive");
    let before = TreePicture::of(&archive).without_times();
    let options = DeleteOptions {
        project: Some("sample".to_owned()),
        ..DeleteOptions::default()
    };
    let met = plan_delete(&yard, &world.ground().survey(), &options).unwrap();
    assert_eq!(
        met.matched.iter().map(|item| item.id.clone()).collect::<Vec<_>>(),
        [other.into()]
    );
    let plan = world.plan_delete(&yard, &[session]);
    assert_eq!(plan.matched[0].place, Place::Archive);
    assert_done(&plan.apply(&yard, &world.ground().survey()).unwrap());
    assert!(world.is_tombstoned(session) && !world.archived_transcript(session).exists());
    assert_done(&world.restore(&yard, session));
    before.assert_unchanged(&TreePicture::of(&archive).without_times());
    assert_done(&world.restore(&yard, session));
    assert!(world.transcript(session).exists());
}
