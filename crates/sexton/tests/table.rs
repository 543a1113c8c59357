//! The table in a real terminal: tmux has the screen, the test has the machine.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

use std::fmt::Debug;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sexton_sys::{Clock, SystemClock};
use sexton_testkit::{LiveProcess, RegistryRecord, TestEnv, iso, session_id, slug};

const SEXTON: &str = env!("CARGO_BIN_EXE_sexton");

/// Longer than anything takes, even on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_mins(1);

/// A tmux server of the test's own, which ends with the test.
struct Tmux {
    environment: TestEnv,
    socket: String,
}

impl Tmux {
    /// Opens a terminal in which a shell runs `script`; `None`, with a note, where there is no tmux.
    fn open(mut environment: TestEnv, columns: u16, rows: u16, script: &str) -> Option<Self> {
        let probe = Command::new("tmux").arg("-V").stdout(Stdio::null()).status();
        if !probe.is_ok_and(|status| status.success()) {
            eprintln!("skipped: there is no tmux");
            return None;
        }
        environment.set("TERM", "xterm-256color").set("SEXTON", SEXTON);
        let socket = environment.root().join("tmp/tmux").to_str().unwrap().to_owned();
        let tmux = Self { environment, socket };
        let (columns, rows) = (columns.to_string(), rows.to_string());
        tmux.run(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &columns,
            "-y",
            &rows,
            "sh",
            "-c",
            script,
        ]);
        tmux.run(&["set", "-g", "status", "off"]);
        tmux.run(&["set", "-s", "escape-time", "0"]);
        Some(tmux)
    }

    fn run(&self, arguments: &[&str]) -> String {
        let mut command = self.environment.command("tmux");
        let output = command
            .args(["-u", "-S", &self.socket])
            .args(arguments)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "tmux {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    fn keys(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    fn screen(&self) -> String {
        self.run(&["capture-pane", "-p"])
    }

    /// Reads the screen until it is as wanted.
    #[track_caller]
    fn wait(&self, what: impl Debug, is_there: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let screen = self.screen();
            if is_there(&screen) {
                return screen;
            }
            assert!(began.elapsed() < PATIENCE, "no {what:?} on the screen:\n{screen}");
        }
    }

    /// Waits for a text.
    #[track_caller]
    fn see(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    /// Waits for a line that has all of these.
    #[track_caller]
    fn see_line(&self, parts: &[&str]) {
        self.wait(parts, |screen| {
            screen.lines().any(|line| parts.iter().all(|part| line.contains(part)))
        });
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        // It may have ended with its last pane.
        let mut command = self.environment.command("tmux");
        let _ = command
            .args(["-S", &self.socket, "kill-server"])
            .stderr(Stdio::null())
            .status();
    }
}

/// A session with a conversation, as the client would have left it; returns its transcript.
fn write_transcript(environment: &TestEnv, session: &str, title: &str) -> std::path::PathBuf {
    let cwd = environment.home().join("work");
    let now_ms = SystemClock.now_ms();
    let project = environment
        .config_dir()
        .join("projects")
        .join(slug(cwd.to_str().unwrap()));
    let path = project.join(format!("{session}.jsonl"));
    let said = format!(
        "{{\"type\":\"user\",\"uuid\":\"u\",\"timestamp\":\"{}\",\"sessionId\":\"{session}\",\"cwd\":\"{}\",\"message\":{{\"role\":\"user\",\"content\":\"Where is the needle?\"}}}}\n",
        iso(now_ms - 120_000),
        cwd.display()
    );
    environment.write(
        &path,
        format!("{said}{{\"type\":\"ai-title\",\"aiTitle\":\"{title}\",\"sessionId\":\"{session}\"}}\n"),
    );
    path
}

/// Runs the table, then says how it ended and whether the terminal is as it was.
const SHELL: &str = r#"before=$(stty -g); sh -c 'echo $$ > "$TMPDIR/pid"; exec "$SEXTON" $COMMAND'; echo "LEFT $?"; [ "$before" = "$(stty -g)" ] && echo SAME; exec cat"#;

fn pid_of(environment: &TestEnv) -> rustix::process::Pid {
    let text = std::fs::read_to_string(environment.root().join("tmp/pid")).unwrap();
    rustix::process::Pid::from_raw(text.trim().parse().unwrap()).unwrap()
}

fn is_gone(pid: rustix::process::Pid) -> bool {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if sexton_sys::process::observe(pid.as_raw_nonzero().get().unsigned_abs()).existence
            == sexton_sys::process::Existence::Missing
        {
            return true;
        }
    }
    false
}

#[test]
fn a_session_starts_waits_is_marked_crashes_is_deleted_and_brought_back_while_one_looks() {
    let environment = TestEnv::new();
    let config_dir = environment.config_dir();
    let session = session_id(7);
    // Claude Code is installed, and nothing has run yet.
    std::fs::create_dir_all(&config_dir).unwrap();
    let Some(tmux) = Tmux::open(environment, 100, 20, SHELL) else {
        return;
    };
    tmux.see("No sessions yet");

    let process = LiveProcess::start();
    let record = |status: &str| {
        let now_ms = SystemClock.now_ms();
        let record = RegistryRecord::of(&process, &session).name("parser-rewrite", "user");
        record.started_at(now_ms - 5_000).status(status)
    };
    record("busy").write(&config_dir);
    tmux.see_line(&["working", "parser-rewrite"]);
    tmux.see("1 live");

    record("busy").waiting_for("permission prompt").write(&config_dir);
    tmux.see_line(&["waiting", "parser-rewrite"]);
    tmux.see("1 waiting");

    // A transcript appears, and its title is found by the filter.
    let transcript = write_transcript(&tmux.environment, &session, "Rewrite of the config parser");
    tmux.see_line(&["parser-rewrite", "~/work"]);
    tmux.keys(&["/"]);
    tmux.keys(&["-l", "rewrite of"]);
    tmux.see_line(&["> ", "parser-rewrite"]);
    tmux.see("/rewrite of");
    tmux.keys(&["Enter"]);
    // An Escape that is read together with the next key is one with Alt.
    tmux.keys(&["Escape"]);
    tmux.wait("no filter", |screen| {
        !screen.contains("rewrite of") && screen.contains("live (1)")
    });

    tmux.keys(&["m"]);
    tmux.see("on-hold");
    tmux.keys(&["n"]);
    tmux.see("note:");
    tmux.keys(&["-l", "after the release"]);
    tmux.keys(&["Enter"]);
    tmux.see("(after the release)");
    tmux.keys(&["b"]);
    tmux.see("marked parser-rewrite blocked; shown when nothing runs it any more");

    // No file tells that a process was killed.
    process.kill();
    tmux.see_line(&["blocked", "parser-rewrite"]);
    tmux.keys(&["m"]);
    tmux.see("c clear");
    tmux.keys(&["c"]);
    tmux.see_line(&["crashed", "parser-rewrite"]);

    tmux.keys(&["Enter"]);
    tmux.see("Rewrite of the config parser");
    tmux.keys(&["e"]);
    tmux.see("events  parser-rewrite");
    tmux.see("blocked: after the release");
    tmux.keys(&["q"]);
    tmux.see("session  parser-rewrite");
    tmux.keys(&["o"]);
    tmux.see("Where is the needle?");
    tmux.keys(&["q"]);
    tmux.see("session  parser-rewrite");
    tmux.keys(&["q"]);
    tmux.see_line(&["crashed", "parser-rewrite"]);

    tmux.keys(&["/"]);
    tmux.keys(&["Tab"]);
    tmux.keys(&["-l", "needle"]);
    tmux.see("Where is the needle?");
    tmux.keys(&["Escape"]);
    tmux.see("loose ends (1)");

    tmux.keys(&["D"]);
    tmux.see("Delete this session?");
    tmux.keys(&["n"]);
    tmux.see("loose ends (1)");
    assert!(transcript.exists(), "declined");
    tmux.keys(&["D"]);
    tmux.see("Delete this session?");
    tmux.keys(&["y"]);
    tmux.see("deleted 1 session");
    tmux.see("(1 deleted hidden)");
    assert!(!transcript.exists());
    tmux.keys(&["u"]);
    tmux.see("Take back the delete");
    tmux.keys(&["y"]);
    tmux.see_line(&["crashed", "parser-rewrite"]);
    assert!(transcript.exists());

    tmux.keys(&["A"]);
    tmux.see("archived 1 session");
    tmux.see("(1 archived hidden)");
    assert!(!transcript.exists());

    tmux.keys(&["q"]);
    tmux.see("LEFT 0");
    tmux.see("SAME");
}

#[test]
fn resume_lends_the_screen_to_the_client_and_says_how_it_ended() {
    let environment = TestEnv::new();
    let session = session_id(8);
    write_transcript(&environment, &session, "Sketch of a queue");
    std::fs::create_dir_all(environment.home().join("work")).unwrap();
    environment.install_program("claude", "#!/bin/sh\necho \"CLIENT $* in $PWD\"; read answer; exit 3\n");
    let Some(tmux) = Tmux::open(environment, 100, 20, SHELL) else {
        return;
    };
    tmux.see("Press a to see 1 finished");
    tmux.keys(&["a"]);
    tmux.see_line(&["> ", "Sketch of a queue"]);
    tmux.keys(&["r"]);
    let screen = tmux.see(&format!("CLIENT --resume {session} in "));
    assert!(screen.contains("/home/work"), "{screen}");
    // Typed into the client, not into the table.
    tmux.keys(&["q", "Enter"]);
    tmux.see("exit status: 3");
    tmux.see_line(&["> ", "Sketch of a queue"]);
    tmux.keys(&["q"]);
    tmux.see("LEFT 0");
    tmux.see("SAME");
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was_and_the_sample_machine_is_gone() {
    for (signal, status) in [
        (rustix::process::Signal::TERM, "LEFT 143"),
        (rustix::process::Signal::INT, "LEFT 130"),
        (rustix::process::Signal::HUP, "LEFT 129"),
    ] {
        let mut environment = TestEnv::new();
        environment.set("COMMAND", "demo");
        let Some(tmux) = Tmux::open(environment, 80, 24, SHELL) else {
            return;
        };
        tmux.see("parser-rewrite");
        rustix::process::kill_process(pid_of(&tmux.environment), signal).unwrap();
        let screen = tmux.see(status);
        assert!(
            !screen.contains("parser-rewrite"),
            "the screen is the shell's again:\n{screen}"
        );
        tmux.see("SAME");
        assert_eq!(sample_machines(&tmux.environment), 0);
    }
}

/// While the sample machine is still being built, and no table is there to put anything in order.
#[test]
fn a_signal_that_comes_early_leaves_no_sample_machine_either() {
    let environment = TestEnv::new();
    // On a busy machine it may be over before it is hit.
    let is_hit = (0..20).any(|_| {
        let mut demo = environment.command(SEXTON);
        let demo = demo.arg("demo").stdout(Stdio::null()).stderr(Stdio::null());
        let mut demo = demo.spawn().unwrap();
        while sample_machines(&environment) == 0 && demo.try_wait().unwrap().is_none() {}
        let pid = rustix::process::Pid::from_child(&demo);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let status = demo.wait().unwrap();
        assert_eq!(sample_machines(&environment), 0, "{status:?}");
        status.signal() == Some(15)
    });
    assert!(is_hit);
}

#[test]
fn a_terminal_that_goes_away_ends_the_table() {
    let mut environment = TestEnv::new();
    environment.set("COMMAND", "demo");
    let Some(tmux) = Tmux::open(environment, 80, 24, SHELL) else {
        return;
    };
    tmux.see("parser-rewrite");
    let pid = pid_of(&tmux.environment);
    tmux.run(&["kill-server"]);
    assert!(is_gone(pid));
    assert_eq!(sample_machines(&tmux.environment), 0);
}

#[test]
fn the_screen_is_whole_at_any_size() {
    let mut environment = TestEnv::new();
    environment.set("COMMAND", "demo");
    let Some(tmux) = Tmux::open(environment, 80, 24, SHELL) else {
        return;
    };
    for (columns, rows) in [("40", "8"), ("300", "100"), ("41", "10"), ("200", "50"), ("80", "24")] {
        tmux.run(&["resize-window", "-x", columns, "-y", rows]);
        // Title above, keys below, nothing scrolled away.
        tmux.wait((columns, rows), |screen| {
            let lines: Vec<&str> = screen.lines().collect();
            lines.len() == rows.parse::<usize>().unwrap()
                && lines[0].starts_with("sexton  1 waiting")
                && lines[lines.len() - 1].starts_with("Enter details")
                && lines[lines.len() - 1].ends_with("? keys")
        });
    }
    tmux.keys(&["q"]);
    tmux.see("LEFT 0");
    assert_eq!(sample_machines(&tmux.environment), 0);
}

/// How many sample machines lie around.
fn sample_machines(environment: &TestEnv) -> usize {
    let listed = std::fs::read_dir(environment.root().join("tmp")).unwrap();
    let names = listed.map(|entry| entry.unwrap().file_name());
    names
        .filter(|name| name.to_string_lossy().starts_with("sexton-demo-"))
        .count()
}
