//! `sexton completions`, as a shell uses them.

use std::fs;
use std::process::Command;

use sexton_testkit::register::{named, started, write};
use sexton_testkit::{LiveProcess, RegistryRecord, TestEnv, Transcript, session_id};

use crate::support::{SEXTON, sexton};

/// A machine with a live, a crashed and a finished session, and the program on `$PATH`.
fn machine() -> (TestEnv, LiveProcess) {
    let env = TestEnv::new();
    std::os::unix::fs::symlink(SEXTON, env.root().join("bin/sexton")).unwrap();
    let process = LiveProcess::start();
    RegistryRecord::of(&process, &session_id(0xaaaa_0001))
        .name("parser-rewrite", "user")
        .write(&env.config_dir());
    let crashed = session_id(0xaaaa_0002);
    write(
        &env.register_dir(),
        &crashed,
        &[started(&crashed, 1_000), named(&crashed, 2_000, "old \u{1b}[31mname")],
    );
    Transcript::new(&session_id(0xbbbb_0003))
        .conversation("a", "b")
        .write(&env.config_dir());
    (env, process)
}

/// What bash offers for the last of these words; `None` where there is no bash.
fn bash(env: &TestEnv, words: &[&str]) -> Option<Vec<String>> {
    Command::new("bash").arg("--version").output().ok()?;
    let quoted = words
        .iter()
        .map(|word| format!("'{word}'"))
        .collect::<Vec<_>>()
        .join(" ");
    let script = format!(
        "source <(sexton completions bash); COMP_WORDS=({quoted}); COMP_CWORD={}; COMP_TYPE=9; \
         _clap_complete_sexton sexton \"${{COMP_WORDS[-1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.len() - 1
    );
    let run = env.run("bash", ["--norc", "-c", &script]);
    run.assert_clean();
    Some(
        run.stdout
            .lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect(),
    )
}

#[test]
fn bash_offers_sessions_states_and_commands() {
    let (env, _process) = machine();
    let Some(all) = bash(&env, &["sexton", "show", ""]) else {
        return;
    };
    // What is over is left out until it is asked for; a name that would have to be quoted is no word.
    assert_eq!(
        all.iter().filter(|word| word.starts_with("aaaa0")).count(),
        2,
        "{all:?}"
    );
    assert!(!all.iter().any(|word| word.starts_with("bbbb")), "{all:?}");
    assert_eq!(bash(&env, &["sexton", "show", "bb"]).unwrap(), ["bbbb0003"]);
    assert_eq!(bash(&env, &["sexton", "delete", "par"]).unwrap(), [] as [&str; 0]);
    assert_eq!(
        bash(&env, &["sexton", "list", "--state", "w"]).unwrap(),
        ["working", "waiting"]
    );
    assert!(bash(&env, &["sexton", "ho"]).unwrap().contains(&"hooks".to_owned()));
    assert!(
        bash(&env, &["sexton", "resume", "--un"])
            .unwrap()
            .contains(&"--unverified".to_owned())
    );
}

#[test]
fn fish_gets_names_with_what_they_are() {
    let (mut env, _process) = machine();
    env.set("SEXTON_COMPLETE", "fish");
    let run = sexton(&env, &["--", "sexton", "show", "parser"]);
    run.assert_clean();
    assert_eq!(run.stdout, "parser-rewrite\tidle: parser-rewrite (aaaa0001)\n");
    let run = sexton(&env, &["--", "sexton", "show", "old"]);
    assert_eq!(run.stdout, "");
    let run = sexton(&env, &["--", "sexton", "show", "aaaa0002"]);
    assert!(!run.stdout.contains('\u{1b}'), "{:?}", run.stdout);
}

#[test]
fn nothing_is_written_and_nothing_said_by_completing() {
    let (mut env, _process) = machine();
    fs::create_dir_all(env.config_file().parent().unwrap()).unwrap();
    fs::write(env.config_file(), "vault = 3").unwrap();
    fs::write(env.register_dir().join("not-a-session.jsonl"), "x").unwrap();
    env.set("SEXTON_COMPLETE", "fish");
    let before = env.picture();
    let run = sexton(&env, &["--", "sexton", "show", "aaaa"]);
    run.assert_clean();
    assert_eq!(run.stdout.lines().count(), 2, "{}", run.stdout);
    before.assert_unchanged(&env.picture());
    env.unset("HOME");
    assert_eq!(sexton(&env, &["--", "sexton", "show", "aaaa"]).stdout, "");
}

#[test]
fn each_shell_reads_its_script() {
    let mut env = TestEnv::new();
    env.unset("HOME");
    for shell in ["bash", "zsh", "fish"] {
        let run = sexton(&env, &["completions", shell]);
        run.assert_clean();
        assert!(run.stdout.contains("SEXTON_COMPLETE"), "{}", run.stdout);
        if Command::new(shell).arg("--version").output().is_ok() {
            env.run_with_input(shell, ["-n"], &run.stdout).assert_clean();
        }
    }
    sexton(&env, &["completions", "csh"]).assert_code(2);
}

#[test]
fn each_command_is_offered_what_it_takes() {
    let (env, _process) = machine();
    for number in [0xcccc_0004, 0xdddd_0005] {
        Transcript::new(&session_id(number))
            .conversation("a", "b")
            .write(&env.config_dir());
    }
    sexton(&env, &["archive", "cccc0004"]).assert_clean();
    sexton(&env, &["delete", "dddd0005", "--yes"]).assert_code(0);
    let Some(mut back) = bash(&env, &["sexton", "restore", ""]) else {
        return;
    };
    back.retain(|word| !word.starts_with('-'));
    back.sort_unstable();
    assert_eq!(back, ["cccc0004", "dddd0005"]);
    let mut dead = bash(&env, &["sexton", "tombstone", "lift", ""]).unwrap();
    dead.retain(|word| !word.starts_with('-'));
    assert_eq!(dead, ["dddd0005"]);
}
