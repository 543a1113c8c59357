//! A power cut has left nothing of an archive's manifest: what is there comes back, and nothing is in the way of the next archive.

use std::fs;
use std::path::PathBuf;

use sexton_register::SessionId;
use sexton_sys::{Effects, Fault, FaultPlan};
use sexton_testkit::{Footprint, Transcript, TreePicture};
use sexton_yard::Yard;
use sexton_yard::archive::{ArchiveRequest, blank_manifests};
use sexton_yard::recovery::{Settlement, recover};

use crate::support::{NOBODY, World, assert_done};

/// What a power cut can leave: no bytes, or as many as there should be.
const BLANK: [&[u8]; 2] = [b"", &[0; 900]];

fn manifest(world: &World, session: SessionId) -> PathBuf {
    world.config.join(format!("archive/{session}.sexton/manifest.json"))
}

fn plant_blank(world: &World, session: SessionId, bytes: &[u8]) -> PathBuf {
    let path = manifest(world, session);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    path
}

/// Everything but the archive's own directory, which stays when it is empty.
fn picture(world: &World) -> TreePicture {
    let archive = world.config.join("archive");
    let _ = fs::remove_dir(&archive);
    let picture = TreePicture::of(&world.config).without_times();
    assert!(!archive.exists(), "{picture}");
    picture
}

/// Of the session with every kind of part, in two projects of the config directory.
fn planted(world: &World) -> SessionId {
    let (session, path) = world.plant_transcript(1);
    Footprint::plant(&world.config, &path);
    let second = world.config.join("projects/-other").join(path.file_name().unwrap());
    fs::create_dir(second.parent().unwrap()).unwrap();
    fs::copy(&path, &second).unwrap();
    fs::create_dir(second.with_extension("")).unwrap();
    // A directory that must be made again gets the mode of what is private: that stood in the manifest, too.
    fs::write(second.with_file_name("stays"), "").unwrap();
    session
}

#[test]
fn it_is_no_claim() {
    for bytes in BLANK {
        let world = World::new();
        let session = planted(&world);
        let before = picture(&world);
        let path = plant_blank(&world, session, bytes);
        assert_eq!(
            blank_manifests(&world.config.join("archive")).unwrap(),
            std::slice::from_ref(&path)
        );
        let effects = Effects::apply();
        let yard = world.yard(&effects, &NOBODY);
        assert_done(&world.archive(&yard, &[session]));
        assert!(fs::read_to_string(&path).unwrap().contains("manifest_version"));
        assert_eq!(
            blank_manifests(&world.config.join("archive")).unwrap(),
            Vec::<PathBuf>::new()
        );
        assert_done(&world.restore(&yard, session));
        before.assert_unchanged(&picture(&world));
    }
}

#[test]
fn what_it_listed_comes_back_by_its_names() {
    for bytes in BLANK {
        for by_undo in [false, true] {
            let world = World::new();
            let session = planted(&world);
            let before = picture(&world);
            let effects = Effects::apply();
            let yard = world.yard(&effects, &NOBODY);
            assert_done(&world.archive(&yard, &[session]));
            fs::write(manifest(&world, session), bytes).unwrap();
            // Asked for again it is there.
            let again = world
                .plan_archive(&yard, &[ArchiveRequest::Id(session.to_string())])
                .unwrap();
            assert!(again.refused.is_empty() && again.items[0].from.is_empty());
            if by_undo {
                let ground = world.ground();
                let plan = sexton_yard::undo::plan_undo(
                    &yard,
                    &ground.survey(),
                    &world.trash(),
                    &crate::support::keeping_times(),
                );
                assert_done(&plan.unwrap().apply(&yard, &ground.survey()).unwrap());
            } else {
                assert_done(&world.restore(&yard, session));
            }
            before.assert_unchanged(&picture(&world));
        }
    }
}

/// A session that is archived with a blank manifest, and what there was before.
fn archived(world: &World, yard: &Yard<'_>) -> (SessionId, TreePicture) {
    let session = planted(world);
    let before = picture(world);
    assert_done(&world.archive(yard, &[session]));
    fs::write(manifest(world, session), b"").unwrap();
    (session, before)
}

#[test]
fn what_it_listed_is_deleted_and_comes_back_whole() {
    let world = World::new();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let (session, before) = archived(&world, &yard);
    assert_done(&world.delete(&yard, &[session]));
    let _ = fs::remove_dir(world.config.join("archive"));
    assert!(!TreePicture::of(&world.config).to_string().contains(session.as_str()));
    fs::create_dir_all(world.config.join("archive")).unwrap();
    assert_done(&world.restore(&yard, session));
    assert_done(&world.restore(&yard, session));
    before.assert_unchanged(&picture(&world));
}

#[test]
fn what_it_listed_is_listed_by_the_next_one() {
    let world = World::new();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let (session, before) = archived(&world, &yard);
    // A backup has brought the transcript back, and nothing else.
    let transcript = Transcript::new(session.as_str())
        .conversation("mend the parser", "It is mended.")
        .write(&world.config);
    assert_done(&world.archive(&yard, &[session]));
    assert!(!transcript.exists());
    assert_done(&world.restore(&yard, session));
    before.assert_unchanged(&picture(&world));
}

#[test]
fn an_interrupted_archive_leaves_nothing_of_it() {
    let world = World::new();
    let session = planted(&world);
    let before = picture(&world);
    let path = manifest(&world, session);
    let made = path.clone();
    let stopping = Effects::faulty(FaultPlan::asking(move |_| made.exists().then_some(Fault::Stop)));
    let _ = world.try_archive(&world.yard(&stopping, &NOBODY), &[session]);
    fs::write(&path, b"").unwrap();
    let effects = Effects::apply();
    let recovered = recover(&world.yard(&effects, &NOBODY)).unwrap();
    assert!(
        matches!(recovered[0].settlement, Settlement::TakenBack),
        "{recovered:?}"
    );
    assert_eq!(recovered[0].notes, Vec::<String>::new());
    before.assert_unchanged(&picture(&world));
}
