//! `sexton demo`

use std::fs;
use std::process::{Command, Stdio};

use sexton::render::width;
use sexton_register::State;
use sexton_testkit::{NOWHERE, TestEnv};

use crate::support::{SEXTON, document, sexton, sexton_on_terminal, without_colours};

#[test]
fn it_shows_the_main_job_and_leaves_nothing() {
    let env = TestEnv::new();
    let run = sexton(&env, &["demo"]);
    run.assert_code(0);
    for state in State::ALL
        .iter()
        .filter(|state| !matches!(state, State::Running | State::Done | State::Exited))
    {
        assert!(
            run.stdout.contains(&format!("  {state} ")),
            "{state} is missing:\n{}",
            run.stdout
        );
    }
    assert!(run.stderr.contains("finished hidden"), "{}", run.stderr);
    // The scratch home was in $TMPDIR, and the user's own home was not touched.
    for directory in ["tmp", "home"] {
        let left: Vec<_> = fs::read_dir(env.root().join(directory)).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn its_processes_end_with_it() {
    let env = TestEnv::new();
    let run = sexton(&env, &["demo", "--json"]);
    let json = document(&run);
    let pids: Vec<u32> = json["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|session| session["processes"].as_array().unwrap())
        .map(|process| u32::try_from(process["pid"].as_u64().unwrap()).unwrap())
        .collect();
    assert!(pids.len() >= 5, "{json:#}");
    for pid in pids {
        let commands = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        assert!(
            !String::from_utf8_lossy(&commands).contains("sexton"),
            "{pid} still runs"
        );
    }
}

#[test]
fn a_client_of_a_demo_that_was_killed_ends_by_itself() {
    let env = TestEnv::new();
    let mut child = env
        .command(SEXTON)
        .args(["demo", "--client"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_home_that_cannot_be_made_is_an_error() {
    let mut env = TestEnv::new();
    env.set("TMPDIR", NOWHERE);
    let run = sexton(&env, &["demo"]);
    run.assert_code(1);
    assert!(
        run.stderr.starts_with("error: set up the sample machine"),
        "{}",
        run.stderr
    );
}

/// The list as it stands on a terminal, with everything that differs from run to run made equal.
fn picture(columns: usize) -> Option<String> {
    let env = TestEnv::new();
    // Without a keyboard there is no table.
    let screen = without_colours(&sexton_on_terminal(&env, columns, "demo < /dev/null")?);
    let mut lines: Vec<String> = Vec::new();
    // How much memory a process takes depends on the machine, and which copies are made in time, too.
    let end = screen.lines().find_map(|line| line.find("  MEM")).unwrap_or(usize::MAX);
    for line in screen.lines() {
        let is_row = !line.contains("sexton-demo-");
        let line = if is_row { upto(line, end) } else { line };
        let line = line.replace('\r', "").trim_end().to_owned();
        // How many seconds it takes to build the machine and to list it does, too.
        let line = match line.rsplit_once(' ') {
            Some((start, end)) if is_moments(end) => format!("{} <moments>", start.trim_end()),
            _ => line,
        };
        lines.push(match line.split_once("sexton-demo-") {
            Some((start, end)) => {
                let start = start.rsplit_once(' ').map_or(start, |(start, _)| start);
                format!("{start} <scratch>,{}", end.split_once(',').map_or("", |(_, end)| end))
            }
            None => line,
        });
    }
    Some(lines.join("\n"))
}

/// What stands in the first terminal columns of a line.
fn upto(line: &str, columns: usize) -> &str {
    let mut ends = line.char_indices().map(|(at, character)| at + character.len_utf8());
    ends.rfind(|end| width(&line[..*end]) <= columns)
        .map_or("", |end| &line[..end])
}

/// Whether this is an age of less than a minute.
fn is_moments(age: &str) -> bool {
    let digits = age.strip_suffix('s').unwrap_or_default();
    age == "now" || (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[test]
fn as_people_read_it() {
    for columns in [80, 200] {
        let Some(picture) = picture(columns) else {
            return;
        };
        insta::assert_snapshot!(format!("list-at-{columns}-columns"), picture);
    }
}

#[test]
fn killed_in_the_middle_it_leaves_no_process() {
    let env = TestEnv::new();
    let mut child = Command::new(SEXTON)
        .env_clear()
        .env("HOME", env.home())
        .env("TMPDIR", env.root().join("tmp"))
        .arg("demo")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let of_it = format!("TMPDIR={}", env.root().join("tmp").display());
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
        // Its clients wait on a pipe that closed with it; one may be on its way out.
        if String::from_utf8_lossy(&environ).contains(&of_it) {
            let stat = entry.path();
            while fs::read_to_string(stat.join("cmdline")).is_ok_and(|command| !command.is_empty()) {
                std::thread::yield_now();
            }
        }
    }
}

#[test]
fn a_shell_on_the_sample_machine_has_the_program_and_leaves_nothing() {
    let mut env = TestEnv::new();
    env.set("SHELL", "/bin/sh").set("CLAUDE_CONFIG_DIR", "/nowhere");
    let script = "sexton list --all --json | grep -c known_by; echo \"$HOME ${CLAUDE_CONFIG_DIR-unset}\"; pwd; exit 7";
    let run = env.run_with_input(SEXTON, ["demo", "--shell"], script);
    run.assert_code(0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], sexton::demo::STORIES.len().to_string(), "{run:#?}");
    let home = lines[1].strip_suffix(" unset").unwrap();
    assert!(home.starts_with(env.root().join("tmp").to_str().unwrap()), "{run:#?}");
    assert_eq!(lines[2], home);
    assert_eq!(fs::read_dir(env.root().join("tmp")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(env.home()).unwrap().count(), 0);
}

#[test]
fn it_needs_no_home() {
    let mut env = TestEnv::new();
    env.unset("HOME");
    let run = sexton(&env, &["demo", "--json"]);
    run.assert_code(0);
    assert!(run.stdout.contains("\"sessions\""), "{run:#?}");
}
