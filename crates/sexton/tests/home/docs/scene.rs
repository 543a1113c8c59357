//! The machines that pages are played on.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sexton::demo::SampleMachine;
use sexton_sys::SystemClock;
use sexton_testkit::register::{started, write};
use sexton_testkit::{RegistryRecord, Run, TestEnv, dead_pid, session_id};

use crate::support::{SEXTON, read};

/// A machine, with the program on `$PATH`.
pub(super) struct Scene {
    /// Held for what lies in it; the sample machine, whose processes run, likewise.
    env: TestEnv,
    _sample: Option<SampleMachine>,
    home: PathBuf,
}

impl Scene {
    /// A home without anything in it.
    pub(super) fn bare() -> Self {
        let env = TestEnv::new();
        Self {
            home: env.home(),
            env,
            _sample: None,
        }
    }

    /// The machine of `sexton demo`, on which Claude Code is installed.
    pub(super) fn sample() -> Self {
        let machine = SampleMachine::build(Path::new(SEXTON), &SystemClock).unwrap();
        let env = TestEnv::new();
        env.install_program("claude", "#!/bin/sh\n");
        let scene = Self {
            home: machine.home().canonicalize().unwrap(),
            env,
            _sample: Some(machine),
        };
        scene.settle();
        scene
    }

    /// Lists until each session at rest has its copy: how many are made in passing depends on how busy this machine is.
    fn settle(&self) {
        let settled = (0..100).any(|_| {
            self.run("sexton list > /dev/null");
            self.run("sexton keep status").contains("12 copies")
        });
        assert!(settled, "{}", self.run("sexton keep status"));
    }

    /// A machine that needs a doctor.
    pub(super) fn troubled() -> Self {
        let scene = Self::bare();
        let env = &scene.env;
        env.install_program("claude", "#!/bin/sh\n");
        env.write(&env.config_dir().join("settings.json"), "{}\n");
        RegistryRecord::with_pid(dead_pid(), &session_id(1)).write(&env.config_dir());
        let id = session_id(0x3f8a_21c4);
        let file = write(&env.register_dir(), &id, &[started(&id, 1_000)]);
        fs::write(&file, format!("{}{{\"format_version\":1,\n", read(&file))).unwrap();
        scene
    }

    /// What a command says on both streams, in their order, as it would stand on the machine of a person called Ada.
    #[track_caller]
    pub(super) fn run(&self, command: &str) -> String {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("exec 2>&1\n{command}")])
            .env_clear()
            .envs(self.variables())
            .current_dir(&self.home);
        let said = Run::of(&mut shell, b"").stdout;
        let lines: Vec<&str> = said.lines().map(str::trim_end).collect();
        self.stable(lines.join("\n").trim_end())
    }

    /// As [`Scene::run`], on a terminal of 80 columns; `None` where `script` of util-linux is not installed.
    #[track_caller]
    pub(super) fn run_on_terminal(&self, command: &str) -> Option<String> {
        let mut terminal = Command::new("script");
        terminal
            .arg("-qec")
            .arg(format!("stty cols 80 rows 50; {command}"))
            .arg("/dev/null")
            .env_clear()
            .envs(self.variables())
            .envs([("TERM", "xterm-256color"), ("NO_COLOR", "1"), ("SHELL", "/bin/sh")])
            .current_dir(&self.home);
        let is_installed = Command::new("script").arg("--version").output();
        if !is_installed.is_ok_and(|output| output.status.success()) {
            return None;
        }
        let said = Run::of(&mut terminal, b"").stdout.replace("\r\n", "\n");
        let lines: Vec<&str> = said.lines().map(str::trim_end).collect();
        Some(self.stable(lines.join("\n").trim_end()))
    }

    fn variables(&self) -> BTreeMap<OsString, OsString> {
        let directory = Path::new(SEXTON).parent().unwrap();
        let path = [
            directory,
            &self.env.root().join("bin"),
            Path::new("/usr/local/bin"),
            Path::new("/usr/bin"),
            Path::new("/bin"),
        ];
        [
            ("HOME", self.home.clone().into_os_string()),
            ("PATH", std::env::join_paths(path).unwrap()),
            ("LANG", "C.UTF-8".into()),
            ("TZ", "UTC".into()),
        ]
        .map(|(name, value)| (name.into(), value))
        .into()
    }

    /// The text with the places of this machine replaced by those of an ordinary one.
    fn stable(&self, text: &str) -> String {
        let home = self.home.to_str().unwrap();
        // The name that Claude Code makes of a directory.
        let slug = |path: &str| path.replace(|character: char| !character.is_ascii_alphanumeric(), "-");
        let text = text.replace(home, "/home/ada").replace(&slug(home), "-home-ada");
        let text = text.replace(SEXTON, "/usr/bin/sexton");
        text.replace(self.env.root().join("bin").to_str().unwrap(), "/usr/bin")
    }
}
