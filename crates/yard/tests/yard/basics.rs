//! Put away and brought back, undisturbed.

use std::fs;

use sexton_sys::Effects;
use sexton_testkit::TreePicture;

use crate::support::{NOBODY, World, assert_done};

#[test]
fn a_deleted_session_is_gone_whole_and_comes_back_whole() {
    let world = World::new();
    let (session, footprint) = world.plant(1);
    let before = TreePicture::of(&world.config).without_times();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);

    assert_done(&world.delete(&yard, &[session]));
    assert!(world.is_tombstoned(session));
    for path in &footprint.own {
        assert!(path.symlink_metadata().is_err(), "{}", path.display());
    }
    for path in footprint.shared.iter().chain(&footprint.foreign) {
        assert!(path.exists(), "{}", path.display());
    }

    assert_done(&world.restore(&yard, session));
    assert!(!world.is_tombstoned(session));
    before.assert_unchanged(&TreePicture::of(&world.config).without_times());
    assert_eq!(world.trash().generations.len(), 0, "nothing is left in the trash");
    assert_eq!(fs::read_dir(world.data.join("trash")).unwrap().count(), 0);
}

#[test]
fn an_archived_session_has_its_place_and_comes_back_whole() {
    let world = World::new();
    let (session, footprint) = world.plant(1);
    let before = TreePicture::of(&world.config).without_times();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);

    let applied = world.archive(&yard, &[session]);
    assert_done(&applied);
    let archived = world.archived_transcript(session);
    assert_eq!(applied.items[0].path.as_ref(), Some(&archived));
    assert!(archived.is_file() && archived.with_extension("").is_dir());
    let rest = archived.with_extension("sexton");
    assert!(rest.join("manifest.json").is_file());
    assert!(rest.join("file-history").join(session.as_str()).is_dir());
    assert!(footprint.own.iter().all(|path| path.symlink_metadata().is_err()));
    assert!(!world.is_tombstoned(session));

    // Again: nothing to do, and the path.
    let again = world.archive(&yard, &[session]);
    assert_done(&again);
    assert_eq!(again.items[0].path.as_ref(), Some(&archived));

    assert_done(&world.restore(&yard, session));
    fs::remove_dir(world.config.join("archive")).unwrap();
    before.assert_unchanged(&TreePicture::of(&world.config).without_times());
}

#[test]
fn what_another_tool_has_archived_comes_back_to_its_project() {
    let world = World::new();
    let (session, path) = world.plant_transcript(1);
    let archived = world.archived_transcript(session);
    fs::create_dir(archived.parent().unwrap()).unwrap();
    fs::rename(&path, &archived).unwrap();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&world.restore(&yard, session));
    assert!(path.is_file() && !archived.exists());
}
