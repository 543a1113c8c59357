//! `sexton undo`: the last operation, and again the one before.

use std::fs;

use sexton_testkit::{TestEnv, Transcript, TreePicture, session_id};

use crate::support::{now_ms, outcomes, sexton, tombstones};

#[test]
fn again_and_again_further_back() {
    let env = TestEnv::new();
    let paths: Vec<_> = (1..=3)
        .map(|number| {
            Transcript::new(&session_id(number))
                .at_ms(now_ms() - 3_600_000)
                .conversation("a", "b")
                .write(&env.config_dir())
        })
        .collect();
    let content: Vec<_> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let projects = env.config_dir().join("projects");
    let at_first = TreePicture::of(&projects);
    sexton(&env, &["delete", &session_id(1), "--yes"]).assert_code(0);
    sexton(&env, &["archive", &session_id(2)]).assert_code(0);
    sexton(&env, &["delete", &session_id(3), "--yes"]).assert_code(0);
    sexton(&env, &["restore", &session_id(3)]).assert_code(0);
    sexton(&env, &["tombstone", "add", &session_id(9)]).assert_code(0);
    assert_eq!(tombstones(&env), [session_id(1), session_id(9)]);

    let undo = || {
        let run = sexton(&env, &["undo"]);
        run.assert_code(0);
        run
    };
    drop(undo());
    assert_eq!(tombstones(&env), [session_id(1)]);
    drop(undo());
    assert!(!paths[2].exists(), "the restore is taken back");
    assert_eq!(tombstones(&env), [session_id(1), session_id(3)]);
    drop(undo());
    assert!(paths[2].exists(), "the delete is taken back");
    drop(undo());
    assert!(paths[1].exists(), "the archive is taken back");
    let run = undo();
    assert!(run.stderr.contains("delete"), "what was undone is said: {run:#?}");
    assert_eq!(tombstones(&env), [] as [&str; 0]);
    // The directories themselves gained and lost entries.
    at_first
        .without_times()
        .assert_unchanged(&TreePicture::of(&projects).without_times());
    for (path, content) in paths.iter().zip(content) {
        assert_eq!(fs::read(path).unwrap(), content);
    }
    let before = TreePicture::of(&env.config_dir());
    assert_eq!(undo().stdout, "nothing to undo\n");
    before.assert_unchanged(&TreePicture::of(&env.config_dir()));
}

#[test]
fn json_even_of_nothing() {
    let env = TestEnv::new();
    let run = sexton(&env, &["undo", "--json"]);
    run.assert_code(0);
    assert_eq!(outcomes(&run), [] as [(String, String); 0]);
    Transcript::new(&session_id(1))
        .conversation("a", "b")
        .write(&env.config_dir());
    sexton(&env, &["archive", &session_id(1)]).assert_code(0);
    let run = sexton(&env, &["undo", "--json"]);
    run.assert_code(0);
    assert_eq!(outcomes(&run), [(session_id(1), "done".to_owned())]);
}

#[test]
fn what_was_emptied_stays_gone() {
    let env = TestEnv::new();
    let transcript = Transcript::new(&session_id(1))
        .conversation("a", "b")
        .write(&env.config_dir());
    sexton(&env, &["delete", &session_id(1), "--yes"]).assert_code(0);
    sexton(&env, &["trash", "empty", "--all", "--yes"]).assert_code(0);
    let run = sexton(&env, &["undo"]);
    run.assert_code(0);
    assert_eq!(run.stdout, "nothing to undo\n");
    assert!(!transcript.exists());
    assert_eq!(tombstones(&env), [session_id(1)], "{run:#?}");
}

#[test]
fn what_is_in_the_way_is_told_with_the_way_past_it() {
    let env = TestEnv::new();
    let plant = |number| {
        Transcript::new(&session_id(number))
            .conversation("a", "b")
            .write(&env.config_dir())
    };
    plant(1);
    plant(2);
    sexton(&env, &["archive", &session_id(2)]).assert_code(0);
    sexton(&env, &["delete", &session_id(1), "--yes"]).assert_code(0);
    plant(1);
    let run = sexton(&env, &["undo"]);
    run.assert_code(1);
    assert!(run.stderr.contains("is there already"), "{}", run.stderr);
    assert!(run.stderr.contains("`sexton undo --skip`"), "{}", run.stderr);
    let run = sexton(&env, &["undo", "--skip", "--json"]);
    run.assert_code(0);
    assert_eq!(outcomes(&run), [(session_id(2), "done".to_owned())]);
}

#[test]
fn consent_that_nobody_asks_for_is_taken() {
    let env = TestEnv::new();
    let id = session_id(1);
    let transcript = Transcript::new(&id)
        .at_ms(now_ms() - 3_600_000)
        .conversation("a", "b")
        .write(&env.config_dir());
    sexton(&env, &["archive", &id, "--yes"]).assert_code(0);
    assert!(!transcript.exists());
    sexton(&env, &["undo", "--yes"]).assert_code(0);
    assert!(transcript.exists());
    sexton(&env, &["delete", &id, "-y"]).assert_code(0);
    sexton(&env, &["restore", &id, "-y"]).assert_code(0);
    assert!(transcript.exists());
    sexton(&env, &["prune", "-y"]).assert_code(0);
}
