//! Many processes at one file, processes that are killed, disks that are full: with real processes, kills and disks.
//!
//! This very test program is the other process: called again for one of the `child_…` tests, which do nothing unless
//! they are told the store by a variable.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use sexton_register::{
    Draft, LifecycleError, Named, Repair, Source, Stamps, Text, append_event, append_events, read_session,
    read_session_tolerant, repair, session_file,
};
use sexton_sys::{EffectError, Effects, Fault, FaultPlan, SystemClock};

use crate::arrange::{Store, session};

const STORE: &str = "SEXTON_TEST_STORE";
const CHILD: &str = "SEXTON_TEST_CHILD";

fn named(name: &str) -> Draft<Named> {
    let own = Named {
        name: Text::new(name).unwrap(),
        name_source: None,
    };
    Draft::new(session(1), Source::Hook, own)
}

fn child(test: &str, store: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        &format!("processes::{test}"),
        "--nocapture",
        "--test-threads=1",
    ]);
    command.env(STORE, store).stdin(Stdio::null());
    command
}

fn told_store() -> Option<PathBuf> {
    std::env::var_os(STORE).map(PathBuf::from)
}

#[test]
fn child_appends_a_thousand() {
    let Some(store) = told_store() else { return };
    let who = std::env::var(CHILD).unwrap();
    let stamps = Stamps::new(&SystemClock);
    for number in 0..1000 {
        append_event(&Effects::apply(), &store, named(&format!("{who}/{number}")), &stamps).unwrap();
    }
}

#[test]
fn sixty_four_processes_leave_sixty_four_thousand_whole_lines() {
    let store = Store::new();
    // The directory itself is one of the things they all make at once.
    let directory = store.path().join("shared/lifecycle");
    let children: Vec<_> = (0..64)
        .map(|who| {
            let mut command = child("child_appends_a_thousand", &directory);
            command.env(CHILD, who.to_string()).stdout(Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let path = session_file(&directory, session(1));
    let events = read_session(&path).unwrap();
    assert_eq!(events.len(), 64_000);
    let ids: HashSet<_> = events.iter().map(|event| event.id.as_str()).collect();
    assert_eq!(ids.len(), 64_000, "no id twice");
    let lines: HashSet<_> = events.iter().map(|event| format!("{:?}", event.kind)).collect();
    assert_eq!(lines.len(), 64_000, "every event of every process");
    let content = std::fs::read_to_string(&path).unwrap();
    assert_eq!(content.lines().count(), 64_000, "and not a line more");
}

#[test]
fn repairs_among_writing_processes_lose_no_line() {
    let store = Store::new();
    let file = store.put(1, "damage\n");
    let children: Vec<_> = (0..4)
        .map(|who| {
            let mut command = child("child_appends_a_thousand", store.path());
            command.env(CHILD, who.to_string()).stdout(Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    let mend = |now_ms| {
        let what = Repair {
            file: &file,
            is_live: false,
            now_ms,
            settle: Duration::ZERO,
        };
        repair(&Effects::apply(), &what).unwrap()
    };
    // Each of them finds damage, since more is thrown in while the others write.
    let mut moved = 0;
    for round in 0..4 {
        moved += mend(round).moved.len();
        let mut junk = std::fs::OpenOptions::new().append(true).open(&file).unwrap();
        junk.write_all(b"more damage\n").unwrap();
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    moved += mend(4).moved.len();
    assert!(moved >= 5, "{moved}");
    let events = read_session(&file).unwrap();
    let ids: HashSet<_> = events.iter().map(|event| event.id.as_str()).collect();
    assert_eq!((events.len(), ids.len()), (4_000, 4_000), "every event once");
}

#[test]
fn child_appends_for_ever() {
    let Some(store) = told_store() else { return };
    let stamps = Stamps::new(&SystemClock);
    let mut out = std::io::stdout();
    for number in 0.. {
        // Long enough that a kill can strike in the middle of the write.
        let name = format!("{number}/{}", "x".repeat(300_000));
        append_event(&Effects::apply(), &store, named(&name), &stamps).unwrap();
        writeln!(out, "\nwritten {number}").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn a_process_killed_while_it_appends_loses_at_most_that_event() {
    for round in 0..8 {
        let store = Store::new();
        let mut child = child("child_appends_for_ever", store.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut written = 0;
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            if line.unwrap().starts_with("written ") {
                written += 1;
                if written == 3 + round {
                    break;
                }
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();

        let before = read_session(&store.file(1)).expect("an interrupted write at the end is passed over");
        assert!(before.len() >= written, "every event that was reported is there");
        let stamps = Stamps::new(&SystemClock);
        append_event(&Effects::apply(), store.path(), named("after"), &stamps).unwrap();
        let after = read_session_tolerant(&store.file(1)).unwrap();
        assert_eq!(
            after.events.len(),
            before.len() + 1,
            "the next one has a line of its own"
        );
        assert!(
            after.problems.len() <= 1,
            "only the interrupted line: {:?}",
            after.problems.len()
        );
    }
}

#[test]
fn child_fills_the_disk() {
    let Some(store) = told_store() else { return };
    let ballast = store.join("ballast");
    std::fs::write(&ballast, vec![0; 40_000]).unwrap();
    let stamps = Stamps::new(&SystemClock);
    let mut written = 0;
    let error = loop {
        // Not a divisor of the page size, so that the last write is cut in its middle.
        match append_event(&Effects::apply(), &store, named(&"x".repeat(7_001)), &stamps) {
            Ok(_) => written += 1,
            Err(error) => break error,
        }
    };
    assert!(
        matches!(&error, LifecycleError::Effect(EffectError::ShortWrite { .. })),
        "a disk that is full in the middle of a write says so: {error}"
    );
    assert!(written > 1, "there was room for some");
    assert_eq!(
        read_session(&session_file(&store, session(1))).unwrap().len(),
        written,
        "all that were reported, no more"
    );
    std::fs::remove_file(ballast).unwrap();
    after_the_disk_was_full(&store, written);
    println!("the disk was full after {written} events");
}

/// With room again, the next event has a line of its own, and the torn one is damage that a reader names.
fn after_the_disk_was_full(directory: &Path, written: usize) {
    let path = session_file(directory, session(1));
    append_event(&Effects::apply(), directory, named("after"), &Stamps::new(&SystemClock)).unwrap();
    let reading = read_session_tolerant(&path).unwrap();
    assert_eq!(reading.events.len(), written + 1);
    assert_eq!(reading.problems.len(), 1);
    let error = read_session(&path).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("{}:{}: malformed JSON", path.display(), written + 1)),
        "{error}"
    );
}

/// On a small disk of its own, in a mount namespace that goes with the process, where the system allows one.
#[test]
fn a_disk_that_fills_up_in_the_middle_of_a_write_loses_at_most_that_event() {
    let store = Store::new();
    let small = store.path().join("small");
    std::fs::create_dir(&small).unwrap();
    let script = r#"mount -t tmpfs -o size=96k none "$SEXTON_TEST_STORE" || exit 77; exec "$0" "$@""#;
    let direct = child("child_fills_the_disk", &small);
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", script]);
    command
        .arg(direct.get_program())
        .args(direct.get_args())
        .env(STORE, &small);
    match command.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => {
            let out = String::from_utf8_lossy(&output.stdout);
            assert!(out.contains("the disk was full after"), "the child did its work: {out}");
        }
        Ok(output)
            if String::from_utf8_lossy(&output.stdout).contains("panicked") || output.status.code() == Some(101) =>
        {
            panic!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        _ => eprintln!("note: no mount namespace to be had; only the fault double was tried"),
    }
}

#[test]
fn a_write_that_is_cut_anywhere_loses_at_most_that_event() {
    let length = named("second")
        .stamp(&Stamps::new(&SystemClock))
        .unwrap()
        .to_json()
        .len()
        + 1;
    for cut in 1..length - 1 {
        let store = Store::new();
        let stamps = Stamps::new(&SystemClock);
        append_event(&Effects::apply(), store.path(), named("first"), &stamps).unwrap();
        // The directory is there, so the steps are opening and writing.
        let faulty = Effects::faulty(FaultPlan::new(1, Fault::ShortWrite(cut)));
        let error = append_event(&faulty, store.path(), named("second"), &stamps).unwrap_err();
        assert!(
            matches!(error, LifecycleError::Effect(EffectError::ShortWrite { .. })),
            "{error}"
        );
        let path = store.file(1);
        let survived = read_session(&path).unwrap().len();
        let expected = 1 + usize::from(cut == length - 1);
        assert_eq!(survived, expected, "cut after {cut} of {length} bytes");
        after_the_disk_was_full(store.path(), 1);
    }
}

#[test]
fn a_refused_append_leaves_the_file_as_it_was() {
    let store = Store::new();
    let stamps = Stamps::new(&SystemClock);
    for (step, code) in [(0, 28), (1, 28), (0, 30), (1, 5)] {
        let faulty = Effects::faulty(FaultPlan::new(step, Fault::Error(code)));
        append_event(&faulty, store.path(), named("name"), &stamps).unwrap_err();
        assert!(read_session(&store.file(1)).unwrap().is_empty());
    }
    let mixed = vec![
        named("name"),
        Draft {
            session: session(2),
            ..named("name")
        },
    ];
    let error = append_events(&Effects::apply(), store.path(), mixed, &stamps).unwrap_err();
    assert!(matches!(error, LifecycleError::SeveralSessions));
    assert!(!store.file(2).exists());

    let file = store.put(3, "");
    append_event(&Effects::apply(), &file, named("name"), &stamps).unwrap_err();
    assert_eq!(std::fs::read(file).unwrap(), b"", "a register that is a file stays one");
}

#[test]
fn what_is_made_is_private_and_what_exists_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let store = Store::new();
    let directory = store.path().join("shared/lifecycle");
    let stamps = Stamps::new(&SystemClock);
    append_events(&Effects::apply(), &directory, vec![named("a"), named("b")], &stamps).unwrap();
    let file = session_file(&directory, session(1));
    assert_eq!(
        (mode(&store.path().join("shared")), mode(&directory), mode(&file)),
        (0o700, 0o700, 0o600)
    );
    assert_eq!(read_session(&file).unwrap().len(), 2);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    append_event(&Effects::apply(), &directory, named("c"), &stamps).unwrap();
    assert_eq!(mode(&file), 0o640);
    assert!(
        append_events(&Effects::apply(), &directory, Vec::<Draft>::new(), &stamps)
            .unwrap()
            .is_empty()
    );
}
