//! A planted manifest, in the trash, an archive or the vault, leads nowhere but where its session belongs.

use std::fs;
use std::path::Path;

use sexton_testkit::{TestEnv, TreePicture, session_id};

use crate::{SECRET, sexton};

const GENERATION: &str = "20260301T120000.000Z-1";

fn manifest(kind: &str, base: &Path, origin: &Path, stored: &str, parent: &Path) -> String {
    let id = session_id(1);
    let [base, origin, parent] = [base, origin, parent].map(|path| path.to_str().unwrap().to_owned());
    format!(
        r#"{{"manifest_version":1,"at":"2026-03-01T12:00:00.000Z","operation":"{GENERATION}","kind":"{kind}","id":"{id}","base":"{base}","title":null,"directory":null,"bytes":1,"files":1,"entries":[{{"origin":"{origin}","stored":"{stored}","kind":"file"}}],"parents":[{{"path":"{parent}","mode":511,"modified_seconds":0,"modified_nanoseconds":0}}]}}"#
    ) + "\n"
}

fn arranged() -> TestEnv {
    let env = TestEnv::new();
    env.write(&env.root().join("outside/diary.txt"), SECRET);
    fs::create_dir_all(env.config_dir().join("projects/-w")).unwrap();
    env
}

fn restore_and_empty(env: &TestEnv) {
    let id = session_id(1);
    for arguments in [
        &["restore", &id][..],
        &["undo"],
        &["trash", "list"],
        &["show", &id],
        &["read", &id],
        &["trash", "empty", "--all", "--yes"],
        &["doctor", "--fix"],
    ] {
        let run = sexton(env, arguments);
        assert!(matches!(run.code, Some(0 | 1 | 3)), "{arguments:?}: {run:#?}");
        assert!(!run.stdout.contains(SECRET), "{arguments:?}: {run:#?}");
    }
}

#[test]
fn what_lies_outside_the_trash_is_neither_restored_nor_emptied() {
    for stored in [
        "../../../../../outside/diary.txt",
        "tree/../../../../../../outside/diary.txt",
        "/outside/diary.txt",
    ] {
        let env = arranged();
        let outside = env.root().join("outside");
        let stored = stored.replace("/outside/diary.txt", outside.join("diary.txt").to_str().unwrap());
        let config = env.config_dir();
        let origin = config.join("projects/-w").join(session_id(1)).with_extension("jsonl");
        for stored in [&stored, "../../../../../../outside/diary.txt"] {
            let text = manifest("delete", &config, &origin, stored, &config.join("projects/-w"));
            env.write(&env.data_dir().join(format!("trash/{GENERATION}/manifest.jsonl")), text);
            let before = TreePicture::of(&outside);
            restore_and_empty(&env);
            before.assert_unchanged(&TreePicture::of(&outside));
        }
    }
}

#[test]
fn an_archive_from_somewhere_else_can_not_choose_where_its_files_go() {
    for name in ["home/.bash_login", "home/.config/autostart/x.desktop", "elsewhere/x"] {
        for base in ["/", "home", "home/.claude"] {
            let env = arranged();
            let (id, archive) = (session_id(1), env.config_dir().join("archive"));
            let at = env.root().join(name);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            env.write(
                &archive.join(format!("{id}.jsonl")),
                "{\"type\":\"user\",\"message\":{\"content\":\"evil\"}}\n",
            );
            let text = manifest(
                "archive",
                &env.root().join(base),
                &at,
                &format!("{id}.jsonl"),
                at.parent().unwrap(),
            );
            env.write(&archive.join(format!("{id}.sexton/manifest.json")), text);
            let before = TreePicture::of(at.parent().unwrap());
            let run = sexton(&env, &["restore", &id]);
            assert_eq!(run.code, Some(1), "{name} {base}: {run:#?}");
            before.assert_unchanged(&TreePicture::of(at.parent().unwrap()));
            assert!(archive.join(format!("{id}.jsonl")).exists(), "{name} {base}: {run:#?}");
        }
    }
}

#[test]
fn a_copy_that_was_tampered_with_writes_nothing_outside() {
    let env = arranged();
    let id = session_id(1);
    let outside = env.root().join("outside");
    let entry =
        |path: &str, content: &str| format!(r#"{{"path":"{path}","mode":511,"modified":[0,0],"content":{content}}}"#);
    let link = entry(
        "projects",
        &format!(r#"{{"link":{{"target":"{}"}}}}"#, outside.display()),
    );
    for entries in [
        entry("../outside/new", "\"directory\""),
        entry("/outside/new", "\"directory\""),
        format!("{link},{}", entry("projects/new", "\"directory\"")),
    ] {
        let text = format!(
            r#"{{"version":1,"session":"{id}","config_dir":"{}","taken_ms":0,"entries":[{entries}]}}"#,
            env.config_dir().display()
        );
        env.write(&env.data_dir().join(format!("vault/{id}/manifest.json")), text);
        let before = TreePicture::of(&outside);
        for arguments in [
            &["restore", &id, "--from", "vault"][..],
            &["keep", "verify"],
            &["keep", "drop", &id],
        ] {
            let run = sexton(&env, arguments);
            assert!(matches!(run.code, Some(0 | 1 | 3)), "{arguments:?}: {run:#?}");
        }
        before.assert_unchanged(&TreePicture::of(&outside));
    }
}
