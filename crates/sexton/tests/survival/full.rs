//! A disk that is full, and one that may not be written: one clear error, and nothing lost.

use std::fs;
use std::process::Command;

use sexton_testkit::{Object, Run, SmallFilesystem, TestEnv};

use crate::machine::{Machine, SEXTON, WORD};
use crate::observed::{Home, Observed};

/// Room for the sessions, the catalogue and the program's own files.
const BYTES: u64 = 8 << 20;

/// A machine that has run for a while: session 1 in the trash, 2 in the archive, 3 and 4 where they were.
fn arranged(small: &SmallFilesystem) -> Machine {
    let mut machine = Machine::in_environment(TestEnv::below(small.path()));
    for _ in 0..4 {
        machine.plant();
    }
    machine.sexton(&["search", WORD]).assert_code(0);
    machine
        .sexton(&["delete", &machine.sessions[0].id, "--yes", "--yes-most"])
        .assert_code(0);
    machine.sexton(&["archive", &machine.sessions[1].id]).assert_code(0);
    machine
}

/// What changes something; each of it works on the machine above where there is room.
fn changes(machine: &Machine) -> Vec<Vec<&str>> {
    let id = |number: usize| machine.sessions[number].id.as_str();
    vec![
        vec!["archive", id(2)],
        vec!["delete", id(2), id(3), "--yes", "--yes-most"],
        vec!["restore", id(0)],
        vec!["restore", id(1)],
        vec!["undo"],
        vec![
            "mark",
            id(2),
            "blocked",
            "--note",
            "a note that wants a page of its own",
        ],
        vec!["name", id(2), "a name"],
        vec!["routine", id(2), "yes"],
        vec!["tombstone", "add", crate::machine::PROBE],
        vec!["hooks", "install"],
        vec!["keep", "add", id(2)],
    ]
}

/// One error in one line, perhaps with hints, and no panic.
#[track_caller]
fn assert_one_clear_error(run: &Run, reason: &str) {
    assert!(matches!(run.code, Some(1 | 3)), "{run:#?}");
    assert!(run.stderr.contains(reason), "{run:#?}");
    assert!(!run.stderr.contains("panicked"), "{run:#?}");
    assert!(run.stderr.lines().count() <= 8, "{run:#?}");
}

#[test]
fn a_full_disk_costs_nothing_but_the_command() {
    let Some(small) = SmallFilesystem::mount(BYTES) else {
        return;
    };
    let machine = arranged(&small);
    let before = Observed::of(&machine);
    for change in changes(&machine) {
        let filler = small.fill();
        let run = machine.sexton(&change);
        // What needs no new page may succeed: a rename, an append into the last one.
        if run.code != Some(0) {
            assert_one_clear_error(&run, "No space left on device");
        }
        for look in [
            &["list", "--all", "--json"][..],
            &["show", &machine.sessions[2].id, "--json"],
        ] {
            let looked = machine.sexton(look);
            assert!(matches!(looked.code, Some(0 | 3)), "{look:?}: {looked:#?}");
            let document = serde_json::from_str::<serde_json::Value>(&looked.stdout);
            document.unwrap_or_else(|error| panic!("{look:?}: {error}: {looked:#?}"));
        }
        assert_found(&machine, &["search", WORD]);
        assert_found(&machine, &["search", "--substring", WORD]);
        hook(&machine);
        fs::remove_file(filler).unwrap();
        machine.recover();
        let now = Observed::of(&machine);
        assert!(
            now.homes.iter().all(|home| *home != Home::Gone),
            "{change:?}: {:?}",
            now.homes
        );
        for (file, was) in &before.register {
            assert!(now.register[file].starts_with(was), "{change:?}: {file}");
        }
        assert_whole_again(&machine);
    }
}

/// A search answers where nothing can be written, in one warning at most.
#[track_caller]
fn assert_found(machine: &Machine, search: &[&str]) -> String {
    let run = machine.sexton(search);
    assert_eq!(run.code, Some(0), "{search:?}: {run:#?}");
    assert!(
        run.stdout.contains(&machine.sessions[2].id[..8]),
        "{search:?}: {run:#?}"
    );
    let warnings = run.stderr.lines().filter(|line| line.starts_with("warning:"));
    assert!(
        warnings.count() <= 1 && !run.stderr.contains("error:"),
        "{search:?}: {run:#?}"
    );
    run.stderr
}

#[test]
fn a_search_without_a_catalogue_and_without_room_for_one_reads_the_transcripts() {
    let Some(small) = SmallFilesystem::mount(BYTES) else {
        return;
    };
    let machine = arranged(&small);
    fs::remove_dir_all(machine.env.cache_dir()).unwrap();
    let filler = small.fill();
    let said = assert_found(&machine, &["search", WORD]);
    assert!(
        said.contains("warning: failed to use the catalogue: database or disk is full")
            && said.contains("all transcripts were read"),
        "{said}"
    );
    let said = assert_found(&machine, &["search", "--substring", WORD, "--cwd", "/home/dev/sample"]);
    assert!(said.contains("a scan needs none"), "{said}");
    machine.sexton(&["list"]).assert_code(0);
    machine.sexton(&["show", &machine.sessions[2].id]).assert_code(0);
    fs::remove_file(filler).unwrap();
    assert_eq!(assert_found(&machine, &["search", WORD]), "");
}

/// A hook without room: exit 1, one line, nothing on standard output.
fn hook(machine: &Machine) {
    let payload = Object::new()
        .text("session_id", &machine.sessions[3].id)
        .text("cwd", "/home/dev/sample");
    let payload = payload
        .text("hook_event_name", "SessionEnd")
        .text("reason", "other")
        .build();
    let run = machine.env.run_with_input(SEXTON, ["hook", "session-end"], payload);
    assert!(matches!(run.code, Some(0 | 1)) && run.stdout.is_empty(), "{run:#?}");
    assert!(run.stderr.lines().count() <= 1, "{run:#?}");
}

/// With room again, every session comes back to where the next round expects it.
fn assert_whole_again(machine: &Machine) {
    for (number, home) in Observed::of(machine).homes.into_iter().enumerate() {
        if home != Home::Projects {
            machine
                .sexton(&["restore", &machine.sessions[number].id])
                .assert_code(0);
        }
    }
    machine
        .sexton(&["delete", &machine.sessions[0].id, "--yes", "--yes-most"])
        .assert_code(0);
    machine.sexton(&["archive", &machine.sessions[1].id]).assert_code(0);
    let homes = Observed::of(machine).homes;
    assert_eq!(homes, [Home::Trash, Home::Archive, Home::Projects, Home::Projects]);
}

#[test]
fn a_disk_that_may_not_be_written_is_read_all_the_same() {
    let Some(small) = SmallFilesystem::mount(BYTES) else {
        return;
    };
    let machine = arranged(&small);
    let before = machine.env.picture();
    let remount = |how: &str| {
        let status = Command::new("mount").args(["-o", how]).arg(small.path()).status();
        status.is_ok_and(|status| status.success())
    };
    if !remount("remount,ro") {
        eprintln!("skipped: the file system can't be remounted");
        return;
    }
    let mut runs = Vec::new();
    for change in changes(&machine) {
        runs.push(machine.sexton(&change));
    }
    let looks = [
        vec!["list", "--all"],
        vec!["show", &machine.sessions[2].id],
        vec!["doctor"],
        vec!["trash", "list"],
    ];
    let looked: Vec<Run> = looks.iter().map(|look| machine.sexton(look)).collect();
    let searched = assert_found(&machine, &["search", WORD]);
    assert_found(&machine, &["search", "--substring", WORD]);
    assert!(remount("remount,rw"));
    assert!(searched.contains("the catalogue is used as it was"), "{searched}");
    for run in &runs {
        assert_one_clear_error(run, "Read-only file system");
    }
    for (look, run) in looks.iter().zip(&looked) {
        assert!(
            matches!(run.code, Some(0 | 3)) || look[0] == "doctor" && run.code == Some(1),
            "{look:?}: {run:#?}"
        );
    }
    assert!(
        looked[0].stdout.contains(&machine.sessions[2].id[..8]),
        "{:#?}",
        looked[0]
    );
    before.assert_unchanged(&machine.env.picture());
}
