//! Across devices: whole, or refused with the reason; never half.

use std::fs;
use std::path::Path;

use sexton_register::SessionId;
use sexton_sys::{Effects, Fault, FaultPlan};
use sexton_testkit::{SmallFilesystem, TreePicture};
use sexton_yard::Yard;
use sexton_yard::archive::{ArchiveRequest, plan_archive};
use sexton_yard::gate::Vouched;
use sexton_yard::item::{Applied, ItemError, Outcome};
use sexton_yard::recovery::recover;

use crate::support::{NOBODY, World, assert_done};

pub(crate) fn archive_to(world: &World, yard: &Yard<'_>, session: SessionId, archive: &Path) -> Option<Applied> {
    let ground = world.ground();
    let requests = [ArchiveRequest::Id(session.to_string())];
    let plan = plan_archive(yard, &ground.survey(), &requests, Some(archive), &Vouched::nobody()).unwrap();
    plan.apply(yard, &ground.survey()).ok()
}

/// Where everything of the session is: at home, in the archive, or in both.
fn places(world: &World, archive: &Path, session: SessionId) -> (TreePicture, usize) {
    let of_session = |root: &Path| {
        let picture = TreePicture::of(root);
        let own = picture
            .paths()
            .filter(|path| path.to_string_lossy().contains(session.as_str()));
        own.filter(|path| !path.ends_with("manifest.json"))
            .filter(|path| root.join(path).is_file())
            .count()
    };
    (TreePicture::of(&world.config), of_session(archive))
}

#[test]
fn a_delete_of_another_device_stays_a_rename() {
    let Some(other) = SmallFilesystem::mount(4 << 20) else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let world = World::at(other.path(), &directory.path().join("data"));
    let (session, _) = world.plant(1);
    let inode = |path: &Path| sexton_sys::FileIdentity::at(path).unwrap().inode;
    let before = inode(&world.transcript(session));
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let applied = world.delete(&yard, &[session]);
    assert_done(&applied);
    let there = applied.items[0].path.clone().unwrap();
    assert!(
        there.starts_with(world.config.join("sexton-trash")),
        "{}",
        there.display()
    );
    assert_eq!(inode(&there), before);
    assert_done(&world.restore(&yard, session));
    assert_eq!(inode(&world.transcript(session)), before);
}

#[test]
fn a_full_target_is_refused_and_nothing_moved() {
    let Some(small) = SmallFilesystem::mount(256 << 10) else {
        return;
    };
    let world = World::new();
    let (session, _) = world.plant(1);
    fs::write(
        world.transcript(session).with_extension("").join("big"),
        vec![7; 200 << 10],
    )
    .unwrap();
    fs::write(
        world.config.join("tasks").join(session.as_str()).join("big"),
        vec![7; 100 << 10],
    )
    .unwrap();
    let before = TreePicture::of(&world.config);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let archive = small.path().join("archive");
    let applied = archive_to(&world, &yard, session, &archive).unwrap();
    assert!(
        matches!(
            applied.items[0].outcome,
            Outcome::RolledBack(ItemError::NoRoom { .. } | ItemError::Effect(_))
        ),
        "{applied:?}"
    );
    let own_changes: Vec<String> = before
        .difference(&TreePicture::of(&world.config))
        .lines()
        .filter(|line| line.contains(session.as_str()) || !line.contains("directory"))
        .map(str::to_owned)
        .collect();
    assert_eq!(own_changes, Vec::<String>::new());
    assert_eq!(
        places(&world, &archive, session).1,
        0,
        "{:?}",
        TreePicture::of(&archive)
    );

    // With room it goes.
    fs::remove_file(world.config.join("tasks").join(session.as_str()).join("big")).unwrap();
    fs::remove_file(world.transcript(session).with_extension("").join("big")).unwrap();
    assert_done(&archive_to(&world, &yard, session, &archive).unwrap());
}

#[test]
fn stopped_or_failing_at_every_step_across_devices() {
    let Some(other) = SmallFilesystem::mount(16 << 20) else {
        return;
    };
    let archive = other.path().join("archive");
    let arranged = || {
        let world = World::new();
        world.plant_small(1);
        let _ = fs::remove_dir_all(&archive);
        world
    };
    let session = crate::support::id(1);
    let world = arranged();
    let (home, _) = places(&world, &archive, session);
    let at_home = home
        .paths()
        .filter(|path| path.to_string_lossy().contains(session.as_str()))
        .count();
    let counting = Effects::faulty(FaultPlan::count_only());
    assert_done(&archive_to(&world, &world.yard(&counting, &NOBODY), session, &archive).unwrap());
    let in_archive = places(&world, &archive, session).1;
    assert_eq!(in_archive, 4);

    for at in 0..counting.steps_taken() {
        for fault in [
            Fault::Stop,
            Fault::Error(rustix::io::Errno::IO.raw_os_error()),
            Fault::ErrorFromHere(rustix::io::Errno::ROFS.raw_os_error()),
        ] {
            let world = arranged();
            let faulty = Effects::faulty(FaultPlan::new(at, fault));
            let _ = archive_to(&world, &world.yard(&faulty, &NOBODY), session, &archive);
            let effects = Effects::apply();
            let settled = recover(&world.yard(&effects, &NOBODY)).unwrap();
            let (now, archived) = places(&world, &archive, session);
            let here = now
                .paths()
                .filter(|path| path.to_string_lossy().contains(session.as_str()))
                .count();
            let whole = (here, archived) == (at_home, 0) || (here, archived) == (0, in_archive);
            assert!(
                whole,
                "{fault:?} at {at}: {here} here, {archived} archived, {settled:?}\n{}",
                TreePicture::of(&archive)
            );
            let strays = TreePicture::of(&archive)
                .paths()
                .any(|path| path.to_string_lossy().contains(".sexton-"));
            assert!(!strays, "{fault:?} at {at}");
        }
    }
}

#[test]
fn a_pipe_goes_to_no_other_device_but_does_on_its_own() {
    let world = World::new();
    let session = world.plant_small(1);
    let pipe = world.transcript(session).with_extension("").join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    if let Some(other) = SmallFilesystem::mount(4 << 20) {
        let applied = archive_to(&world, &yard, session, &other.path().join("archive")).unwrap();
        let message = applied.items[0].outcome.error().unwrap().to_string();
        assert!(
            message.contains("pipe") && message.contains("another device"),
            "{message}"
        );
        assert!(world.transcript(session).exists() && pipe.symlink_metadata().is_ok());
    }
    assert_done(&world.delete(&yard, &[session]));
    assert_done(&world.restore(&yard, session));
    assert!(pipe.symlink_metadata().is_ok());
}
