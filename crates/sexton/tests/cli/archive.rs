//! `sexton archive`: where sessions go, and what it refuses.

use std::fs;
use std::os::unix::fs::symlink;

use sexton_testkit::{Footprint, LiveProcess, RegistryRecord, TestEnv, Transcript, TreePicture, session_id};

use crate::support::{listed_ids, outcomes, sexton, tombstones};

fn plant(env: &TestEnv, number: u32) -> std::path::PathBuf {
    Transcript::new(&session_id(number))
        .conversation("mend it", "mended")
        .write(&env.config_dir())
}

#[test]
fn a_session_goes_whole_and_prints_where_it_is() {
    let env = TestEnv::new();
    let transcript = plant(&env, 1);
    let content = fs::read(&transcript).unwrap();
    let footprint = Footprint::plant(&env.config_dir(), &transcript);
    let run = sexton(&env, &["archive", &session_id(1)[..8]]);
    run.assert_clean();
    let to = env.config_dir().join(format!("archive/{}.jsonl", session_id(1)));
    assert_eq!(run.stdout, format!("{}\n", to.display()));
    assert_eq!(fs::read(&to).unwrap(), content);
    for path in &footprint.own {
        assert!(!path.exists(), "{} is still there", path.display());
    }
    for path in footprint.shared.iter().chain(&footprint.foreign) {
        assert!(path.exists(), "{} is gone", path.display());
    }
    assert_eq!(tombstones(&env), [] as [&str; 0]);
    assert_eq!(listed_ids(&env, &["--all"]), [] as [&str; 0]);
    assert_eq!(listed_ids(&env, &["--archived"]), [session_id(1)]);
    // Again: it is there already, and that is where.
    let again = sexton(&env, &["archive", &session_id(1)]);
    again.assert_clean();
    assert_eq!(again.stdout, run.stdout);
}

#[test]
fn a_path_is_taken_and_another_archive() {
    let env = TestEnv::new();
    let transcript = plant(&env, 1);
    let archive = env.home().join("old sessions");
    let run = sexton(
        &env,
        &[
            "archive",
            transcript.to_str().unwrap(),
            "--archive-dir",
            archive.to_str().unwrap(),
        ],
    );
    run.assert_clean();
    assert!(archive.join(format!("{}.jsonl", session_id(1))).exists());
    assert!(!transcript.exists());
}

#[test]
fn what_it_refuses_stays() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    plant(&env, 1);
    plant(&env, 2);
    RegistryRecord::of(&process, &session_id(1)).write(&env.config_dir());
    let notes = env.home().join("notes.txt");
    env.write(&notes, "notes");
    let elsewhere = env.home().join("elsewhere.jsonl");
    Transcript::new(&session_id(3))
        .conversation("a", "b")
        .write_to(&elsewhere);
    symlink(&elsewhere, Transcript::new(&session_id(3)).path(&env.config_dir())).unwrap();
    let inside = env.config_dir().join("projects/archive");
    for arguments in [
        &[&*session_id(1)][..],
        &[&session_id(1), "--dry-run"],
        &[&session_id(3)],
        &[notes.to_str().unwrap()],
        &["99999999"],
        &[&session_id(2)[..7]],
        &[&session_id(2), "--archive-dir", inside.to_str().unwrap()],
    ] {
        let before = TreePicture::of(&env.config_dir());
        let run = sexton(&env, &[&["archive"], arguments].concat());
        run.assert_code(1);
        assert!(run.stderr.starts_with("error: "), "{run:#?}");
        before.assert_unchanged(&TreePicture::of(&env.config_dir()));
    }
    let live = sexton(&env, &["archive", &session_id(1), &session_id(2), "--json"]);
    live.assert_code(3);
    assert!(live.stderr.contains(&process.pid().to_string()), "{live:#?}");
    assert_eq!(
        outcomes(&live),
        [(session_id(2), "done".to_owned()), (session_id(1), "failed".to_owned())]
    );
}

#[test]
fn nothing_in_the_archive_is_overwritten() {
    let env = TestEnv::new();
    let transcript = plant(&env, 1);
    let there = env.config_dir().join(format!("archive/{}.jsonl", session_id(1)));
    env.write(&there, "{\"type\":\"user\"}\n");
    let before = TreePicture::of(&env.config_dir());
    let run = sexton(&env, &["archive", &session_id(1)]);
    run.assert_code(1);
    assert!(
        run.stderr.contains(there.to_str().unwrap()) && run.stderr.contains(transcript.to_str().unwrap()),
        "{run:#?}"
    );
    before.assert_unchanged(&TreePicture::of(&env.config_dir()));
}

#[test]
fn what_lies_in_an_archive_that_was_named_once_is_found_without_naming_it() {
    let env = TestEnv::new();
    let transcript = Transcript::new(&session_id(1))
        .conversation("the heron waits", "so it does")
        .write(&env.config_dir());
    let content = fs::read(&transcript).unwrap();
    sexton(&env, &["search", "heron"]).assert_clean();
    let archive = env.home().join("old sessions");
    let named = ["--archive-dir", archive.to_str().unwrap()];
    let dry = sexton(&env, &[&["archive", &session_id(1), "-n"], &named[..]].concat());
    dry.assert_clean();
    let list = env.data_dir().join("archives.json");
    assert!(!list.exists());
    sexton(&env, &[&["archive", &session_id(1)], &named[..]].concat()).assert_clean();
    let is_found = || {
        assert_eq!(listed_ids(&env, &["--archived"]), [session_id(1)]);
        assert_eq!(listed_ids(&env, &["--all", "-n"]), [] as [&str; 0]);
        for command in [&["show", &session_id(1)][..], &["search", "heron"]] {
            sexton(&env, command).assert_clean();
        }
        let read = sexton(&env, &["read", &session_id(1)]);
        read.assert_code(0);
        assert_eq!(read.stderr, "read from the archive\n");
        let shown = sexton(&env, &["show", &session_id(1)]);
        assert!(shown.stdout.contains("old sessions"), "{shown:#?}");
        let again = sexton(&env, &["archive", &session_id(1)]);
        assert_eq!(
            again.stdout.trim_end(),
            archive.join(format!("{}.jsonl", session_id(1))).display().to_string()
        );
    };
    is_found();
    // As after a sexton that kept no list: the journal tells, and is asked once.
    fs::remove_file(&list).unwrap();
    is_found();
    assert!(list.exists());
    // A journal that can't be read is a problem of its own where there is a list, and hides nothing else where there is none.
    let journal = env.data_dir().join("journal.jsonl");
    let aside = env.data_dir().join("aside");
    fs::rename(&journal, &aside).unwrap();
    fs::create_dir(&journal).unwrap();
    is_found();
    fs::remove_file(&list).unwrap();
    let listed = sexton(&env, &["list", "--all"]);
    listed.assert_code(3);
    assert!(listed.stderr.contains("journal.jsonl"), "{listed:#?}");
    fs::remove_dir(&journal).unwrap();
    fs::rename(&aside, &journal).unwrap();
    sexton(&env, &["restore", &session_id(1)]).assert_clean();
    assert_eq!(fs::read(&transcript).unwrap(), content);
}
