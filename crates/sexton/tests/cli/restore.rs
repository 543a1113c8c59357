//! `sexton restore`: everything comes back as it was.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use sexton_testkit::{Footprint, Run, TestEnv, Transcript, TreePicture, session_id};

use crate::support::{listed_ids, now_ms, outcomes, sexton, tombstones};

/// A session with everything that one can have, young enough that no client would sweep it.
fn rich(env: &TestEnv, number: u32) -> PathBuf {
    let id = session_id(number);
    let young = now_ms() - 3_600_000;
    let transcript = Transcript::new(&id)
        .at_ms(young)
        .conversation("mend it", "mended")
        .write(&env.config_dir());
    Footprint::plant(&env.config_dir(), &transcript);
    Transcript::new(&id)
        .at_ms(young)
        .subagent("a1b2c3d4e5")
        .prompt("look")
        .write_as_subagent(&transcript);
    let odd = transcript.with_extension("").join("tool-results/odd");
    symlink("../nowhere", &odd).unwrap();
    fs::set_permissions(&transcript, fs::Permissions::from_mode(0o640)).unwrap();
    transcript
}

/// What must come back: all but what the yard itself adds beside it.
#[track_caller]
fn assert_back(env: &TestEnv, before: &TreePicture) {
    let after = TreePicture::of(&env.config_dir());
    let difference = before.difference(&after);
    let left: Vec<&str> = difference.lines().filter(|line| !is_shared_directory(line)).collect();
    assert!(left.is_empty(), "the tree changed:\n{}", left.join("\n"));
}

/// Directories that sessions share gain and lose an entry as one passes through, which their times show; what is in them is compared.
fn is_shared_directory(line: &str) -> bool {
    let path = line[2..].split(' ').next().unwrap_or_default();
    let depth = if path.starts_with("projects/") { 2 } else { 1 };
    line.ends_with("directory") && path.split('/').count() <= depth
}

#[test]
fn delete_and_restore_give_an_identical_tree() {
    let env = TestEnv::new();
    rich(&env, 1);
    rich(&env, 2);
    let before = TreePicture::of(&env.config_dir());
    for _ in 0..2 {
        sexton(&env, &["delete", &session_id(1), "--yes"]).assert_code(0);
        assert_eq!(tombstones(&env), [session_id(1)]);
        let run = sexton(&env, &["restore", &session_id(1)[..8]]);
        run.assert_clean();
        assert!(run.stdout.contains(&session_id(1)), "{run:#?}");
        assert_eq!(tombstones(&env), [] as [&str; 0]);
        assert_back(&env, &before);
    }
    assert_eq!(listed_ids(&env, &["--all"]).len(), 2);
}

#[test]
fn archive_and_restore_give_an_identical_tree() {
    let env = TestEnv::new();
    rich(&env, 1);
    rich(&env, 2);
    let before = TreePicture::of(&env.config_dir());
    let elsewhere = env.home().join("old");
    sexton(&env, &["archive", &session_id(1)]).assert_clean();
    assert_eq!(tombstones(&env), [] as [&str; 0]);
    sexton(&env, &["restore", &session_id(1)]).assert_clean();
    assert_back(&env, &before);
    sexton(
        &env,
        &["archive", &session_id(1), "--archive-dir", elsewhere.to_str().unwrap()],
    )
    .assert_clean();
    sexton(&env, &["undo"]).assert_code(0);
    assert_back(&env, &before);
}

#[test]
fn an_archived_session_that_is_deleted_goes_back_to_its_archive_and_then_home() {
    let env = TestEnv::new();
    rich(&env, 1);
    let before = TreePicture::of(&env.config_dir());
    sexton(&env, &["archive", &session_id(1)]).assert_clean();
    let archived = TreePicture::of(&env.config_dir().join("archive"));
    sexton(&env, &["delete", &session_id(1), "--yes"]).assert_code(0);
    assert_eq!(tombstones(&env), [session_id(1)]);
    sexton(&env, &["undo"]).assert_code(0);
    assert_eq!(tombstones(&env), [] as [&str; 0]);
    let back = TreePicture::of(&env.config_dir().join("archive"));
    archived.clone().without_times().assert_unchanged(&back.without_times());
    sexton(&env, &["restore", &session_id(1)]).assert_clean();
    assert_back(&env, &before);
}

#[test]
fn what_a_client_would_sweep_comes_back_young_and_that_is_said() {
    let env = TestEnv::new();
    let id = session_id(1);
    let long_ago = now_ms() - 90 * 86_400_000;
    let write = || Transcript::new(&id).at_ms(long_ago).conversation("a", "b");
    let transcript = write().write(&env.config_dir());
    let modified = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
    let old = modified(&transcript);
    sexton(&env, &["delete", &id, "--yes"]).assert_code(0);
    sexton(&env, &["restore", &id, "--keep-mtime"]).assert_code(0);
    assert_eq!(modified(&transcript), old);
    sexton(&env, &["delete", &id, "--yes"]).assert_code(0);
    let run = sexton(&env, &["restore", &id]);
    run.assert_code(0);
    let age = UNIX_EPOCH + Duration::from_millis(now_ms().unsigned_abs());
    assert!(age.duration_since(modified(&transcript)).unwrap_or_default() < Duration::from_hours(1));
    assert!(run.stdout.lines().count() > 1, "the new time is not said: {run:#?}");
    assert_eq!(fs::read(&transcript).unwrap(), write().content());
}

#[test]
fn what_can_not_come_back_is_refused() {
    let env = TestEnv::new();
    let transcript = rich(&env, 1);
    for arguments in [
        &[&*session_id(1)][..],
        &["99999999"],
        &["0000000"],
        &[&session_id(1), "--from", "trash"],
    ] {
        let before = env.picture();
        sexton(&env, &[&["restore"], arguments].concat()).assert_code(1);
        before.assert_unchanged(&env.picture());
    }
    // A session with real messages stands in the way.
    sexton(&env, &["delete", &session_id(1), "--yes"]).assert_code(0);
    Transcript::new(&session_id(1))
        .conversation("new", "words")
        .write(&env.config_dir());
    let new = fs::read(&transcript).unwrap();
    let run = sexton(&env, &["restore", &session_id(1)]);
    run.assert_code(1);
    assert!(run.stderr.contains(transcript.to_str().unwrap()), "{run:#?}");
    assert_eq!(fs::read(&transcript).unwrap(), new);
    assert_eq!(tombstones(&env), [session_id(1)]);
}

/// The commands between backticks in a hint, run one after the other; each must succeed.
fn follow(env: &TestEnv, run: &Run) {
    let hint = run.stderr.split("hint: ").nth(1).expect("a hint");
    for command in hint.split('`').filter_map(|part| part.strip_prefix("sexton ")) {
        let mut words: Vec<&str> = command.split(' ').collect();
        if words[0] == "delete" {
            words.push("--yes");
        }
        sexton(env, &words).assert_code(0);
    }
}

#[test]
fn what_stands_in_the_way_is_told_from_what_is_there_already() {
    for (away, from) in [("delete", "trash"), ("archive", "archive")] {
        let env = TestEnv::new();
        let id = session_id(1);
        let transcript = rich(&env, 1);
        let old = fs::read(&transcript).unwrap();
        sexton(
            &env,
            &[&[away, &*id][..], if away == "delete" { &["--yes"] } else { &[] }].concat(),
        )
        .assert_code(0);
        Transcript::new(&id)
            .conversation("new", "words")
            .write(&env.config_dir());
        let refused = sexton(&env, &["restore", &id, "--from", from]);
        refused.assert_code(1);
        assert!(refused.stderr.contains("another transcript"), "{refused:#?}");
        follow(&env, &refused);
        assert_eq!(fs::read(&transcript).unwrap(), old, "{from}");
        // The same content again, and the same going on.
        sexton(
            &env,
            &[&[away, &*id][..], if away == "delete" { &["--yes"] } else { &[] }].concat(),
        )
        .assert_code(0);
        env.write(&transcript, &old);
        let refused = sexton(&env, &["restore", &id, "--from", from]);
        refused.assert_code(1);
        assert!(refused.stderr.contains("it is there already"), "{refused:#?}");
        assert!(refused.stderr.contains("nothing needs to"), "{refused:#?}");
        let more = Transcript::new(&id).conversation("go on", "so I do");
        env.write(&transcript, [old.as_slice(), more.content()].concat());
        let refused = sexton(&env, &["restore", &id, "--from", from]);
        refused.assert_code(1);
        assert!(refused.stderr.contains("and more; nothing needs to"), "{refused:#?}");
    }
}

#[test]
fn several_come_back_by_id_or_name_as_one_operation() {
    let env = TestEnv::new();
    let names = [(1, "parser"), (2, "lexer"), (3, "printer")];
    let paths = names.map(|(number, _)| rich(&env, number));
    for (number, name) in names {
        sexton(&env, &["name", &session_id(number), name]).assert_clean();
    }
    // A title is a name, too, and lies in the trash.
    rich(&env, 4);
    Transcript::new(&session_id(4))
        .conversation("why was it cold", "it was not")
        .write(&env.config_dir());
    let before = TreePicture::of(&env.config_dir());
    let put_away = || {
        sexton(&env, &["delete", &session_id(1), &session_id(4), "--yes"]).assert_code(0);
        sexton(&env, &["archive", &session_id(2)]).assert_clean();
    };
    put_away();
    let run = sexton(
        &env,
        &[
            "restore",
            "parser",
            "lexer",
            &session_id(1),
            "why was it cold",
            "--json",
        ],
    );
    run.assert_clean();
    let mut back = outcomes(&run);
    back.sort_unstable();
    let done = |number| (session_id(number), "done".to_owned());
    assert_eq!(back, [done(1), done(2), done(4)]);
    assert_back(&env, &before);
    // One that is there hides nothing of the others.
    sexton(&env, &["delete", &session_id(1), &session_id(2), "--yes"]).assert_code(0);
    env.write(&paths[0], "{\"type\":\"user\"}\n");
    let run = sexton(&env, &["restore", &session_id(1), &session_id(2)]);
    run.assert_code(3);
    assert!(
        run.stdout.contains(&session_id(2)) && run.stderr.contains("sexton archive"),
        "{run:#?}"
    );
    assert!(paths[1].exists());
    for unknown in ["printer", "nobody"] {
        let run = sexton(&env, &["restore", unknown]);
        run.assert_code(1);
        assert!(run.stderr.contains("neither trash nor archive nor vault"), "{run:#?}");
    }
}

#[test]
fn several_sources_are_listed_and_one_is_chosen() {
    let env = TestEnv::new();
    let id = session_id(1);
    let transcript = rich(&env, 1);
    let first = fs::read(&transcript).unwrap();
    sexton(&env, &["archive", &id]).assert_clean();
    // The same id once more, deleted.
    Transcript::new(&id)
        .conversation("another", "life")
        .write(&env.config_dir());
    let run = sexton(&env, &["delete", &id, "--yes"]);
    if run.code != Some(0) {
        // Then one id is never in both, which is as well.
        return;
    }
    let run = sexton(&env, &["restore", &id]);
    if run.code == Some(1) {
        assert!(run.stderr.contains("--from"), "{run:#?}");
        sexton(&env, &["restore", &id, "--from", "archive", "--json"]).assert_code(0);
        assert_eq!(fs::read(&transcript).unwrap(), first);
    }
}

#[test]
fn json_has_an_item() {
    let env = TestEnv::new();
    rich(&env, 1);
    sexton(&env, &["delete", &session_id(1), "--yes"]).assert_code(0);
    let run = sexton(&env, &["restore", &session_id(1), "--json"]);
    run.assert_code(0);
    assert_eq!(outcomes(&run), [(session_id(1), "done".to_owned())]);
}

/// A power cut has left nothing of the manifest: one archive of several configuration directories needs a word more.
#[test]
fn an_archived_session_whose_manifest_is_empty_comes_back_by_its_names() {
    let env = TestEnv::new();
    let archive = env.root().join("kept");
    env.write(&env.config_file(), format!("archive_dir = \"{}\"\n", archive.display()));
    let id = session_id(1);
    rich(&env, 1);
    let work = env.profile_dir("work");
    Transcript::new(&session_id(2)).conversation("a", "b").write(&work);
    let before = TreePicture::of(&env.config_dir());
    sexton(&env, &["archive", &id]).assert_code(0);
    let manifest = archive.join(format!("{id}.sexton/manifest.json"));
    fs::write(&manifest, "").unwrap();
    let doctor = sexton(&env, &["doctor"]);
    assert!(
        doctor.stdout.contains("1 manifest in an archive is empty")
            && doctor.stdout.contains(manifest.to_str().unwrap()),
        "{doctor:#?}"
    );
    let refused = sexton(&env, &["restore", &id]);
    refused.assert_code(1);
    assert!(
        refused.stderr.contains(manifest.to_str().unwrap())
            && refused.stderr.contains("hint: name the directory with `--config-dir`"),
        "{refused:#?}"
    );
    // What the hint says.
    sexton(
        &env,
        &["restore", &id, "--config-dir", env.config_dir().to_str().unwrap()],
    )
    .assert_code(0);
    assert_back(&env, &before);
    assert_eq!(fs::read_dir(&archive).unwrap().count(), 0);
    assert!(!sexton(&env, &["doctor"]).stdout.contains("manifest"));
}
