//! What stands on the screen: widths, colours, and nothing that drives the terminal.

use std::process::{Command, Stdio};

use sexton_testkit::register::{started, write};
use sexton_testkit::{LiveProcess, RegistryRecord, Run, TestEnv, Transcript, session_id};
use unicode_width::UnicodeWidthStr;

use crate::support::{SEXTON, now_ms, sexton, sexton_on_terminal, without_colours};

const LONG: &str = "/home/dev/projects/a-rather-long-name/of/directories/that/goes/on/and/on/to-the-end";

fn machine() -> (TestEnv, LiveProcess) {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    RegistryRecord::of(&process, &session_id(1))
        .name(
            "日本語の名前がここにあります that goes on until it is cut somewhere, 名前",
            "user",
        )
        .cwd(LONG)
        .status("waiting")
        .write(&env.config_dir());
    Transcript::new(&session_id(2))
        .cwd(LONG)
        .at_ms(now_ms() - 7_200_000)
        .conversation("a prompt", "an answer")
        .ai_title("A title 👩‍💻 with a family")
        .write(&env.config_dir());
    (env, process)
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let (env, _process) = machine();
    for columns in [40, 60, 80, 120, 200] {
        let Some(screen) = sexton_on_terminal(&env, columns, "list --all") else {
            return;
        };
        let plain = without_colours(&screen);
        assert!(plain.contains("00000001") && plain.contains("00000002"), "{plain}");
        for line in plain.lines() {
            assert!(line.width() <= columns, "{columns} columns:\n{plain}");
        }
        assert!(plain.contains("…"), "something is cut at {columns} columns:\n{plain}");
        assert!(
            columns == 40 || plain.contains("to-the-end"),
            "of a path the end is kept:\n{plain}"
        );
    }
}

#[test]
fn a_wide_terminal_cuts_nothing_that_there_is_room_for() {
    let env = TestEnv::new();
    let id = session_id(1);
    let name = "a name that somebody thought about for longer than forty columns";
    let directory = "/home/dev/projects/that-go-on-for-longer-than-forty-columns";
    write(&env.register_dir(), &id, &[started(&id, now_ms() - 7_200_000)]);
    Transcript::new(&id)
        .cwd(directory)
        .at_ms(now_ms() - 7_200_000)
        .conversation("a prompt", "an answer")
        .write(&env.config_dir());
    sexton(&env, &["name", &id, name]).assert_clean();
    sexton(&env, &["mark", &id, "blocked", "--note", "waits for a review"]).assert_clean();
    let Some(screen) = sexton_on_terminal(&env, 220, "list") else {
        return;
    };
    for whole in [name, directory, "waits for a review"] {
        assert!(screen.contains(whole), "{screen}");
    }
    // The note gives way first, and takes nothing from what was there before.
    let narrow = sexton_on_terminal(&env, 80, "list").unwrap_or_default();
    assert!(!narrow.contains("NOTE") && narrow.contains("DIRECTORY"), "{narrow}");
}

#[test]
fn piped_it_is_whole_and_plain() {
    let (env, _process) = machine();
    let run = sexton(&env, &["list", "--all"]);
    run.assert_clean();
    assert!(
        run.stdout.contains(LONG) && run.stdout.contains("cut somewhere, 名前"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains('\u{1b}') && !run.stdout.contains('…'));
    // Columns stand below each other, wide characters or not.
    let at = |line: &str| line.split(LONG).next().unwrap().width();
    let rows: Vec<&str> = run.stdout.lines().filter(|line| line.contains(LONG)).collect();
    assert_eq!(at(rows[0]), at(rows[1]), "{}", run.stdout);
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let (mut env, _process) = machine();
    let Some(coloured) = sexton_on_terminal(&env, 100, "list") else {
        return;
    };
    assert!(coloured.contains("\u{1b}["), "{coloured:?}");
    let never = sexton_on_terminal(&env, 100, "list --color never").unwrap();
    assert_eq!(never, without_colours(&coloured));
    env.set("NO_COLOR", "1");
    assert_eq!(sexton_on_terminal(&env, 100, "list").unwrap(), never);
    // What was said on the command line outranks the environment.
    assert!(
        sexton_on_terminal(&env, 100, "list --color always")
            .unwrap()
            .contains("\u{1b}[")
    );
    assert!(sexton(&env, &["list", "--color", "always"]).stdout.contains("\u{1b}["));
}

#[test]
fn a_reader_that_goes_away_is_a_quiet_end() {
    let env = TestEnv::new();
    // More than a pipe holds.
    for number in 1..=1500 {
        let id = session_id(number);
        write(
            &env.register_dir(),
            &id,
            &[started(&id, now_ms() - 5_000).text("cwd", LONG)],
        );
    }
    let mut child = env
        .command(SEXTON)
        .args(["list", "--read-only"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_full_disk_is_no_quiet_end() {
    let (env, _process) = machine();
    let mut command = Command::new("sh");
    command
        .env_clear()
        .env("HOME", env.home())
        .args(["-c", "exec \"$0\" list > /dev/full", SEXTON]);
    let run = Run::of(&mut command, b"");
    run.assert_code(1);
    assert!(run.stderr.contains("write to stdout"), "{}", run.stderr);
}

#[test]
fn what_others_wrote_cannot_drive_the_terminal() {
    const NASTY: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}gnp.exe\u{2066}\u{9b}31m\r\n\tx\u{200b}\u{0}";
    let env = TestEnv::new();
    let process = LiveProcess::start();
    let id = session_id(1);
    RegistryRecord::of(&process, &id)
        .name(NASTY, "user")
        .cwd(&format!("/home/{NASTY}"))
        .version(NASTY)
        .waiting_for(NASTY)
        .write(&env.config_dir());
    Transcript::new(&session_id(2))
        .cwd(&format!("/home/{NASTY}"))
        .model(NASTY)
        .branch(NASTY)
        .prompt(NASTY)
        .answer("yes")
        .ai_title(NASTY)
        .write(&env.config_dir());
    let noted = sexton(&env, &["mark", &id, "blocked", "--note", NASTY.trim_end_matches('\0')]);
    for run in [
        noted,
        sexton(&env, &["list", "--all"]),
        sexton(&env, &["show", &id]),
        sexton(&env, &["show", &session_id(2)]),
        sexton(&env, &["log", &id]),
        sexton(&env, &["show", "\u{1b}[31m\u{202e}"]),
        sexton(&env, &["list", "--since", "\u{1b}[31m\u{202e}"]),
        sexton(&env, &["list", "--config-dir", "/\u{1b}[31m\u{202e}"]),
        sexton(&env, &["list", "--state", "\u{1b}[31m\u{202e}"]),
        sexton(&env, &["\u{1b}[31m\u{202e}"]),
        sexton(&env, &["mark", &id, "\u{1b}[31m\u{202e}"]),
        sexton(&env, &["register", "read", "/\u{1b}[31m\u{202e}/x.jsonl"]),
        sexton(&env, &["hook", "\u{1b}[31m\u{202e}"]),
    ] {
        for output in [&run.stdout, &run.stderr] {
            let bad = output.chars().find(|&character| {
                (character.is_control() && character != '\n')
                    || matches!(character, '\u{200b}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            });
            assert_eq!(bad, None, "{output:?}");
        }
    }
    let list = sexton(&env, &["list"]).stdout;
    assert!(list.contains("␛[2J") && list.contains("<U+202E>gnp.exe"), "{list}");
    assert_eq!(list.lines().count(), 2, "a name is one line:\n{list}");
}
