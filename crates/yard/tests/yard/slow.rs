//! A disk that takes its time, as one behind a network does: operations that overlap don't mix, and every session stays whole and single.

use std::path::Path;
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use sexton_register::SessionId;
use sexton_sys::{Effects, FaultPlan};
use sexton_testkit::TreePicture;
use sexton_yard::archive::ArchiveRequest;
use sexton_yard::journal::Tail;
use sexton_yard::recovery::recover;
use sexton_yard::tombstones::{add_tombstones, remove_tombstones};
use sexton_yard::{Yard, plan_delete};

use crate::support::{NOBODY, World, by_id, in_memory};

const LATENCY: Duration = Duration::from_millis(2);

/// The operations whose steps moved something, step by step, over all threads.
type Moves = Arc<Mutex<Vec<(char, usize)>>>;

/// Effects that wait before each step, and note the moves as those of this operation.
fn slow(moves: &Moves, operation: (char, usize)) -> Effects {
    let moves = Arc::clone(moves);
    Effects::faulty(FaultPlan::asking(move |step| {
        std::thread::sleep(LATENCY);
        if step.action == "move" {
            moves.lock().unwrap().push(operation);
        }
        None
    }))
}

fn archive(world: &World, yard: &Yard<'_>, session: SessionId) {
    if let Ok(plan) = world.plan_archive(yard, &[ArchiveRequest::Id(session.to_string())]) {
        let _ = plan.apply(yard, &world.ground().survey());
    }
}

fn delete(world: &World, yard: &Yard<'_>, session: SessionId) {
    let ground = world.ground();
    if let Ok(plan) = plan_delete(yard, &ground.survey(), &by_id(&[session])) {
        let _ = plan.apply(yard, &ground.survey());
    }
}

fn restore(world: &World, yard: &Yard<'_>, session: SessionId) {
    if let Ok(plan) = world.try_plan_restore(yard, session.as_str(), None) {
        let _ = plan.apply(yard);
    }
}

/// Where the parts of a session are, by the first component below the world that says which place it is.
fn places(world: &World, session: SessionId) -> Vec<&'static str> {
    let picture = TreePicture::of(&world.root);
    let parts = picture.paths().filter(|path| {
        let is_part = |end: &str| path.to_string_lossy().ends_with(end);
        [
            format!("{session}.jsonl"),
            format!("{session}/subagents/agent-1.jsonl"),
            format!("file-history/{session}/1@v1"),
            format!("todos/{session}-agent-1.json"),
        ]
        .iter()
        .any(|end| is_part(end))
    });
    let place = |path: &Path| match path.to_string_lossy() {
        path if path.starts_with("data/trash") => "trash",
        path if path.starts_with(".claude/archive") => "archive",
        _ => "home",
    };
    parts.map(place).collect()
}

#[test]
fn two_at_the_same_sessions_take_turns() {
    let directory = in_memory();
    let world = || World::at(directory.path(), &directory.path().join("data"));
    let sessions: Vec<SessionId> = (1..=4).map(|number| world().plant_small(number)).collect();
    let moves = Moves::default();
    // Each begins when the other does, and plans before it knows what the other will do.
    let both = Barrier::new(2);
    std::thread::scope(|scope| {
        for (who, put_away) in [('a', archive as fn(&World, &Yard<'_>, SessionId)), ('d', delete)] {
            let (world, moves, sessions, both) = (world(), &moves, &sessions, &both);
            scope.spawn(move || {
                for (number, session) in sessions.iter().chain(sessions).enumerate() {
                    for (number, act) in [(2 * number, put_away), (2 * number + 1, restore)] {
                        both.wait();
                        let effects = slow(moves, (who, number));
                        act(&world, &world.yard(&effects, &NOBODY), *session);
                    }
                    let (effects, own) = (slow(moves, (who, usize::MAX)), vec![format!("{who}-{number}")]);
                    let yard = world.yard(&effects, &NOBODY);
                    add_tombstones(&yard, &own).unwrap();
                    if number % 2 == 0 {
                        remove_tombstones(&yard, &own).unwrap();
                    }
                }
            });
        }
    });

    let world = world();
    let moves = moves.lock().unwrap().clone();
    let mut turns = moves.clone();
    turns.dedup();
    let mut operations = turns.clone();
    operations.sort_unstable();
    operations.dedup();
    assert_eq!(
        turns.len(),
        operations.len(),
        "one moved within another's turn: {moves:?}"
    );
    assert!(
        turns.windows(2).filter(|two| two[0].0 != two[1].0).count() > 2,
        "they never met: {turns:?}"
    );

    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_eq!(yard.journal().tail().unwrap(), Tail::Settled);
    assert_eq!(recover(&yard).unwrap().len(), 0);
    for session in sessions {
        let places = places(&world, session);
        assert_eq!(
            places.len(),
            4,
            "{session}: {places:?}\n{}",
            TreePicture::of(&world.root)
        );
        assert!(places.iter().all(|place| *place == places[0]), "{session}: {places:?}");
        assert_eq!(
            world.is_tombstoned(session),
            places[0] == "trash",
            "{session}: {places:?}"
        );
    }
    let stones = world.tombstones();
    for who in ['a', 'd'] {
        for number in 0..8 {
            assert_eq!(
                stones.contains(&format!("{who}-{number}")),
                number % 2 == 1,
                "{stones:?}"
            );
        }
    }
}
