//! Repairing a file: every byte is kept somewhere, and the good ones in place.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::time::Duration;

use sexton_register::{Repair, RepairError, Repaired, load_all, read_session, repair};
use sexton_sys::{Effects, Fault, FaultPlan};

use crate::arrange::{NOW_MS, Store, lines, named, session, started};

fn good(number: u32) -> String {
    lines(&[named(1, &format!("2026-01-01T00:00:{number:02}Z"), "日本")])
}

fn run(effects: &Effects, file: &std::path::Path) -> Result<Repaired, RepairError> {
    let what = Repair {
        file,
        is_live: false,
        now_ms: NOW_MS,
        settle: Duration::ZERO,
    };
    repair(effects, &what)
}

/// A file with three damaged lines among three good ones, a blank one and one with another spelling.
fn damaged() -> String {
    let spaced = good(2).replace(':', " : ").replace("00 : 00 : 02", "00:00:02");
    format!("{}torn\n\n{}{{}}\r\n{}{{\"format", good(1), spaced, good(3))
}

const SET_ASIDE: &str = "00000000-0000-0000-0000-000000000001.jsonl.repair-20260921T141320.123Z";

#[test]
fn damaged_lines_move_aside_and_good_ones_stay_byte_for_byte() {
    let store = Store::new();
    let file = store.put(1, damaged());
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let repaired = run(&Effects::apply(), &file).unwrap();

    assert_eq!((repaired.kept, repaired.carried), (4, 0));
    let moved: Vec<_> = repaired
        .moved
        .iter()
        .map(|moved| (moved.line, moved.what.is_some()))
        .collect();
    assert_eq!(moved, [(2, true), (5, true), (7, false)]);
    let kept = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        kept,
        damaged()
            .replace("torn\n", "")
            .replace("{}\r\n", "")
            .replace("{\"format", "")
    );
    assert_eq!(std::fs::metadata(&file).unwrap().mode() & 0o777, 0o640);
    assert_eq!(
        repaired.damaged_file,
        Some(store.path().join(format!("{SET_ASIDE}.damaged")))
    );
    assert_eq!(
        std::fs::read(repaired.damaged_file.unwrap()).unwrap(),
        b"torn\n{}\r\n{\"format\n"
    );
    assert_eq!(
        repaired.old_file,
        Some(store.path().join(format!("{SET_ASIDE}.before")))
    );
    assert_eq!(std::fs::read_to_string(repaired.old_file.unwrap()).unwrap(), damaged());
    let loaded = load_all(store.path()).expect("readers pass over what was set aside");
    assert_eq!(loaded.len(), 1);

    let again = run(&Effects::apply(), &file).unwrap();
    assert!(
        again.moved.is_empty() && again.old_file.is_none() && again.carried == 0,
        "{again:?}"
    );
    assert_eq!(store.everything().len(), 3);
}

#[test]
fn a_file_without_damage_is_left_alone() {
    let store = Store::new();
    let file = store.put(1, good(1));
    let inode = std::fs::metadata(&file).unwrap().ino();
    let repaired = run(&Effects::apply(), &file).unwrap();
    assert!(repaired.moved.is_empty() && repaired.damaged_file.is_none() && repaired.old_file.is_none());
    assert_eq!(repaired.kept, 1);
    assert_eq!(std::fs::metadata(&file).unwrap().ino(), inode);
    assert_eq!(store.everything().len(), 1);
}

#[test]
fn a_live_session_and_what_is_no_file_are_refused() {
    let store = Store::new();
    let file = store.put(1, damaged());
    let what = Repair {
        file: &file,
        is_live: true,
        now_ms: NOW_MS,
        settle: Duration::ZERO,
    };
    let refused = repair(&Effects::apply(), &what).unwrap_err();
    assert!(matches!(refused, RepairError::Live(_)), "{refused}");
    assert_eq!(
        store.everything(),
        [(format!("{}.jsonl", session(1)), damaged().into_bytes())]
    );

    let absent = store.file(2);
    run(&Effects::apply(), &absent).unwrap_err();
    assert!(!absent.exists(), "nothing is made");
    std::fs::create_dir(&absent).unwrap();
    run(&Effects::apply(), &absent).unwrap_err();
}

#[test]
fn through_a_symlink_the_file_itself_is_repaired() {
    let store = Store::new();
    let elsewhere = Store::new();
    let file = elsewhere.put(1, damaged());
    let link = store.file(1);
    std::os::unix::fs::symlink(&file, &link).unwrap();
    run(&Effects::apply(), &link).unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(read_session(&link).unwrap().len(), 3);
    assert_eq!((store.everything().len(), elsewhere.everything().len()), (1, 3));
}

#[test]
fn a_dry_run_names_every_step_and_takes_none() {
    let store = Store::new();
    let file = store.put(1, damaged());
    let before = store.everything();
    let effects = Effects::record();
    let repaired = run(&effects, &file).unwrap();
    assert_eq!(repaired.moved.len(), 3);
    assert_eq!(store.everything(), before);
    assert_eq!(effects.recorded().len(), 3, "{:?}", effects.recorded());
}

/// Lines that reached the old file after it had been read are found there by the next repair, or by the end of this one.
#[test]
fn lines_that_others_appended_meanwhile_are_carried_over() {
    let store = Store::new();
    let file = store.put(1, damaged());
    // A writer that opened the file before the repair, and writes after it.
    let mut late = std::fs::OpenOptions::new().append(true).open(&file).unwrap();
    run(&Effects::apply(), &file).unwrap();
    std::io::Write::write_all(&mut late, format!("\n{}junk\n{}", good(8), good(9)).as_bytes()).unwrap();
    let again = run(&Effects::apply(), &file).unwrap();
    assert_eq!((again.carried, again.moved.len()), (2, 0));
    let content = std::fs::read_to_string(&file).unwrap();
    assert!(content.ends_with(&format!("{}{}", good(8), good(9))), "{content}");
    assert_eq!(read_session(&file).unwrap().len(), 5);
    assert_eq!(run(&Effects::apply(), &file).unwrap().carried, 0);
}

/// A repair that is killed at any step leaves a file that holds its good lines, and the next repair ends the work.
#[test]
fn a_repair_that_is_stopped_anywhere_loses_nothing() {
    let steps = {
        let store = Store::new();
        let file = store.put(1, damaged());
        let effects = Effects::faulty(FaultPlan::count_only());
        run(&effects, &file).unwrap();
        effects.steps_taken()
    };
    assert!(steps >= 3, "link, create, replace");
    for fault in [
        Fault::Stop,
        Fault::Error(28),
        Fault::Error(122),
        Fault::ErrorFromHere(5),
    ] {
        for step in 0..steps {
            let store = Store::new();
            let file = store.put(1, damaged());
            let _ = run(&Effects::faulty(FaultPlan::new(step, fault)), &file);
            let content = std::fs::read_to_string(&file).unwrap();
            let mended = damaged()
                .replace("torn\n", "")
                .replace("{}\r\n", "")
                .replace("{\"format", "");
            assert!(content == damaged() || content == mended, "step {step}: {content}");

            run(&Effects::apply(), &file).unwrap();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), mended, "step {step}");
            let kept: Vec<PathBuf> = std::fs::read_dir(store.path())
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .collect();
            let holds = |ending: &str, bytes: &[u8]| {
                let matching = kept.iter().filter(|path| path.to_str().unwrap().ends_with(ending));
                matching
                    .map(|path| std::fs::read(path).unwrap())
                    .any(|content| content == bytes)
            };
            assert!(holds(".before", damaged().as_bytes()), "step {step}");
            assert!(holds(".damaged", b"torn\n{}\r\n{\"format\n"), "step {step}");
            load_all(store.path()).unwrap();
        }
    }
}

#[test]
fn two_repairs_in_one_millisecond_keep_both_their_old_files() {
    let store = Store::new();
    let file = store.put(1, damaged());
    run(&Effects::apply(), &file).unwrap();
    std::fs::write(&file, format!("{}x\n", lines(&[started(1, "2026-01-01T00:00:00Z")]))).unwrap();
    let second = run(&Effects::apply(), &file).unwrap();
    assert_eq!(
        second.old_file,
        Some(store.path().join(format!("{SET_ASIDE}-1.before")))
    );
    assert_eq!(
        second.carried, 3,
        "what the rewrite by hand had dropped comes back from the first old file"
    );
    assert_eq!(store.everything().len(), 5);
}
