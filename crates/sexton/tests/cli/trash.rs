//! `sexton trash`: what lies there, and the one way that it goes.

use std::path::Path;

use sexton_testkit::{TestEnv, Transcript, TreePicture, session_id};

use crate::support::{outcomes, sexton, tombstones};

fn with_deleted(numbers: std::ops::RangeInclusive<u32>) -> TestEnv {
    let env = TestEnv::new();
    for number in numbers {
        Transcript::new(&session_id(number))
            .conversation("a", "b")
            .ai_title(&format!("title {number}"))
            .write(&env.config_dir());
        sexton(&env, &["delete", &session_id(number), "--yes"]).assert_code(0);
    }
    env
}

fn transcripts(env: &TestEnv) -> usize {
    let is_transcript = |path: &&Path| path.extension().is_some_and(|extension| extension == "jsonl");
    TreePicture::of(&env.home())
        .paths()
        .filter(is_transcript)
        .filter(|path| path.file_stem().is_some_and(|stem| stem.len() == 36))
        .count()
}

#[test]
fn it_lists_what_was_deleted() {
    let env = TestEnv::new();
    let empty = sexton(&env, &["trash", "list"]);
    empty.assert_code(0);
    assert_eq!(empty.stdout, "");
    let env = with_deleted(1..=2);
    let list = sexton(&env, &["trash", "list"]);
    list.assert_clean();
    let newest = list.stdout.find("title 2").unwrap();
    assert!(newest < list.stdout.find("title 1").unwrap(), "{}", list.stdout);
    let json = sexton(&env, &["trash", "list", "--json"]);
    assert_eq!(
        outcomes(&json),
        [(session_id(2), "kept".to_owned()), (session_id(1), "kept".to_owned())]
    );
}

#[test]
fn only_what_is_old_goes_unless_told() {
    let env = with_deleted(1..=2);
    let before = env.picture();
    for arguments in [
        &["--yes"][..],
        &["--older-than", "1d", "--yes"],
        &["--all", "--dry-run"],
    ] {
        sexton(&env, &[&["trash", "empty"], arguments].concat()).assert_code(0);
        before.assert_unchanged(&env.picture());
    }
    // It asks, and there is nobody to ask.
    sexton(&env, &["trash", "empty", "--all"]).assert_code(1);
    before.assert_unchanged(&env.picture());
    sexton(&env, &["trash", "empty", "--older-than", "soon", "--yes"]).assert_code(2);
    sexton(&env, &["trash", "empty", "--all", "--older-than", "1d"]).assert_code(2);
    assert_eq!(transcripts(&env), 2);
    let run = sexton(&env, &["trash", "empty", "--all", "--yes", "--json"]);
    run.assert_code(0);
    assert_eq!(outcomes(&run).len(), 2);
    assert_eq!(transcripts(&env), 0);
    assert_eq!(tombstones(&env), [session_id(1), session_id(2)]);
    sexton(&env, &["restore", &session_id(1)]).assert_code(1);
}
