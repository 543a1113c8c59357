//! `sexton keep`, and the sessions of which only a copy is left.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use sexton_testkit::{SmallFilesystem, TestEnv, Transcript, register, session_id};

use crate::support::{document, listed, now_ms, outcomes, said, sexton, sexton_without_privileges, tombstones};

/// A session that was found once, and whose files then vanished behind our back.
fn swept() -> (TestEnv, std::path::PathBuf, Vec<u8>) {
    let env = TestEnv::new();
    let at = now_ms() - 3_600_000;
    let transcript = Transcript::new(&session_id(1))
        .at_ms(at)
        .conversation("the heron waits", "so it does")
        .write(&env.config_dir());
    Transcript::new(&session_id(1))
        .at_ms(at)
        .subagent("a1b2c3d4")
        .prompt("look for a kingfisher")
        .write_as_subagent(&transcript);
    sexton(&env, &["search", "heron"]).assert_code(0);
    // A search doesn't wait for the copy to be complete on a busy machine.
    sexton(&env, &["keep", "add", &session_id(1)]).assert_code(0);
    let content = fs::read(&transcript).unwrap();
    fs::remove_file(&transcript).unwrap();
    fs::remove_dir_all(transcript.with_extension("")).unwrap();
    (env, transcript, content)
}

#[test]
fn a_swept_session_is_listed_found_read_and_restored() {
    let (env, transcript, content) = swept();
    let list = listed(&env, &["--all"]);
    assert_eq!(list.len(), 1);
    assert_eq!(list[0]["id"], session_id(1));
    assert!(list[0]["missing_since"].is_string(), "{:#}", list[0]);
    let run = sexton(&env, &["search", "heron", "--json"]);
    run.assert_code(0);
    let hit = &document(&run)["hits"][0];
    assert_eq!(
        (&hit["session"], &hit["origin"]),
        (&session_id(1).into(), &"vault".into())
    );
    assert!(hit["missing_since"].is_string());
    sexton(&env, &["search", "--substring", "heron"]).assert_code(0);
    sexton(&env, &["search", "kingfisher"]).assert_code(0);
    for address in [&*session_id(1), &session_id(1)[..8], hit["reference"].as_str().unwrap()] {
        let read = sexton(&env, &["read", address]);
        read.assert_code(0);
        assert!(read.stdout.contains("the heron waits"), "{address}: {read:#?}");
    }
    // Also without anything that can be derived.
    fs::remove_dir_all(env.cache_dir()).unwrap();
    // What a killed restore has left, but not what another one is at.
    let [abandoned, used] = [".restore-1", ".restore-2"].map(|name| env.data_dir().join(name));
    let name = transcript.strip_prefix(env.config_dir()).unwrap();
    env.write(&abandoned.join("copy").join(name), &content[..content.len() / 2]);
    env.write(&abandoned.join("lock"), "");
    env.write(&used.join("copy").join(name), &content);
    let held = sexton_sys::Effects::apply().lock(&used.join("lock"), std::time::Duration::ZERO);
    let run = sexton(&env, &["restore", &session_id(1)]);
    run.assert_code(0);
    let scratch = || {
        let names = fs::read_dir(env.data_dir()).unwrap().map(|entry| entry.unwrap().path());
        names
            .filter(|path| path.to_string_lossy().contains(".restore-"))
            .collect::<Vec<_>>()
    };
    assert_eq!(scratch(), std::slice::from_ref(&used));
    drop(held);
    assert_eq!(fs::read(&transcript).unwrap(), content);
    assert!(
        transcript
            .with_extension("")
            .join("subagents/agent-a1b2c3d4.jsonl")
            .exists()
    );
    assert!(listed(&env, &["--all"])[0]["missing_since"].is_null());
}

#[test]
fn without_the_catalogue_a_swept_session_is_still_found() {
    let (env, ..) = swept();
    fs::remove_dir_all(env.cache_dir()).unwrap();
    let run = sexton(&env, &["search", "heron"]);
    assert_eq!(run.code, Some(0), "{run:#?}");
    let read = sexton(&env, &["read", &session_id(1)]);
    read.assert_code(0);
    assert!(read.stdout.contains("the heron waits"), "{read:#?}");
}

/// No copy, and no catalogue: what it was called and where it worked is still known, until it is purged.
#[test]
fn without_anything_else_a_swept_session_keeps_its_title() {
    let env = TestEnv::new();
    env.write(&env.config_file(), "[vault]\npolicy = \"off\"\n");
    let transcript = Transcript::new(&session_id(1))
        .cwd(env.home().to_str().unwrap())
        .at_ms(now_ms() - 3_600_000)
        .conversation("the heron waits", "so it does")
        .write(&env.config_dir());
    let before = listed(&env, &["--all"]);
    fs::remove_file(&transcript).unwrap();
    assert!(listed(&env, &["--all"])[0]["missing_since"].is_string());
    fs::remove_dir_all(env.cache_dir()).unwrap();
    let after = listed(&env, &["--all"]);
    for field in ["id", "title", "directory", "last_activity"] {
        assert!(before[0][field].is_string(), "{field}: {before:#?}");
        assert_eq!(after[0][field], before[0][field], "{field}");
    }
    sexton(&env, &["delete", &session_id(1), "--yes", "--purge"]).assert_code(0);
    let remembered = fs::read_to_string(env.data_dir().join("remembered.json")).unwrap();
    assert!(!remembered.contains("heron"), "{remembered}");
}

#[test]
fn a_retained_session_can_be_deleted_and_comes_back() {
    let (env, transcript, content) = swept();
    sexton(&env, &["search", "heron"]).assert_code(0);
    sexton(&env, &["delete", &session_id(1)[..8], "--yes"]).assert_code(0);
    assert_eq!(tombstones(&env), [session_id(1)]);
    sexton(&env, &["search", "heron"]).assert_code(1);
    assert_eq!(
        outcomes(&sexton(&env, &["keep", "status", "--json"])),
        [] as [(String, String); 0]
    );
    sexton(&env, &["undo"]).assert_code(0);
    assert_eq!(tombstones(&env), [] as [&str; 0]);
    sexton(&env, &["search", "heron"]).assert_code(0);
    sexton(&env, &["restore", &session_id(1)]).assert_code(0);
    assert_eq!(fs::read(&transcript).unwrap(), content);
}

#[test]
fn copies_are_listed_verified_and_dropped() {
    let (env, transcript, _) = swept();
    let kept = [(session_id(1), "kept".to_owned())];
    assert_eq!(outcomes(&sexton(&env, &["keep", "status", "--json"])), kept);
    assert!(sexton(&env, &["keep", "status"]).stdout.contains(&session_id(1)[..8]));
    let sound = [(session_id(1), "done".to_owned())];
    assert_eq!(outcomes(&sexton(&env, &["keep", "verify", "--json"])), sound);
    sexton(&env, &["keep", "status", "99999999"]).assert_code(1);
    // Nobody to ask.
    let before = env.picture();
    sexton(&env, &["keep", "drop", &session_id(1)]).assert_code(1);
    before.assert_unchanged(&env.picture());
    // Nothing else is left of the session: only a purge may take that.
    let last = sexton(&env, &["keep", "drop", &session_id(1), "--yes"]);
    last.assert_code(1);
    assert!(last.stderr.contains("--purge"), "{}", last.stderr);
    before.assert_unchanged(&env.picture());
    sexton(&env, &["restore", &session_id(1)]).assert_code(0);
    let dropped = sexton(&env, &["keep", "drop", &session_id(1), "--yes", "--json"]);
    dropped.assert_code(0);
    assert_eq!(outcomes(&dropped), sound);
    assert_eq!(outcomes(&sexton(&env, &["keep", "status", "--json"])), []);
    sexton(&env, &["read", &session_id(1)]).assert_code(0);
    // Wanted again, it is made again.
    std::fs::File::open(&transcript)
        .unwrap()
        .set_modified(std::time::SystemTime::now() - std::time::Duration::from_hours(1))
        .unwrap();
    sexton(&env, &["keep", "add", &session_id(1)]).assert_code(0);
    sexton(&env, &["keep", "drop", &session_id(1), "--yes"]).assert_code(0);
    // No pass takes it again, whatever the policy.
    sexton(&env, &["search", "anything"]).assert_code(1);
    assert_eq!(outcomes(&sexton(&env, &["keep", "status", "--json"])), []);
    sexton(&env, &["keep", "add", &session_id(1)]).assert_code(0);
    assert_eq!(outcomes(&sexton(&env, &["keep", "status", "--json"])), kept);
}

#[test]
fn damage_is_told_and_exits_with_3() {
    let (env, ..) = swept();
    let vault = env.data_dir().join("vault");
    let mut damaged = 0;
    let paths: Vec<_> = sexton_testkit::TreePicture::of(&vault)
        .paths()
        .map(|path| vault.join(path))
        .filter(|path| path.is_file() && fs::metadata(path).unwrap().len() > 100)
        .collect();
    for path in paths {
        if path
            .extension()
            .is_some_and(|extension| extension == "json" || extension == "lock")
        {
            continue;
        }
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
        fs::write(&path, bytes).unwrap();
        damaged += 1;
    }
    assert!(damaged > 0, "{}", sexton_testkit::TreePicture::of(&vault));
    let run = sexton(&env, &["keep", "verify", "--json"]);
    assert!(matches!(run.code, Some(1 | 3)), "{run:#?}");
    assert_eq!(outcomes(&run), [(session_id(1), "failed".to_owned())]);
    let restore = sexton(&env, &["restore", &session_id(1)]);
    restore.assert_code(1);
    assert_eq!(restore.stdout, "");
}

#[test]
fn one_session_is_kept_whatever_the_policy() {
    let env = TestEnv::new();
    env.write(&env.config_file(), "[vault]\npolicy = \"named\"\n");
    for number in 1..=2 {
        Transcript::new(&session_id(number))
            .conversation("the heron waits", "so it does")
            .write(&env.config_dir());
    }
    sexton(&env, &["search", "heron"]).assert_code(0);
    assert_eq!(
        outcomes(&sexton(&env, &["keep", "status", "--json"])),
        [] as [(String, String); 0]
    );
    let add = sexton(&env, &["keep", "add", &session_id(2)[..8], "--json"]);
    add.assert_code(0);
    assert_eq!(outcomes(&add), [(session_id(2), "done".to_owned())], "{}", said(&add));
    sexton(&env, &["search", "heron"]).assert_code(0);
    let status = sexton(&env, &["keep", "status", "--json"]);
    assert_eq!(outcomes(&status), [(session_id(2), "kept".to_owned())]);
}

#[test]
fn what_a_transcript_held_before_it_was_rewritten_can_be_had() {
    let env = TestEnv::new();
    let id = session_id(1);
    let written = |prompt: &str| {
        let transcript = Transcript::new(&id)
            .at_ms(now_ms() - 7_200_000)
            .conversation(prompt, "so it does")
            .write(&env.config_dir());
        let hours_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(2);
        fs::File::open(&transcript).unwrap().set_modified(hours_ago).unwrap();
        sexton(&env, &["keep", "add", &id]).assert_code(0);
        fs::read(&transcript).unwrap()
    };
    let first = written("the heron waits");
    let none = sexton(&env, &["keep", "earlier", &id]);
    assert!(none.assert_code(0).stdout.is_empty(), "{none:#?}");
    written("a kingfisher came");

    let list = sexton(&env, &["keep", "earlier", &id[..8], "--json"]);
    let items = document(&list)["items"].as_array().unwrap().clone();
    assert_eq!((items.len(), &items[0]["bytes"]), (1, &first.len().into()));
    assert!(sexton(&env, &["show", &id]).stdout.contains("1 earlier content"));
    let shown = sexton(&env, &["keep", "earlier", &id]);
    assert!(shown.stdout.contains("projects/"), "{shown:#?}");

    let read = |arguments: &[&str]| {
        let run = sexton(&env, &[&["read", &id], arguments].concat());
        run.assert_code(0);
        run.stdout
    };
    assert!(read(&[]).contains("kingfisher") && !read(&[]).contains("heron"));
    assert!(read(&["--earlier", "1"]).contains("heron"));

    let to = env.root().join("past.jsonl");
    let to_text = to.to_str().unwrap();
    let write: &[&str] = &["keep", "earlier", &id, "1", "--to", to_text];
    let planned = sexton(&env, &[write, &["--dry-run"]].concat());
    assert!(planned.assert_code(0).stdout.contains("would create"), "{planned:#?}");
    assert!(!to.exists());
    sexton(&env, write).assert_code(0);
    assert_eq!(fs::read(&to).unwrap(), first);
    env.write(&to, "mine");
    for again in [write.to_vec(), [write, &["--dry-run"]].concat()] {
        let run = sexton(&env, &again);
        assert!(run.assert_code(1).stderr.contains("it exists already"), "{run:#?}");
    }
    assert_eq!(fs::read(&to).unwrap(), b"mine");
    for missing in [
        &["keep", "earlier", &id, "2", "--to", "x"][..],
        &["read", &id, "--earlier", "2"],
    ] {
        let run = sexton(&env, missing);
        assert!(run.assert_code(1).stderr.contains("find earlier content 2"), "{run:#?}");
    }
}

/// A session whose transcript was last written two hours ago.
fn rested(env: &TestEnv, number: u32) -> (String, std::path::PathBuf) {
    let id = session_id(number);
    let transcript = Transcript::new(&id)
        .conversation("the heron waits", "so it does")
        .write(&env.config_dir());
    let hours_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(2);
    fs::File::open(&transcript).unwrap().set_modified(hours_ago).unwrap();
    (id, transcript)
}

#[test]
fn nothing_is_promised_where_the_catalogue_can_not_be_written() {
    for has_catalogue in [false, true] {
        let env = TestEnv::new();
        let (id, _) = rested(&env, 1);
        let (other, _) = rested(&env, 2);
        env.write(&env.config_file(), "[vault]\npolicy = \"named\"\n");
        fs::create_dir_all(env.cache_dir()).unwrap();
        if has_catalogue {
            sexton(&env, &["search", "heron"]).assert_code(0);
        }
        let mode = |directory: u32, file: u32| {
            for entry in fs::read_dir(env.cache_dir()).unwrap() {
                fs::set_permissions(entry.unwrap().path(), fs::Permissions::from_mode(file)).unwrap();
            }
            fs::set_permissions(env.cache_dir(), fs::Permissions::from_mode(directory)).unwrap();
        };
        mode(0o500, 0o400);
        for arguments in [&["keep", "add", &*id][..], &["keep", "add", &id, &other]] {
            let add = sexton_without_privileges(&env, arguments);
            add.assert_code(1);
            assert!(!said(&add).contains("will be") && add.stdout.is_empty(), "{add:#?}");
            let others = if arguments.len() > 3 { ", nor of 1 more" } else { "" };
            let told = format!("no copy of {id}{others} is kept: failed to ");
            assert!(add.stderr.contains(&told), "{add:#?}");
            assert!(add.stderr.contains("once that is mended"), "{add:#?}");
        }
        let json = sexton_without_privileges(&env, &["keep", "add", &id, "--json"]);
        json.assert_code(1);
        assert_eq!(outcomes(&json), [(id.clone(), "failed".to_owned())], "{json:#?}");
        // What was promised instead.
        mode(0o700, 0o600);
        let listed = sexton_without_privileges(&env, &["list"]);
        listed.assert_code(0);
        let kept = sexton_without_privileges(&env, &["keep", "add", &id]);
        kept.assert_clean();
        assert_eq!(kept.stdout, format!("a copy of {id} is kept\n"));
    }
}

#[test]
fn nothing_is_promised_where_the_cache_is_full() {
    let Some(small) = SmallFilesystem::mount(1 << 20) else {
        return;
    };
    let mut env = TestEnv::new();
    env.set("XDG_CACHE_HOME", small.path());
    let (id, _) = rested(&env, 1);
    let filler = small.fill();
    let add = sexton(&env, &["keep", "add", &id]);
    add.assert_code(1);
    assert!(
        add.stderr.contains(&format!("no copy of {id} is kept: failed to ")),
        "{add:#?}"
    );
    fs::remove_file(filler).unwrap();
    sexton(&env, &["keep", "add", &id]).assert_clean();
}

#[test]
fn what_is_not_copied_yet_and_what_never_will_be_is_said() {
    let env = TestEnv::new();
    let (id, transcript) = rested(&env, 1);
    sexton(&env, &["keep", "add", &id]).assert_clean();
    let touch = |at: std::time::SystemTime| fs::File::open(&transcript).unwrap().set_modified(at).unwrap();
    let more = fs::read_to_string(&transcript).unwrap();
    fs::write(&transcript, more.repeat(2)).unwrap();
    touch(std::time::SystemTime::now());
    let grown = sexton(&env, &["keep", "add", &id]);
    grown.assert_clean();
    assert_eq!(
        grown.stdout,
        format!("a copy of {id} is kept, what was written since will be once it has rested for a few minutes\n")
    );
    // A vault that is full, and a transcript that waits for room in it.
    touch(std::time::SystemTime::now() - std::time::Duration::from_hours(1));
    env.write(&env.config_file(), "[vault]\nlimit = \"1\"\n");
    let (second, _) = rested(&env, 2);
    let full = sexton(&env, &["keep", "add", &second]);
    full.assert_code(1);
    assert!(
        full.stderr
            .contains(&format!("no copy of {second} is kept: the vault is full"))
            && full.stderr.contains("`vault.limit`"),
        "{full:#?}"
    );
    fs::remove_file(env.config_file()).unwrap();
    // One of several that can't be.
    sexton(&env, &["archive", &second]).assert_code(0);
    let (third, _) = rested(&env, 3);
    let some = sexton(&env, &["keep", "add", &third, &second, "--json"]);
    some.assert_code(3);
    assert_eq!(
        outcomes(&some),
        [(third, "done".to_owned()), (second.clone(), "failed".to_owned())],
        "{some:#?}"
    );
    let archived = sexton(&env, &["keep", "add", &second]);
    archived.assert_code(1);
    assert!(archived.stderr.contains("it lies in the archive"), "{archived:#?}");
    assert!(!archived.stderr.contains("once that is mended"), "{archived:#?}");
    sexton(&env, &["delete", &id, "--yes", "--yes-most"]).assert_code(0);
    let deleted = sexton(&env, &["keep", "add", &id]);
    deleted.assert_code(1);
    assert!(deleted.stderr.contains("it was deleted"), "{deleted:#?}");
}

#[test]
fn all_that_is_due_is_kept_and_nothing_else() {
    let env = TestEnv::new();
    env.write(&env.config_file(), "[vault]\npolicy = \"off\"\n");
    let nothing = sexton(&env, &["keep", "add", "--due"]);
    nothing.assert_code(0);
    assert!(
        nothing.stdout.is_empty() && nothing.stderr.contains("nothing"),
        "{nothing:#?}"
    );
    let days_ago = |path: &std::path::Path, days: u64| {
        let then = std::time::SystemTime::now() - std::time::Duration::from_hours(days * 24);
        fs::File::open(path).unwrap().set_modified(then).unwrap();
    };
    let sessions: Vec<(String, std::path::PathBuf)> = (1..=4).map(|number| rested(&env, number)).collect();
    for (session, days) in sessions.iter().zip([40, 24, 22, 29]) {
        days_ago(&session.1, days);
    }
    let deleted = &sessions[3].0;
    env.write(&env.tombstone_file(), format!("{deleted}\n"));
    let before = env.picture();
    let planned = sexton(&env, &["keep", "add", "--due", "--dry-run", "--json"]);
    before.assert_unchanged(&env.picture());
    let due = [&sessions[0].0, &sessions[1].0].map(|id| (id.clone(), "done".to_owned()));
    assert_eq!(outcomes(&planned), due);
    assert_eq!(outcomes(&sexton(&env, &["keep", "add", "--due", "--json"])), due);
    let kept = due.map(|(id, _)| (id, "kept".to_owned()));
    assert_eq!(outcomes(&sexton(&env, &["keep", "status", "--json"])), kept);
    sexton(&env, &["keep", "add", "--due", &sessions[2].0]).assert_code(2);
    sexton(&env, &["keep", "add"]).assert_code(2);
}

#[test]
fn of_a_session_without_a_transcript_no_copy_is_promised() {
    let env = TestEnv::new();
    let id = session_id(1);
    register::write(
        &env.register_dir(),
        &id,
        &[register::started(&id, now_ms() - 5_000_000)],
    );
    let run = sexton(&env, &["keep", "add", &id]);
    run.assert_code(1);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("it has no transcript\n"), "{run:#?}");
}
