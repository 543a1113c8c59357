//! An archive that was named: whatever lies there is found afterwards, stopped at whatever step.

use sexton_sys::{Effects, Fault, FaultPlan};
use sexton_yard::archive::{ArchiveRequest, KnownArchives};
use sexton_yard::gate::Vouched;
use sexton_yard::plan_archive;
use sexton_yard::recovery::recover;

use crate::support::{NOBODY, World};

#[test]
fn no_session_moves_before_its_archive_is_on_the_list() {
    let archive_into_new_one = |world: &World, effects: &Effects| {
        let (session, path) = world.plant_transcript(1);
        let archive = world.root.join("old sessions");
        let yard = world.yard(effects, &NOBODY);
        let requests = [ArchiveRequest::Id(session.to_string())];
        let ground = world.ground();
        let plan = plan_archive(&yard, &ground.survey(), &requests, Some(&archive), &Vouched::nobody()).unwrap();
        let _ = plan.apply(&yard, &ground.survey());
        (path, archive.join(format!("{session}.jsonl")), archive)
    };
    let counting = Effects::faulty(FaultPlan::count_only());
    archive_into_new_one(&World::new(), &counting);
    assert!(counting.steps_taken() > 5);
    for at in 0..counting.steps_taken() {
        for fault in [Fault::Stop, Fault::Error(122), Fault::ErrorFromHere(28)] {
            let world = World::new();
            let (from, to, archive) = archive_into_new_one(&world, &Effects::faulty(FaultPlan::new(at, fault)));
            let known = KnownArchives::of(&world.data).unwrap();
            assert!(
                !to.exists() || known.directories.contains(&archive),
                "{fault:?} at {at}"
            );
            let effects = Effects::apply();
            recover(&world.yard(&effects, &NOBODY)).unwrap();
            assert!(from.exists() != to.exists(), "{fault:?} at {at}");
            let known = KnownArchives::of(&world.data).unwrap();
            assert!(
                !to.exists() || known.directories.contains(&archive),
                "{fault:?} at {at}"
            );
        }
    }
}
