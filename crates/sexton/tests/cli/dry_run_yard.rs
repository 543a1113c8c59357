//! `--dry-run` of the yard and of the vault: the whole home stays as it is, and what is announced is what then happens.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use sexton_testkit::{Footprint, TestEnv, Transcript, TreePicture, session_id};

use crate::support::{document, now_ms, outcomes, sexton};

/// Four sessions: one there, one archived, one deleted, one of which only a copy is left.
fn machine() -> TestEnv {
    let env = TestEnv::new();
    let plant = |number: u32| {
        let transcript = Transcript::new(&session_id(number))
            .at_ms(now_ms() - 3_600_000)
            .conversation("the heron waits", "so it does")
            .write(&env.config_dir());
        Footprint::plant(&env.config_dir(), &transcript);
    };
    plant(1);
    plant(2);
    plant(3);
    let swept = Transcript::new(&session_id(4))
        .at_ms(now_ms() - 3_600_000)
        .conversation("the heron waits", "so it does")
        .write(&env.config_dir());
    sexton(&env, &["search", "heron"]).assert_code(0);
    // A search doesn't wait for the copy to be complete on a busy machine.
    sexton(&env, &["keep", "add", &session_id(4)]).assert_code(0);
    fs::remove_file(&swept).unwrap();
    sexton(&env, &["search", "heron"]).assert_code(0);
    sexton(&env, &["tombstone", "add", &session_id(9)]).assert_code(0);
    sexton(&env, &["archive", &session_id(2)]).assert_code(0);
    sexton(&env, &["delete", &session_id(3), "--yes"]).assert_code(0);
    env
}

/// The files that vanished from and appeared in the user's own places: configuration directory and tombstones.
fn changed(env: &TestEnv, before: &TreePicture) -> BTreeSet<PathBuf> {
    let after = TreePicture::of(&env.home());
    let difference = before.difference(&after);
    let path = |line: &str| Some(env.home().join(line[2..].split(" 0").next()?));
    difference
        .lines()
        .filter(|line| !line.ends_with(" directory"))
        .filter_map(path)
        .filter(|path| path.starts_with(env.config_dir()) || *path == env.tombstone_file())
        // Names that hold the operation's own id differ from run to run.
        .filter(|path| !path.to_string_lossy().contains("sexton-trash"))
        .collect()
}

#[test]
fn the_home_stays_as_it_is_and_what_is_announced_is_what_happens() {
    let [there, archived, deleted, swept, dead] = [1, 2, 3, 4, 9].map(session_id);
    for (command, consent) in [
        (&["archive", &there][..], &[][..]),
        (&["delete", &there], &["--yes"]),
        (&["delete", "--purge", &there], &["--yes"]),
        (&["delete", &swept], &["--yes"]),
        (&["delete", &archived], &["--yes"]),
        (&["delete", "--project", "sample"], &["--yes"]),
        (&["restore", &archived], &[]),
        (&["restore", &deleted], &[]),
        (&["restore", &swept], &[]),
        (&["undo"], &[]),
        (&["trash", "empty", "--all"], &["--yes"]),
        (&["tombstone", "add", &there], &[]),
        (&["tombstone", "lift", &dead], &[]),
        (&["keep", "add", &there], &[]),
        (&["routine", &there, "no"], &[]),
        (&["routine", &swept, "yes"], &[]),
    ] {
        let env = machine();
        let before = TreePicture::of(&env.home());
        let dry = sexton(&env, &[command, &["--dry-run"]].concat());
        dry.assert_code(0);
        let dry_json = sexton(&env, &[command, &["--dry-run", "--json"]].concat());
        dry_json.assert_code(0);
        let difference = before.difference(&TreePicture::of(&env.home()));
        assert!(difference.is_empty(), "{command:?} changed:\n{difference}");
        assert!(dry.stdout.contains("would "), "{command:?}: {}", dry.stdout);
        let announced = document(&dry_json);
        assert_eq!(announced["dry_run"], true);
        let effects: Vec<&str> = announced["effects"]
            .as_array()
            .unwrap()
            .iter()
            .map(|effect| effect.as_str().unwrap())
            .collect();
        assert!(!effects.is_empty(), "{command:?}");
        let is_for_good = command.contains(&"--purge") || command.contains(&"empty");
        let removes = effects
            .iter()
            .any(|effect| effect.starts_with("remove ") && effect.contains(".jsonl"));
        assert_eq!(removes, is_for_good, "{command:?}: {effects:#?}");

        let wet = sexton(&env, &[command, consent, &["--json"]].concat());
        wet.assert_code(0);
        assert_eq!(outcomes(&dry_json), outcomes(&wet), "{command:?}");
        let done = changed(&env, &before);
        for path in &done {
            // A directory moves in one step, which names the directory.
            let is_announced = path
                .ancestors()
                .take_while(|ancestor| *ancestor != env.config_dir() && *ancestor != env.config_dir().join("projects"))
                .any(|ancestor| {
                    effects
                        .iter()
                        .any(|effect| effect.contains(&*ancestor.to_string_lossy()))
                });
            assert!(
                is_announced,
                "{command:?}: {} was not announced:\n{}",
                path.display(),
                effects.join("\n")
            );
        }
    }
}
