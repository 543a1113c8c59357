//! `sexton delete`: what it takes, what it refuses, and that refusing changes nothing.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use sexton_testkit::{Footprint, LiveProcess, NOW_MS, RegistryRecord, TestEnv, Transcript, TreePicture, session_id};

use crate::support::{document, listed_ids, now_ms, outcomes, said, sexton, sexton_on_terminal, tombstones};

const DAY_MS: i64 = 86_400_000;

fn plant(env: &TestEnv, number: u32) -> PathBuf {
    Transcript::new(&session_id(number))
        .conversation(&format!("prompt {number}"), "an answer")
        .write(&env.config_dir())
}

/// The pictures of everything that a refused delete must leave alone.
fn sessions_and_tombstones(env: &TestEnv) -> (TreePicture, Vec<String>) {
    (TreePicture::of(&env.config_dir()), tombstones(env))
}

/// Runs a delete that must be refused, and returns what it said.
#[track_caller]
fn refused(env: &TestEnv, arguments: &[&str]) -> String {
    let before = env.picture();
    let run = sexton(env, &[&["delete"], arguments].concat());
    run.assert_code(1);
    before.assert_unchanged(&env.picture());
    assert!(!run.stderr.is_empty());
    run.stderr
}

#[test]
fn a_named_session_goes_whole_and_its_neighbours_stay() {
    let env = TestEnv::new();
    let transcript = plant(&env, 1);
    let neighbour = plant(&env, 2);
    let footprint = Footprint::plant(&env.config_dir(), &transcript);
    let neighbour_before = TreePicture::of(&neighbour);
    let run = sexton(&env, &["delete", &session_id(1)[..8], "--yes"]);
    run.assert_code(0);
    assert!(run.stdout.contains(&session_id(1)), "{run:#?}");
    for path in &footprint.own {
        assert!(!path.exists(), "{} is still there", path.display());
    }
    for path in footprint.shared.iter().chain(&footprint.foreign) {
        assert!(path.exists(), "{} is gone", path.display());
    }
    neighbour_before.assert_unchanged(&TreePicture::of(&neighbour));
    assert_eq!(tombstones(&env), [session_id(1)]);
    assert_eq!(listed_ids(&env, &["--all"]), [session_id(2)]);
    assert_eq!(listed_ids(&env, &["--deleted"]), [session_id(1)]);
}

#[test]
fn without_a_filter_nothing_is_deleted() {
    let env = TestEnv::new();
    plant(&env, 1);
    for arguments in [
        &["--yes"][..],
        &["--dry-run"],
        &["--project", "", "--yes"],
        &["--before", "", "--yes"],
        &["--cwd", "", "--yes"],
        &["--max-messages", "0", "--yes"],
        &["--yes", "--yes-most", "--purge"],
        &["", "--yes"],
    ] {
        let said = refused(&env, arguments);
        assert!(
            said.contains("filter") || said.contains("at least 8"),
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn it_asks_and_without_a_terminal_it_refuses() {
    let env = TestEnv::new();
    plant(&env, 1);
    let said = refused(&env, &[&session_id(1)]);
    assert!(said.contains("--yes"), "{said}");
}

#[test]
fn on_a_terminal_it_shows_the_plan_and_takes_y_only() {
    let env = TestEnv::new();
    let transcript = plant(&env, 1);
    let arguments = format!("delete {}", session_id(1));
    let Some(shown) = sexton_on_terminal(&env, 120, &arguments) else {
        return;
    };
    assert!(shown.contains("[y/N]"), "{shown}");
    assert!(
        shown.contains("prompt 1") && shown.contains("1 of 1 session (100%)"),
        "{shown}"
    );
    assert!(transcript.exists() && tombstones(&env).is_empty());
}

#[test]
fn a_live_session_is_refused_by_name_and_left_out_by_filter() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    plant(&env, 1);
    let other = plant(&env, 2);
    RegistryRecord::of(&process, &session_id(1)).write(&env.config_dir());
    for flags in [
        &["--yes"][..],
        &["--dry-run"],
        &["--yes", "--unverified"],
        &["--yes", "--json"],
    ] {
        let before = sessions_and_tombstones(&env);
        let run = sexton(&env, &[&["delete", &session_id(1)], flags].concat());
        run.assert_code(1);
        assert!(run.stderr.contains(&process.pid().to_string()), "{flags:?}: {run:#?}");
        assert_eq!(before, sessions_and_tombstones(&env));
    }
    let dry = sexton(&env, &["delete", "--project", "sample", "--dry-run"]);
    dry.assert_code(0);
    assert!(said(&dry).contains("left out"), "{dry:#?}");
    let run = sexton(&env, &["delete", "--project", "sample", "--yes", "--json"]);
    run.assert_code(0);
    assert_eq!(
        outcomes(&run),
        [(session_id(2), "done".to_owned()), (session_id(1), "kept".to_owned())]
    );
    assert!(run.stderr.contains(&session_id(1)), "{run:#?}");
    assert!(!other.exists());
    assert_eq!(tombstones(&env), [session_id(2)]);
}

#[test]
fn a_session_of_another_machine_goes_only_by_full_id_and_on_ones_word() {
    let env = TestEnv::new();
    plant(&env, 1);
    RegistryRecord::with_pid(1, &session_id(1))
        .on_another_machine()
        .write(&env.config_dir());
    let id = session_id(1);
    refused(&env, &[&id, "--yes"]);
    refused(&env, &[&id[..8], "--yes", "--unverified"]);
    sexton(&env, &["delete", &id, "--yes", "--unverified"]).assert_code(0);
    assert_eq!(tombstones(&env), [id]);
}

#[test]
fn what_addresses_no_session_or_several_is_refused() {
    let env = TestEnv::new();
    plant(&env, 1);
    let twins = [
        "aaaaaaaa-0000-4000-8000-000000000001",
        "aaaaaaaa-0000-4000-8000-000000000002",
    ];
    for twin in twins {
        Transcript::new(twin).conversation("a", "b").write(&env.config_dir());
    }
    let said = refused(&env, &["aaaaaaaa", "--yes"]);
    assert!(twins.iter().all(|twin| said.contains(twin)), "{said}");
    for unknown in [
        "99999999",
        "ffffffff-0000-4000-8000-000000000001",
        &session_id(1)[..7],
        "%",
        "________",
        "../../..",
        "*",
    ] {
        let said = refused(&env, &[unknown, "--yes"]);
        assert!(said.contains(unknown), "{said}");
        // One bad name among good ones stops all of them.
        refused(&env, &[&session_id(1), unknown, "--yes"]);
    }
}

#[test]
fn filters_are_anded_with_each_other_and_with_the_ids() {
    let env = TestEnv::new();
    let now = now_ms();
    let at = |number: u32, directory: &str, age_days: i64| {
        Transcript::new(&session_id(number))
            .cwd(directory)
            .at_ms(now - age_days * DAY_MS)
            .conversation("do it", "done")
            .write(&env.config_dir())
    };
    at(1, "/home/dev/old", 100);
    at(2, "/home/dev/old", 5);
    at(3, "/home/dev/old/sub", 100);
    at(4, "/home/dev/older", 100);
    // The client stamps idle files anew: the file is young, its messages are old.
    let stamped = at(5, "/home/dev/stamped", 100);
    fs::File::options()
        .append(true)
        .open(stamped)
        .unwrap()
        .set_modified(std::time::SystemTime::now())
        .unwrap();
    // More than was said in the others.
    Transcript::new(&session_id(6))
        .cwd("/home/dev/long")
        .at_ms(now - 100 * DAY_MS)
        .conversation("one", "two")
        .conversation("three", "four")
        .write(&env.config_dir());
    let met = |arguments: &[&str]| -> Vec<u32> {
        let run = sexton(&env, &[&["delete", "--dry-run", "--json"], arguments].concat());
        run.assert_code(0);
        let mut met: Vec<u32> = outcomes(&run)
            .iter()
            .map(|(id, _)| u32::from_str_radix(&id[..8], 16).unwrap())
            .collect();
        met.sort_unstable();
        met
    };
    assert_eq!(met(&["--before", "30d"]), [1, 3, 4, 6]);
    assert_eq!(met(&["--inactive-before", "30d"]), [1, 3, 4, 5, 6]);
    assert_eq!(met(&["--project", "dev-old"]), [1, 2, 3, 4]);
    assert_eq!(met(&["--project", "DEV-OLD"]), [] as [u32; 0]);
    assert_eq!(met(&["--project", "projects"]), [] as [u32; 0]);
    assert_eq!(met(&["--cwd", "/home/dev/old"]), [1, 2, 3]);
    assert_eq!(met(&["--cwd", "/home/dev/old", "--before", "30d"]), [1, 3]);
    let lines = fs::read_to_string(
        Transcript::new(&session_id(1))
            .cwd("/home/dev/old")
            .path(&env.config_dir()),
    )
    .unwrap()
    .lines()
    .count();
    assert_eq!(met(&["--max-messages", &lines.to_string()]), [1, 2, 3, 4, 5]);
    assert_eq!(met(&["--max-messages", &(lines - 1).to_string()]), [] as [u32; 0]);
    assert_eq!(met(&[&session_id(1), &session_id(2), "--before", "30d"]), [1]);
    assert_eq!(met(&["--inactive-before", "2000-01-01"]), [] as [u32; 0]);
    sexton(&env, &["delete", "--before", "soon", "--yes"]).assert_code(2);
}

#[test]
fn only_routine_ones() {
    let env = TestEnv::new();
    plant(&env, 1);
    Transcript::new(&session_id(2))
        .prompt("/exit")
        .answer("Goodbye")
        .write(&env.config_dir());
    Transcript::new(&session_id(3))
        .prompt("what is the first of these two problems?")
        .answer(&"a long answer ".repeat(40))
        .prompt("and the second one?")
        .answer(&"a long answer ".repeat(40))
        .write(&env.config_dir());
    let run = sexton(&env, &["delete", "--routine", "--project", "sample", "--yes", "--json"]);
    run.assert_code(0);
    let gone: Vec<String> = outcomes(&run).into_iter().map(|(id, _)| id).collect();
    assert!(
        gone.contains(&session_id(2)) && !gone.contains(&session_id(3)),
        "{gone:?}"
    );
}

#[test]
fn most_of_everything_wants_a_word_of_its_own() {
    let env = TestEnv::new();
    for number in 1..=12 {
        plant(&env, number);
    }
    let said = refused(&env, &["--project", "sample", "--yes"]);
    assert!(said.contains("--yes-most") && said.contains("12 of 12"), "{said}");
    // Ids that were typed one by one were meant.
    let ids: Vec<String> = (1..=12).map(session_id).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    sexton(&env, &[&["delete", "--dry-run"], &ids[..]].concat()).assert_code(0);
    sexton(&env, &["delete", "--project", "sample", "--yes", "--yes-most"]).assert_code(0);
    assert_eq!(tombstones(&env).len(), 12);
}

#[test]
fn memories_never_move_and_a_project_of_nothing_else_goes() {
    let env = TestEnv::new();
    let transcript = plant(&env, 1);
    let memory = transcript.parent().unwrap().join("memory/MEMORY.md");
    env.write(&memory, "- remember\n");
    let lonely = Transcript::new(&session_id(2))
        .cwd("/home/dev/lonely")
        .conversation("a", "b")
        .write(&env.config_dir());
    sexton(&env, &["delete", &session_id(1), &session_id(2), "--yes"]).assert_code(0);
    assert_eq!(fs::read_to_string(&memory).unwrap(), "- remember\n");
    assert!(!lonely.parent().unwrap().exists(), "an empty project directory is left");
}

#[test]
fn a_transcript_that_is_a_symlink_stays() {
    let env = TestEnv::new();
    let elsewhere = env.home().join("elsewhere.jsonl");
    Transcript::new(&session_id(1))
        .conversation("a", "b")
        .write_to(&elsewhere);
    let link = Transcript::new(&session_id(1)).path(&env.config_dir());
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(&elsewhere, &link).unwrap();
    let before = sessions_and_tombstones(&env);
    let run = sexton(&env, &["delete", &session_id(1), "--yes"]);
    run.assert_code(1);
    assert!(run.stderr.contains("symbolic link"), "{run:#?}");
    assert_eq!(before, sessions_and_tombstones(&env));
    assert!(elsewhere.exists());
}

#[test]
fn one_refusal_hides_no_success_and_exits_with_3() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    let taken = plant(&env, 1);
    plant(&env, 2);
    RegistryRecord::of(&process, &session_id(2)).write(&env.config_dir());
    let run = sexton(&env, &["delete", &session_id(1), &session_id(2), "--yes", "--json"]);
    run.assert_code(3);
    assert_eq!(
        outcomes(&run),
        [(session_id(1), "done".to_owned()), (session_id(2), "failed".to_owned())]
    );
    assert!(!taken.exists());
    assert_eq!(document(&run)["problems"].as_array().unwrap().len(), 1);
}

#[test]
fn purged_is_gone_for_good_and_says_so() {
    let env = TestEnv::new();
    plant(&env, 1);
    // A copy is kept before.
    sexton(&env, &["search", "prompt"]).assert_code(0);
    let run = sexton(&env, &["delete", &session_id(1), "--yes", "--purge"]);
    run.assert_code(0);
    assert!(run.stderr.contains("can't be undone"), "{run:#?}");
    assert_eq!(tombstones(&env), [session_id(1)]);
    let run = sexton(&env, &["restore", &session_id(1)]);
    run.assert_code(1);
    let left = env.picture();
    let holds = |path: &&std::path::Path| {
        let content = fs::read(env.root().join(path)).unwrap_or_default();
        content
            .windows(b"\"sessionId\"".len())
            .any(|window| window == b"\"sessionId\"")
    };
    let holding: Vec<_> = left.paths().filter(holds).collect();
    assert!(holding.is_empty(), "{holding:?}");
    let vault = sexton(&env, &["keep", "status", "--json"]);
    assert!(outcomes(&vault).is_empty());
}

#[test]
fn the_plan_is_told_with_title_directory_and_size() {
    let env = TestEnv::new();
    let id = session_id(1);
    Transcript::new(&id)
        .conversation("a", "b")
        .custom_title("Mending\u{1b}[31m the parser")
        .write(&env.config_dir());
    let dry = sexton(&env, &["delete", &id, "--dry-run"]);
    dry.assert_code(0);
    assert!(!dry.stdout.contains('\u{1b}'), "{dry:#?}");
    for part in ["Mending", "/home/dev/sample", "1 of 1 session (100%)", "would "] {
        assert!(dry.stdout.contains(part), "{part}: {dry:#?}");
    }
    let json = document(&sexton(&env, &["delete", &id, "--dry-run", "--json"]));
    let item = &json["items"][0];
    assert_eq!(item["title"], "Mending\u{1b}[31m the parser");
    assert_eq!(item["directory"], "/home/dev/sample");
    assert!(item["bytes"].as_u64().unwrap() > 0);
    assert!(item["last_activity"].as_str().unwrap() < sexton_testkit::iso(NOW_MS).as_str());
}
