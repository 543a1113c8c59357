//! `sexton tombstone`, and that what is dead stays away.

use std::fs;

use sexton_testkit::{TestEnv, Transcript, TreePicture, session_id};

use crate::support::{listed_ids, outcomes, sexton, tombstones};

fn plant(env: &TestEnv, number: u32) -> std::path::PathBuf {
    Transcript::new(&session_id(number))
        .conversation("the heron waits", "so it does")
        .write(&env.config_dir())
}

fn finds(env: &TestEnv) -> bool {
    let run = sexton(env, &["search", "heron"]);
    let scan = sexton(env, &["search", "--substring", "heron"]);
    assert_eq!(run.code, scan.code, "{run:#?} {scan:#?}");
    match run.code {
        Some(0) => true,
        Some(1) => false,
        _ => panic!("{run:#?}"),
    }
}

#[test]
fn a_deleted_session_stays_away_when_its_file_comes_back() {
    let env = TestEnv::new();
    let transcript = plant(&env, 1);
    let content = fs::read(&transcript).unwrap();
    assert!(finds(&env));
    sexton(&env, &["delete", &session_id(1), "--yes"]).assert_code(0);
    assert!(!finds(&env));
    // A backup, or another tool, brings the file back.
    env.write(&transcript, &content);
    assert!(!finds(&env));
    assert_eq!(listed_ids(&env, &["--all"]), [] as [&str; 0]);
    assert_eq!(listed_ids(&env, &["--deleted"]), [session_id(1)]);
    fs::remove_dir_all(env.cache_dir()).unwrap();
    assert!(!finds(&env), "a rebuild brought it back");
    let read = sexton(&env, &["read", &session_id(1)]);
    read.assert_code(1);
    assert!(!read.stdout.contains("heron"));
    // Only the tombstone hides it.
    sexton(&env, &["tombstone", "lift", &session_id(1)]).assert_code(0);
    assert!(finds(&env));
    assert_eq!(listed_ids(&env, &["--all"]), [session_id(1)]);
}

#[test]
fn other_tools_lines_stay_byte_for_byte() {
    let env = TestEnv::new();
    // Written by another tool: blanks, blank lines, something that is no id, no newline at the end.
    env.write(
        &env.tombstone_file(),
        format!("  {} \n\nnot an id\nlast", session_id(7)),
    );
    let run = sexton(&env, &["tombstone", "list"]);
    run.assert_clean();
    let mut listed: Vec<&str> = run.stdout.lines().collect();
    listed.sort_unstable();
    assert_eq!(listed, [&*session_id(7), "last", "not an id"]);
    sexton(&env, &["tombstone", "add", &session_id(8)]).assert_code(0);
    sexton(&env, &["tombstone", "lift", &session_id(8)]).assert_code(0);
    let text = fs::read_to_string(env.tombstone_file()).unwrap();
    assert_eq!(text, format!("  {} \n\nnot an id\nlast\n", session_id(7)));
    sexton(&env, &["tombstone", "lift", &session_id(7)]).assert_code(0);
    assert_eq!(fs::read_to_string(env.tombstone_file()).unwrap(), "\nnot an id\nlast\n");
    let unfit = sexton(&env, &["tombstone", "add", "a\nb"]);
    unfit.assert_code(1);
    assert_eq!(tombstones(&env), ["", "not an id", "last"]);
}

#[test]
fn an_unreadable_file_stops_everything_that_must_obey_it() {
    let env = TestEnv::new();
    let transcript = plant(&env, 1);
    assert!(finds(&env));
    fs::create_dir_all(env.tombstone_file()).unwrap();
    let search = sexton(&env, &["search", "heron"]);
    search.assert_code(3);
    assert_eq!(search.stdout, "");
    let scan = sexton(&env, &["search", "--substring", "heron"]);
    scan.assert_code(3);
    assert_eq!(scan.stdout, "");
    let before = TreePicture::of(&env.config_dir());
    for command in [
        &["delete", &session_id(1), "--yes"][..],
        &["archive", &session_id(1)],
        &["restore", &session_id(1), "--from", "vault"],
        &["tombstone", "add", &session_id(2)],
        &["tombstone", "list"],
        &["read", &session_id(1)],
    ] {
        let run = sexton(&env, command);
        assert!(matches!(run.code, Some(1 | 3)), "{command:?}: {run:#?}");
        assert_eq!(run.stdout, "", "{command:?}");
        assert!(run.stderr.contains(".deleted"), "{command:?}: {run:#?}");
        before.assert_unchanged(&TreePicture::of(&env.config_dir()));
    }
    assert!(transcript.exists());
}

#[test]
fn json_has_an_item_for_each() {
    let env = TestEnv::new();
    for what in ["add", "lift"] {
        let run = sexton(&env, &["tombstone", what, &session_id(1), &session_id(2), "--json"]);
        run.assert_code(0);
        let done = [(session_id(1), "done".to_owned()), (session_id(2), "done".to_owned())];
        assert_eq!(outcomes(&run), done);
        // Again: nothing is left to do, and the file stays as it is.
        let before = tombstones(&env);
        sexton(&env, &["tombstone", what, &session_id(1)]).assert_code(0);
        assert_eq!(tombstones(&env), before);
    }
}

#[test]
fn what_is_no_session_is_refused_and_what_is_so_already_begins_no_operation() {
    let env = TestEnv::new();
    plant(&env, 0xaaaa_0001);
    let journal = env.data_dir().join("journal.jsonl");
    for text in ["", "foo", "aaaa000", "99999999", "🪦", "a\nb"] {
        for what in ["add", "lift"] {
            let run = sexton(&env, &["tombstone", what, text]);
            run.assert_code(1);
            assert_eq!(run.stdout, "", "{what} {text:?}");
        }
    }
    let unset = sexton(&env, &["tombstone", "lift", &session_id(0xaaaa_0001)]);
    unset.assert_clean();
    assert_eq!(unset.stdout, format!("{} had no tombstone\n", session_id(0xaaaa_0001)));
    assert!(tombstones(&env).is_empty() && !journal.exists());
    // By a prefix: of what is known, and of what has a tombstone.
    sexton(&env, &["tombstone", "add", "AAAA0001"]).assert_code(0);
    assert_eq!(tombstones(&env), [session_id(0xaaaa_0001)]);
    let written = fs::read(&journal).unwrap();
    let again = sexton(&env, &["tombstone", "add", &session_id(0xaaaa_0001), "--json"]);
    assert_eq!(outcomes(&again), [(session_id(0xaaaa_0001), "already-done".to_owned())]);
    assert_eq!(fs::read(&journal).unwrap(), written);
    sexton(&env, &["tombstone", "lift", "aaaa0001"]).assert_code(0);
    assert!(tombstones(&env).is_empty());
}

#[test]
fn what_was_interrupted_is_settled_also_where_nothing_is_to_be_changed() {
    let env = TestEnv::new();
    let journal = env.data_dir().join("journal.jsonl");
    // Killed between its intent and the file: the lift had not begun, and goes on now.
    env.write(&env.tombstone_file(), format!("{}\n", session_id(1)));
    let intent = format!(
        r#"{{"journal_version":1,"at":"2026-03-01T12:00:00.000Z","operation":"20260301T120000.000Z-1a2b3c4d","body":{{"line":"intent","item":0,"kind":"tombstone","id":"{}","moves":[],"tombstone":{{"before":true,"after":false}},"manifest":null,"discard":false,"vouched":false,"undoes":null}}}}"#,
        session_id(1)
    );
    env.write(&journal, intent + "\n");
    sexton(&env, &["tombstone", "lift", &session_id(2)]).assert_code(0);
    let text = fs::read_to_string(&journal).unwrap();
    assert!(text.contains(r#""line":"result""#), "{text}");
    assert!(text.lines().last().unwrap().contains(r#""pending":0"#), "{text}");
}
