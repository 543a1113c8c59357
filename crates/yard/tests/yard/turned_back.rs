//! Killed while an item was on its way back: what the operation had moved comes back, and what somebody has put in its place since stays.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rustix::io::Errno;
use sexton_sys::{Effects, Fault, FaultPlan};
use sexton_testkit::{SmallFilesystem, TreePicture};
use sexton_yard::recovery::{Recovered, Settlement, recover};

use crate::devices::archive_to;
use crate::support::{NOBODY, World, id};

/// Archives the session into the world's own directory or on another device, with the move number `failing` failing, and stops before
/// anything is taken back.
fn stopped(elsewhere: Option<&Path>, failing: usize) -> World {
    let world = World::new();
    world.plant_small(1);
    let archive = elsewhere.unwrap_or(&world.root).join("kept");
    let _ = fs::remove_dir_all(&archive);
    let (seen, journal) = (Mutex::new(Vec::new()), world.data.join("journal.jsonl"));
    let home = world.config.clone();
    let has_turned = move || fs::read_to_string(&journal).is_ok_and(|text| text.contains("turning-back"));
    let effects = Effects::faulty(FaultPlan::asking(move |step| {
        if has_turned() {
            return Some(Fault::Stop);
        }
        // A move can take several attempts.
        let mut seen = seen.lock().unwrap();
        if step.action == "move" && step.path.starts_with(&home) && seen.last().is_none_or(|last| last != step.path) {
            seen.push(step.path.to_path_buf());
        }
        (seen.len() > failing)
            .then_some(Fault::Error(Errno::IO.raw_os_error()))
            .filter(|_| step.action == "move")
    }));
    drop(archive_to(&world, &world.yard(&effects, &NOBODY), id(1), &archive));
    let journal = fs::read_to_string(world.data.join("journal.jsonl")).unwrap();
    assert!(
        journal.contains("turning-back") && !journal.contains("rolled-back"),
        "{journal}"
    );
    world
}

fn recovered(world: &World) -> Recovered {
    let effects = Effects::apply();
    let mut recovered = recover(&world.yard(&effects, &NOBODY)).unwrap();
    assert_eq!(recovered.len(), 1, "{recovered:?}");
    recovered.remove(0)
}

/// The moves of the one item in the journal: from where, to where.
fn moves(world: &World) -> Vec<(PathBuf, PathBuf)> {
    let effects = Effects::apply();
    let history = world.yard(&effects, &NOBODY).journal().read().unwrap();
    let item = history.operations[0].items.values().next().unwrap();
    let moves = item.intent.moves.iter();
    moves.map(|mv| (mv.from.0.clone(), mv.to.0.clone())).collect()
}

/// What lies in the config directory of one session, without the archive.
fn at_home(world: &World) -> TreePicture {
    TreePicture::of(&world.config.join("projects")).without_times()
}

/// Takes what lies at `path` away, and puts a file of somebody else's there; gives where it was put.
fn replaced(path: &Path) -> PathBuf {
    let aside = path.with_extension("aside");
    fs::rename(path, &aside).unwrap();
    fs::write(path, "somebody else's").unwrap();
    aside
}

fn whole() -> TreePicture {
    let world = World::new();
    world.plant_small(1);
    at_home(&world)
}

#[test]
fn what_was_moved_comes_back() {
    for failing in 1..4 {
        let world = stopped(None, failing);
        let done = recovered(&world);
        assert!(matches!(done.settlement, Settlement::TakenBack), "{failing}: {done}");
        assert_eq!(done.notes, Vec::<String>::new(), "{failing}");
        whole().assert_unchanged(&at_home(&world));
        assert!(moves(&world).iter().all(|(from, to)| from.exists() && !to.exists()));
    }
}

#[test]
fn what_somebody_has_put_in_its_place_stays_and_is_told() {
    let small = SmallFilesystem::mount(4 << 20);
    let elsewhere = small.as_ref().map(SmallFilesystem::path);
    // Of a copy on another device an older sexton noted nothing.
    let mut cases = vec![(None, false), (None, true)];
    cases.extend(elsewhere.map(|place| (Some(place), false)));
    for (elsewhere, is_told_by_older) in cases {
        for (failing, which) in [(1, 0), (2, 0), (2, 1), (3, 1), (3, 2)] {
            let what = format!("{elsewhere:?} at {failing}, {which}, {is_told_by_older}");
            let world = stopped(elsewhere, failing);
            let (from, to) = moves(&world).swap_remove(which);
            let aside = replaced(&to);
            if is_told_by_older {
                forget_arrivals(&world);
            }
            for _ in 0..2 {
                let done = recovered(&world);
                let Settlement::StillOpen(why) = &done.settlement else {
                    panic!("{what}: {done}");
                };
                assert!(why.contains(&*to.to_string_lossy()), "{what}: {done}");
                assert_eq!(fs::read(&to).unwrap(), b"somebody else's", "{what}");
                assert!(!from.exists(), "{what}");
            }
            // The others are back already; what was taken away comes back once it is where it was.
            let others = moves(&world).into_iter().filter(|mv| mv.0 != from);
            assert!(
                others.into_iter().all(|(from, to)| from.exists() && !to.exists()),
                "{what}"
            );
            fs::remove_file(&to).unwrap();
            fs::rename(&aside, &to).unwrap();
            let done = recovered(&world);
            assert!(matches!(done.settlement, Settlement::TakenBack), "{what}: {done}");
            whole().assert_unchanged(&at_home(&world));
        }
    }
}

/// Makes the journal one of a sexton that did not say what had arrived.
fn forget_arrivals(world: &World) {
    let journal = world.data.join("journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let lines = text.lines().map(|line| match line.split_once(r#","arrived":"#) {
        Some((before, _)) => format!("{before}}}}}\n"),
        None => format!("{line}\n"),
    });
    fs::write(&journal, lines.collect::<String>()).unwrap();
}

#[test]
fn what_appears_where_nothing_had_come_stays() {
    let world = stopped(None, 1);
    let (from, to) = moves(&world).swap_remove(2);
    // More than what was to be moved there, so that it could be taken for the whole of which that is a part.
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    let copied = std::process::Command::new("cp").arg("-r").args([&from, &to]).status();
    assert!(copied.unwrap().success());
    let more = if to.is_dir() { to.join("more") } else { to.clone() };
    fs::write(&more, "somebody else's").unwrap();
    let done = recovered(&world);
    assert!(matches!(done.settlement, Settlement::TakenBack), "{done}");
    assert_eq!(done.notes, [format!("a new `{}` was left alone", to.display())]);
    assert_eq!(fs::read(&more).unwrap(), b"somebody else's");
    whole().assert_unchanged(&at_home(&world));
}

#[test]
fn a_source_that_had_vanished_gets_nothing() {
    let world = stopped(None, 2);
    // As if the second one had vanished before it could be moved.
    let (from, to) = moves(&world).swap_remove(1);
    replaced(&to);
    let journal = world.data.join("journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let (before, arrived) = text.split_once(r#""arrived":[{"#).unwrap();
    let first = arrived.split_once('}').unwrap().0;
    fs::write(&journal, format!("{before}\"arrived\":[{{{first}}},null]}}}}\n")).unwrap();
    let done = recovered(&world);
    assert!(matches!(done.settlement, Settlement::TakenBack), "{done}");
    assert_eq!(done.notes, [format!("a new `{}` was left alone", to.display())]);
    assert!(!from.exists() && fs::read(&to).unwrap() == b"somebody else's");
}
