//! What a pass notices, and that nothing it forgets comes back.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

mod support;

use std::fs;

use sexton_index::query::{Role, Sort, View};
use sexton_index::texts::Origin;
use support::{Machine, NOW, answer, id, prompt, title, tool_call, tool_result};

fn minute(number: u128) -> u32 {
    u32::try_from(number).unwrap()
}

#[test]
fn everything_said_is_found() {
    let machine = Machine::new();
    let path = machine.transcript("-work-here", id(1));
    let content = [
        title("Grave matters"),
        prompt(1, "why does load_all deadlock in src/main.rs?"),
        tool_call(2, "Bash", "rg getUserById"),
        tool_result(3, "error[E0308]: mismatched types"),
        answer(4, "検索結果: the lock is held"),
    ];
    machine.write(&path, &content.concat());
    let agent = machine
        .projects()
        .join(format!("-work-here/{}/subagents/agent-7.jsonl", id(1)));
    machine.write(&agent, &prompt(5, "a task for a subagent"));
    let report = machine.pass();
    assert!(report.finished && report.problems.is_empty(), "{report:?}");
    for (query, line) in [
        ("grave", 1),
        ("load_all", 2),
        ("\"deadlock in src/main.rs\"", 2),
        ("getuserbyid", 3),
        ("bash", 3),
        ("e0308", 4),
        ("検索", 5),
        ("果", 5),
        ("lock -deadlock", 5),
    ] {
        assert_eq!(machine.lines(query), [line], "{query}");
    }
    assert!(machine.lines("\"in deadlock\"").is_empty());
    assert_eq!(machine.found("subagent"), [(id(1), Some("agent-7".to_owned()), 1)]);
    let answer = machine.search_with("deadlock", |request| request.view = View::Sessions);
    let hit = &answer.hits[0];
    assert_eq!(
        (answer.total, answer.is_exact, hit.title.as_deref()),
        (1, true, Some("Grave matters"))
    );
    let snippet = hit.snippet.as_ref().unwrap();
    assert_eq!(&snippet.text[snippet.marks[0].clone()], "deadlock");
    assert_eq!(hit.origin, Some(Origin::Projects));
}

#[test]
fn filters_narrow() {
    let machine = Machine::new();
    for number in 1..=3 {
        let slug = format!("-work-p{number}");
        let content = [
            prompt(minute(number), "common word"),
            tool_call(10 + minute(number), "Read", "common"),
        ];
        machine.write(&machine.transcript(&slug, id(number)), &content.concat());
    }
    machine.pass();
    let count =
        |change: &dyn Fn(&mut sexton_index::query::SearchRequest)| machine.search_with("common", |r| change(r)).total;
    assert_eq!(count(&|_| {}), 6);
    assert_eq!(count(&|r| r.filter.project = Some("p2".into())), 2);
    assert_eq!(count(&|r| r.filter.cwd = Some("/work".into())), 6);
    assert_eq!(count(&|r| r.filter.cwd = Some("/wor".into())), 0);
    assert_eq!(count(&|r| r.filter.roles = [Role::User].into()), 3);
    assert_eq!(count(&|r| r.filter.tools = ["read".to_owned()].into()), 3);
    assert_eq!(count(&|r| r.filter.sessions = Some([id(1), id(3)].into())), 4);
    assert_eq!(count(&|r| r.filter.since_ms = Some(NOW - 49 * 60_000)), 3);
    assert_eq!(count(&|r| r.filter.before_ms = Some(NOW - 49 * 60_000)), 3);
    let order = |sort| {
        let answer = machine.search_with("common", |request| {
            request.sort = sort;
            request.view = View::Sessions;
        });
        answer.hits.into_iter().map(|hit| hit.session).collect::<Vec<_>>()
    };
    assert_eq!(order(Sort::Newest), [id(3), id(2), id(1)]);
    assert_eq!(order(Sort::Oldest), [id(1), id(2), id(3)]);
}

#[test]
fn a_common_word_is_answered_session_by_session() {
    let machine = Machine::new();
    for number in 1..=40 {
        let content: String = (0..150).map(|_| prompt(minute(number), "the same")).collect();
        machine.write(&machine.transcript("-w", id(number)), &content);
    }
    machine.pass();
    let answer = machine.search_with("the", |request| {
        request.view = View::Sessions;
        request.limit = 5;
        request.sort = Sort::Newest;
    });
    let sessions: Vec<_> = answer.hits.iter().map(|hit| hit.session).collect();
    assert_eq!(sessions, [40, 39, 38, 37, 36].map(id));
    assert!(!answer.is_exact && answer.total >= 5);
    let narrowed = machine.search_with("the", |request| request.filter.sessions = Some([id(7)].into()));
    assert_eq!(narrowed.total, 150);
}

#[test]
fn what_looks_as_it_did_is_not_compared() {
    let machine = Machine::new();
    let first = machine.transcript("-w", id(1));
    machine.write(&first, &prompt(1, "one"));
    machine.write(&machine.transcript("-w", id(2)), &prompt(2, "two"));
    machine.pass();
    // What nobody does: then only a comparison could notice it.
    let alter = || {
        let connection = rusqlite::Connection::open(machine.catalogue_path()).unwrap();
        connection.execute("UPDATE file SET size = size + 1", []).unwrap();
    };
    alter();
    assert_eq!(machine.pass().progress.files_total, 0);
    machine.append(&first, &prompt(3, "three"));
    assert_eq!(machine.pass().progress.files_total, 2);
    alter();
    assert_eq!(machine.pass().progress.files_total, 0);
    // Forgetting a session, or hiding one, makes the sum worth nothing.
    machine.open().forget(id(2)).unwrap();
    assert_eq!(machine.pass().progress.files_total, 2);
    alter();
    machine.bury(id(2));
    assert_eq!(machine.pass().progress.files_total, 1);
}

#[test]
fn a_pass_with_nothing_to_do_needs_no_room() {
    let machine = Machine::new();
    machine.write(&machine.transcript("-w", id(1)), &prompt(1, "one"));
    machine.pass_and_keep();
    // As on a full disk, the commit fails, and only of what a pass writes down that has nothing to do.
    let connection = rusqlite::Connection::open(machine.catalogue_path()).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE room (x PRIMARY KEY);
             CREATE TABLE full (x REFERENCES room DEFERRABLE INITIALLY DEFERRED);
             CREATE TRIGGER at_commit AFTER INSERT ON setting WHEN new.name = 'settled'
             BEGIN INSERT INTO full VALUES (1); END;",
        )
        .unwrap();
    machine.pass();
    let settled = "SELECT count(*) FROM setting WHERE name = 'settled'";
    let count = || connection.query_row(settled, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count(), 0);
    connection.execute_batch("DROP TRIGGER at_commit").unwrap();
    machine.pass();
    assert_eq!(count(), 1);
}

#[test]
fn an_appended_transcript_costs_its_new_bytes() {
    let machine = Machine::new();
    let path = machine.transcript("-w", id(1));
    let past: String = (0..2000)
        .map(|_| prompt(1, "a long past that nobody reads twice"))
        .collect();
    machine.write(&path, &past);
    assert_eq!(machine.pass().progress.bytes_read, past.len() as u64);
    machine.append(&path, &prompt(2, "newly said"));
    let report = machine.pass();
    assert_eq!(report.progress.bytes_read, prompt(2, "newly said").len() as u64);
    assert_eq!(machine.lines("newly"), [2001]);
    let report = machine.pass();
    assert_eq!((report.progress.files_total, report.finished), (0, true));
}

#[test]
fn rewritten_truncated_and_replaced_files_are_noticed() {
    let machine = Machine::new();
    let path = machine.transcript("-w", id(1));
    let first = [prompt(1, "alpha"), prompt(2, "bravo")].concat();
    machine.write(&path, &first);
    machine.pass();
    // In place, of the same length.
    machine.write(&path, &first.replace("alpha", "delta"));
    Effects::apply()
        .set_modified(&path, FileTime::from_ms(NOW - 1_000_000))
        .unwrap();
    machine.pass();
    assert_eq!((machine.lines("alpha"), machine.lines("delta")), (vec![], vec![1]));
    // In place, longer, with another beginning.
    machine.write(
        &path,
        &[prompt(1, "echo"), prompt(2, "bravo"), prompt(3, "golf")].concat(),
    );
    machine.pass();
    assert_eq!(
        (machine.lines("delta"), machine.lines("echo"), machine.lines("golf")),
        (vec![], vec![1], vec![3])
    );
    // Truncated.
    machine.write(&path, &prompt(1, "echo"));
    machine.pass();
    assert_eq!((machine.lines("golf"), machine.lines("echo")), (vec![], vec![1]));
    // Replaced by another file.
    fs::remove_file(&path).unwrap();
    machine.write(&path, &prompt(1, "hotel"));
    machine.pass();
    assert_eq!((machine.lines("echo"), machine.lines("hotel")), (vec![], vec![1]));
}

#[test]
fn a_restamped_file_is_not_read_again() {
    let machine = Machine::new();
    let path = machine.transcript("-w", id(1));
    machine.write(&path, &prompt(1, "alpha"));
    machine.pass();
    Effects::apply().set_modified(&path, FileTime::from_ms(NOW)).unwrap();
    assert_eq!(machine.pass().progress.bytes_read, 0);
    assert_eq!(machine.pass().progress.files_total, 0);
    assert_eq!(machine.lines("alpha"), [1]);
}

#[test]
fn a_moved_transcript_is_not_read_again_and_a_copy_is_one_session() {
    let machine = Machine::new();
    let (old, new) = (machine.transcript("-old", id(1)), machine.transcript("-new", id(1)));
    machine.write(&old, &prompt(1, "alpha"));
    machine.pass();
    fs::create_dir_all(new.parent().unwrap()).unwrap();
    fs::rename(&old, &new).unwrap();
    assert_eq!(machine.pass().progress.bytes_read, 0);
    let catalogue = machine.open();
    let files = catalogue.files(id(1)).unwrap();
    assert_eq!(
        files.iter().map(|file| (&file.path, file.present)).collect::<Vec<_>>(),
        [(&new, true)]
    );
    machine.write(&old, &[prompt(1, "alpha"), prompt(2, "bravo")].concat());
    let report = machine.pass();
    assert!(report.facts.missing.is_empty());
    assert_eq!(catalogue.session(id(1)).unwrap().unwrap().transcripts.len(), 2);
    assert_eq!(machine.lines("alpha"), [1]);
    assert_eq!(
        machine
            .search_with("alpha", |request| request.view = View::Sessions)
            .hits[0]
            .matches,
        1
    );
}

#[test]
fn a_swept_session_is_retained_readable_and_found() {
    let machine = Machine::new();
    let path = machine.transcript("-w", id(1));
    machine.write(&path, &[prompt(1, "alpha bravo"), answer(2, "so")].concat());
    machine.write(&machine.transcript("-w", id(2)), &prompt(3, "another"));
    let report = machine.pass_and_keep();
    assert!(report.warnings.is_empty(), "{report:?}");
    fs::remove_file(&path).unwrap();
    let report = machine.pass();
    assert_eq!(report.facts.missing, [(id(1), NOW)].into());
    let hit = machine.search_with("\"alpha bravo\"", |_| {}).hits.remove(0);
    assert_eq!((hit.origin, hit.missing_since_ms), (Some(Origin::Vault), Some(NOW)));
    assert!(hit.snippet.unwrap().text.contains("alpha bravo"));
    // The catalogue is lost: the copy still tells.
    fs::remove_dir_all(machine.catalogue_path().parent().unwrap()).unwrap();
    let report = machine.pass();
    assert_eq!(report.facts.missing, [(id(1), NOW)].into());
    assert_eq!(machine.lines("alpha"), [1]);
    // It comes back.
    let out = machine.path().join("out");
    machine.vault.extract(&Effects::apply(), id(1), &out).unwrap();
    fs::rename(out.join("projects/-w").join(path.file_name().unwrap()), &path).unwrap();
    let report = machine.pass();
    assert!(report.facts.missing.is_empty());
    assert_eq!(machine.lines("alpha"), [1]);
}

#[test]
fn what_could_not_be_listed_is_not_missing() {
    let machine = Machine::new();
    let path = machine.transcript("-w", id(1));
    machine.write(&path, &prompt(1, "alpha"));
    machine.pass();
    // The projects directory is not there: an unmounted disk.
    fs::rename(machine.projects(), machine.path().join("unmounted")).unwrap();
    assert!(machine.pass().facts.missing.is_empty());
    assert_eq!(machine.found("alpha").len(), 1);
    fs::rename(machine.path().join("unmounted"), machine.projects()).unwrap();
    assert!(machine.pass().facts.missing.is_empty());
    assert_eq!(machine.lines("alpha"), [1]);
}

#[test]
fn a_tombstoned_session_vanishes_and_never_comes_back() {
    let machine = Machine::new();
    let path = machine.transcript("-w", id(1));
    machine.write(&path, &prompt(1, "alpha"));
    machine.pass_and_keep();
    machine.bury(id(1));
    // At once, even before a pass.
    assert!(machine.lines("alpha").is_empty());
    let report = machine.pass_and_keep();
    assert!(report.facts.missing.is_empty());
    assert!(machine.open().session(id(1)).unwrap().unwrap().hidden);
    // Its file is appended to, the catalogue is rebuilt, the file vanishes, only the copy is left.
    machine.append(&path, &prompt(2, "alpha again"));
    machine.pass_and_keep();
    assert!(machine.lines("alpha").is_empty());
    fs::remove_dir_all(machine.catalogue_path().parent().unwrap()).unwrap();
    machine.pass_and_keep();
    assert!(machine.lines("alpha").is_empty());
    fs::remove_file(&path).unwrap();
    let report = machine.pass_and_keep();
    assert!(machine.lines("alpha").is_empty() && report.facts.missing.is_empty());
    assert!(
        machine.vault.manifest(id(1)).unwrap().is_some(),
        "no pass removes a copy"
    );
    // Lifted, the copy tells again.
    fs::remove_file(machine.tombstones().join(".deleted")).unwrap();
    fs::remove_dir_all(machine.catalogue_path().parent().unwrap()).unwrap();
    machine.pass();
    assert_eq!(machine.lines("alpha"), [1]);
}

#[test]
fn unreadable_tombstones_stop_the_pass() {
    let machine = Machine::new();
    machine.write(&machine.transcript("-w", id(1)), &prompt(1, "alpha"));
    fs::create_dir_all(machine.tombstones().join(".deleted")).unwrap();
    let mut catalogue = machine.open();
    let error = machine.try_pass(&mut catalogue, None, &|| false).unwrap_err();
    assert!(matches!(error, sexton_index::IndexError::Tombstones(_)), "{error}");
    assert!(catalogue.sessions().unwrap().is_empty());
}

#[test]
fn a_pass_that_is_stopped_goes_on() {
    let machine = Machine::new();
    for number in 1..=4 {
        let filler = "x".repeat(9000);
        let content: String = (0..1000)
            .map(|_| prompt(minute(number), &format!("{filler} w{number}")))
            .collect();
        machine.write(&machine.transcript("-w", id(number)), &content);
    }
    let mut passes = 0;
    loop {
        let asked = std::sync::atomic::AtomicU32::new(0);
        let should_stop = move || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 2;
        let report = machine.try_pass(&mut machine.open(), None, &should_stop).unwrap();
        passes += 1;
        if report.finished && report.progress.files_total == 0 {
            break;
        }
        assert!(passes < 50);
    }
    assert!(passes > 3, "{passes}");
    for number in 1..=4 {
        let request = |request: &mut sexton_index::query::SearchRequest| request.limit = usize::MAX;
        let found = machine.search_with(&format!("w{number}"), request).hits;
        let sessions: std::collections::BTreeSet<_> = found.iter().map(|hit| hit.session).collect();
        assert_eq!(sessions, [id(number)].into());
    }
    assert_eq!(
        machine.open().session(id(1)).unwrap().unwrap().summary.human_prompts,
        1000
    );
}

#[test]
fn damage_in_one_file_hides_nothing_else() {
    let machine = Machine::new();
    machine.write(&machine.transcript("-w", id(1)), &prompt(1, "alpha"));
    let damaged = [
        &prompt(1, "bravo"),
        "\0\0\0\n{not json\n",
        &prompt(2, "charlie"),
        "{\"type\":\"user\",\"mess",
    ]
    .concat();
    machine.write(&machine.transcript("-w", id(2)), &damaged);
    std::os::unix::fs::symlink("/nowhere", machine.transcript("-w", id(3))).unwrap();
    let report = machine.pass();
    assert!(report.finished, "{report:?}");
    assert_eq!(
        (machine.lines("alpha"), machine.lines("bravo"), machine.lines("charlie")),
        (vec![1], vec![1], vec![4])
    );
    assert_eq!(machine.open().session(id(2)).unwrap().unwrap().summary.problems, 2);
}

use sexton_sys::{Effects, FileTime};

/// The result names the call and the call the tool, also where a pass ended between them.
#[test]
fn results_are_found_by_the_tool_that_gave_them() {
    let machine = Machine::new();
    let path = machine.transcript("-w", id(1));
    let result = |call: &str, text: &str| {
        tool_result(3, text).replace("\"tool_use_id\":\"t\"", &format!("\"tool_use_id\":\"{call}\""))
    };
    let read = tool_call(2, "Read", "src/lib.rs").replace("\"id\":\"t\"", "\"id\":\"r\"");
    machine.write(&path, &[tool_call(1, "Bash", "ls"), read].concat());
    machine.pass();
    machine.append(
        &path,
        &[
            result("r", "platypus"),
            result("t", "platypus"),
            result("x", "platypus"),
        ]
        .concat(),
    );
    machine.pass();
    let lines = |tool: &str| {
        let answer = machine.search_with("platypus", |request| request.filter.tools = [tool.to_owned()].into());
        answer.hits.iter().map(|hit| hit.line).collect::<Vec<_>>()
    };
    assert_eq!((lines("read"), lines("bash"), lines("x")), (vec![3], vec![4], vec![]));
    // What a result is of is no word of it.
    assert_eq!(machine.lines("bash"), [1]);
    assert_eq!(machine.lines("platypus"), [3, 4, 5]);
}

#[test]
fn a_copy_that_somebody_removed_is_taken_again() {
    let machine = Machine::new();
    for number in 1..=3 {
        machine.write(&machine.transcript("-w", id(number)), &prompt(1, "the only copy"));
    }
    let all = [1, 2, 3].map(id);
    let held = || {
        let mut held = machine.vault.sessions().unwrap();
        held.sort_unstable();
        held
    };
    machine.pass_and_keep();
    machine.pass_and_keep();
    assert_eq!(held(), all);
    fs::remove_dir_all(machine.vault.session_directory(id(2))).unwrap();
    machine.pass_and_keep();
    assert_eq!(held(), all);
    // Also if all of it goes.
    machine.pass_and_keep();
    fs::remove_dir_all(machine.vault.directory()).unwrap();
    machine.pass_and_keep();
    assert_eq!(held(), all);
    assert!(machine.vault.status(id(3)).unwrap().unwrap().is_complete);
}
