//! Each session once, with the right state, and how it is known.

use std::os::unix::fs::symlink;

use rustix::fs::inotify;
use serde_json::{Value, json};
use sexton_testkit::register::{ended, mark, started, write};
use sexton_testkit::{LiveProcess, RegistryRecord, TestEnv, Transcript, TreePicture, Zombie, dead_pid, session_id};

use crate::support::{SEXTON, listed, listed_ids, now_ms, registry_dir, sexton, sexton_without_privileges};

const MINUTE: i64 = 60_000;

/// State and evidence of the only session.
#[track_caller]
fn only(env: &TestEnv) -> (String, String) {
    let sessions = listed(env, &["--all", "--read-only"]);
    assert_eq!(sessions.len(), 1, "{sessions:#?}");
    let word = |key: &str| sessions[0][key].as_str().unwrap().to_owned();
    (word("state"), word("known_by"))
}

#[track_caller]
fn assert_only(env: &TestEnv, state: &str, known_by: &str) {
    assert_eq!(only(env), (state.to_owned(), known_by.to_owned()));
}

#[test]
fn the_registrys_word_counts_while_the_kernel_knows_the_process() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    for (status, state) in [
        ("busy", "working"),
        ("shell", "shell"),
        ("idle", "idle"),
        ("waiting", "waiting"),
        ("daydreaming", "running"),
    ] {
        RegistryRecord::of(&process, &session_id(1))
            .status(status)
            .write(&env.config_dir());
        assert_only(&env, state, "kernel");
    }
    RegistryRecord::of(&process, &session_id(1))
        .without("status")
        .write(&env.config_dir());
    assert_only(&env, "running", "kernel");
}

#[test]
fn without_a_token_the_pid_is_all_that_is_known() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    for record in [
        RegistryRecord::of(&process, &session_id(1)).without("procStart"),
        RegistryRecord::of(&process, &session_id(1)).proc_start("  "),
    ] {
        record.write(&env.config_dir());
        assert_only(&env, "unverified", "pid");
    }
}

#[test]
fn a_pid_that_was_used_again_is_a_crash() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    let path = RegistryRecord::of(&process, &session_id(1))
        .proc_start("1")
        .write(&env.config_dir());
    assert_only(&env, "crashed", "registry");
    std::fs::remove_file(path).unwrap();
    RegistryRecord::with_pid(dead_pid(), &session_id(1)).write(&env.config_dir());
    assert_only(&env, "crashed", "registry");
}

#[test]
fn a_zombie_is_dead_though_its_token_is_right() {
    let env = TestEnv::new();
    let zombie = Zombie::new();
    RegistryRecord::with_pid(zombie.pid(), &session_id(1))
        .proc_start(&zombie.start_ticks())
        .write(&env.config_dir());
    assert_only(&env, "crashed", "registry");
}

#[test]
fn a_process_elsewhere_is_not_judged_and_never_swept() {
    let env = TestEnv::new();
    let id = session_id(1);
    write(&env.register_dir(), &id, &[started(&id, now_ms() - 90 * MINUTE)]);
    RegistryRecord::with_pid(dead_pid(), &id)
        .proc_start("1")
        .on_another_machine()
        .write(&env.config_dir());
    let pictures = || [env.register_dir(), env.config_dir()].map(|directory| TreePicture::of(&directory));
    let before = pictures();
    assert_only(&env, "unverified", "foreign");
    sexton(&env, &["list"]).assert_clean();
    sexton(&env, &["sweep"]).assert_clean();
    sexton(&env, &["prune"]).assert_clean();
    assert_eq!(before, pictures());
}

#[test]
fn a_process_of_another_user_lives() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    RegistryRecord::of(&process, &session_id(1)).write(&env.config_dir());
    // As root this runs as nobody, who may not signal the process.
    let run = sexton_without_privileges(&env, &["list", "--read-only"]);
    run.assert_clean();
    assert!(run.stdout.contains(" idle "), "{}", run.stdout);
}

#[test]
fn helpers_that_were_started_in_advance_are_no_sessions() {
    let env = TestEnv::new();
    let (helper, process) = (LiveProcess::start(), LiveProcess::start());
    RegistryRecord::of(&helper, &session_id(1))
        .spare()
        .write(&env.config_dir());
    RegistryRecord::of(&process, &session_id(2)).write(&env.config_dir());
    assert_eq!(listed_ids(&env, &["--all"]), [session_id(2)]);
}

#[test]
fn a_torn_registry_file_is_skipped_in_silence() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    RegistryRecord::of(&process, &session_id(1)).write(&env.config_dir());
    let torn = RegistryRecord::of(&process, &session_id(2)).text();
    let sessions = registry_dir(&env.config_dir());
    env.write(&sessions.join("4000001.json"), &torn[..torn.len() / 2]);
    env.write(&sessions.join("4000002.json"), "");
    assert_eq!(listed_ids(&env, &["--all"]), [session_id(1)]);
}

#[test]
fn key_files_are_never_opened() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    let (record, key) = RegistryRecord::of(&process, &session_id(1)).write_with_key(&env.config_dir());
    let watch = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
    inotify::add_watch(&watch, &key, inotify::WatchFlags::OPEN).unwrap();
    for command in [
        &["list"][..],
        &["list", "--json"],
        &["show", "00000001"],
        &["sweep"],
        &["prune"],
    ] {
        sexton(&env, command).assert_clean();
    }
    // Once the process is dead, `prune` removes the key file with the record: still unopened.
    drop(process);
    sexton(&env, &["prune"]).assert_clean();
    assert!(!record.exists() && !key.exists());
    let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
    let mut reader = inotify::Reader::new(&watch, &mut buffer);
    while let Ok(event) = reader.next() {
        assert!(
            !event.events().contains(inotify::ReadFlags::OPEN),
            "the key file was opened"
        );
    }
}

#[test]
fn two_processes_with_one_id_are_one_session() {
    let env = TestEnv::new();
    let (older, newer) = (LiveProcess::start(), LiveProcess::start());
    let id = session_id(1);
    RegistryRecord::of(&older, &id).status("busy").write(&env.config_dir());
    RegistryRecord::of(&newer, &id).status("idle").write(&env.config_dir());
    let sessions = listed(&env, &[]);
    assert_eq!(sessions.len(), 1);
    let pids: Vec<&Value> = sessions[0]["processes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|process| &process["pid"])
        .collect();
    assert!(
        pids.contains(&&json!(older.pid())) && pids.contains(&&json!(newer.pid())),
        "{pids:?}"
    );
    // The one that died doesn't make the other one dead.
    drop(newer);
    assert_only(&env, "working", "kernel");
}

#[test]
fn a_reported_start_is_starting_for_a_minute_and_then_a_crash() {
    let env = TestEnv::new();
    let id = session_id(1);
    write(&env.register_dir(), &id, &[started(&id, now_ms() - 5_000)]);
    assert_only(&env, "starting", "hook");
    // Nothing is concluded while it may still be starting.
    sexton(&env, &["list"]).assert_clean();
    assert_only(&env, "starting", "hook");
    write(&env.register_dir(), &id, &[started(&id, now_ms() - 61_000)]);
    assert_only(&env, "crashed", "hook");
    sexton(&env, &["list"]).assert_clean();
    assert_only(&env, "crashed", "sweep");
}

#[test]
fn ends_and_marks() {
    let env = TestEnv::new();
    let id = session_id(1);
    let began = started(&id, now_ms() - 90 * MINUTE);
    let exited = ended(&id, now_ms() - 80 * MINUTE, "exited");
    write(&env.register_dir(), &id, &[began.clone(), exited.clone()]);
    assert_only(&env, "exited", "hook");
    for state in ["on-hold", "blocked", "done"] {
        let marked = mark(&id, now_ms() - 70 * MINUTE, Some(state));
        write(&env.register_dir(), &id, &[began.clone(), exited.clone(), marked]);
        assert_only(&env, state, "mark");
    }
    // A process that lives outranks the mark.
    let process = LiveProcess::start();
    let record = RegistryRecord::of(&process, &id).write(&env.config_dir());
    assert_only(&env, "idle", "kernel");
    std::fs::remove_file(record).unwrap();
    // An end before the newest beginning is another run's.
    write(&env.register_dir(), &id, &[exited, started(&id, now_ms() - 5_000)]);
    assert_only(&env, "starting", "hook");
}

#[test]
fn a_transcript_alone_is_a_session_that_exited() {
    let env = TestEnv::new();
    Transcript::new(&session_id(1))
        .opening()
        .cwd("/home/dev/harbour")
        .model("claude-opus-5-5")
        .conversation("mend the parser", "done")
        .ai_title("Mend the parser")
        .write(&env.config_dir());
    assert_only(&env, "exited", "transcript");
    let session = &listed(&env, &["--all"])[0];
    assert_eq!(
        (&session["title"], &session["directory"], &session["model"]),
        (
            &json!("Mend the parser"),
            &json!("/home/dev/harbour"),
            &json!("claude-opus-5-5")
        )
    );
}

#[test]
fn each_session_once_over_all_directories() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    // Known by everything at once, by the transcript alone, and by the register alone.
    Transcript::new(&session_id(1))
        .conversation("one", "1")
        .write(&env.config_dir());
    RegistryRecord::of(&process, &session_id(1)).write(&env.profile_dir("work"));
    write(
        &env.register_dir(),
        &session_id(1),
        &[started(&session_id(1), now_ms() - MINUTE)],
    );
    Transcript::new(&session_id(2))
        .conversation("two", "2")
        .write(&env.config_dir());
    write(
        &env.register_dir(),
        &session_id(3),
        &[started(&session_id(3), now_ms() - 5_000)],
    );
    // The profile shares the projects through a symlink.
    symlink(
        env.config_dir().join("projects"),
        env.profile_dir("work").join("projects"),
    )
    .unwrap();
    let mut ids = listed_ids(&env, &["--all"]);
    ids.sort();
    assert_eq!(ids, [session_id(1), session_id(2), session_id(3)]);
    for session in listed(&env, &["--all"]) {
        let transcripts = session["transcripts"].as_array().unwrap();
        assert!(transcripts.len() <= 1, "one file is one transcript: {transcripts:#?}");
        if session["id"] != json!(session_id(3)) {
            assert_eq!(
                session["config_dir"],
                json!(env.config_dir()),
                "the first directory owns it"
            );
        }
    }
}

#[test]
fn a_profile_that_only_the_register_names_is_looked_at() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    let id = session_id(1);
    let elsewhere = env.root().join("elsewhere");
    RegistryRecord::of(&process, &id).write(&elsewhere);
    let began = started(&id, now_ms() - 90 * MINUTE).text("config_dir", elsewhere.to_str().unwrap());
    write(&env.register_dir(), &id, &[began]);
    assert_only(&env, "idle", "kernel");
    sexton(&env, &["sweep"]).assert_clean();
    assert_only(&env, "idle", "kernel");
}

#[test]
fn the_star_needs_both_id_and_pid() {
    let process = LiveProcess::start();
    for (id, pid, current) in [
        (session_id(1), process.pid(), true),
        (session_id(1), dead_pid(), false),
        (session_id(2), process.pid(), false),
    ] {
        let mut env = TestEnv::new();
        RegistryRecord::of(&process, &session_id(1)).write(&env.config_dir());
        env.set("CLAUDECODE", "1")
            .set("CLAUDE_CODE_SESSION_ID", id)
            .set("CLAUDE_PID", pid.to_string());
        assert_eq!(listed(&env, &[])[0]["current"], json!(current));
        let star = sexton(&env, &["list"]).stdout.contains("*00000001");
        assert_eq!(star, current);
    }
}

#[test]
fn the_list_is_the_default_when_piped() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    RegistryRecord::of(&process, &session_id(1)).write(&env.config_dir());
    let plain = env.run(SEXTON, [] as [&str; 0]);
    plain.assert_clean();
    assert!(plain.stdout.contains("00000001"), "{}", plain.stdout);
}
