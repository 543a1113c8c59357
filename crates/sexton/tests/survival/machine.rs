//! A machine with sessions of which every byte is known.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sexton_testkit::register::{self, started};
use sexton_testkit::settings::WITH_OTHER_HOOKS;
use sexton_testkit::{RegistryRecord, Run, TestEnv, Transcript, dead_pid, session_id};

pub(crate) const SEXTON: &str = env!("CARGO_BIN_EXE_sexton");

/// A word in every session's prompt.
pub(crate) const WORD: &str = "survivingword";

/// The id that recovery's own tombstone has; no session's.
pub(crate) const PROBE: &str = "ffffffff-0000-4000-8000-000000000000";

/// A session with its files, each of which holds something that no other file does.
pub(crate) struct Planted {
    pub(crate) id: String,
    /// Relative to the config directory.
    pub(crate) files: Vec<(PathBuf, Vec<u8>)>,
}

pub(crate) struct Machine {
    pub(crate) env: TestEnv,
    pub(crate) sessions: Vec<Planted>,
    /// Dead clients' registry files and the sessions in them, which no transcript and no event tells of.
    pub(crate) ghosts: Vec<(PathBuf, String)>,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self::in_environment(TestEnv::new())
    }

    pub(crate) fn in_environment(env: TestEnv) -> Self {
        let machine = Self {
            env,
            sessions: Vec::new(),
            ghosts: Vec::new(),
        };
        machine.env.write(&machine.settings(), WITH_OTHER_HOOKS);
        machine
    }

    pub(crate) fn settings(&self) -> PathBuf {
        self.env.config_dir().join("settings.json")
    }

    /// One more session, in the projects tree, with an event in the register.
    pub(crate) fn plant(&mut self) -> usize {
        let number = self.sessions.len() + 1;
        let id = session_id(u32::try_from(number).unwrap());
        let config = self.env.config_dir();
        let transcript = Transcript::new(&id)
            .conversation(&format!("{WORD} own{number}"), "so it is")
            .write(&config);
        let mut files = vec![transcript.clone()];
        for name in [
            transcript.with_extension("").join("subagents/agent-1.jsonl"),
            config.join(format!("file-history/{id}/1@v1")),
            config.join(format!("todos/{id}-agent-{id}.json")),
        ] {
            let content = format!(
                "{{\"of\":\"{id}\",\"in\":\"{}\"}}\n",
                name.extension().unwrap_or_default().display()
            );
            self.env.write(&name, content);
            files.push(name);
        }
        // All rest, so that copies are made of them.
        let modified = fs::metadata(&transcript).unwrap().modified().unwrap();
        for path in &files {
            fs::File::options()
                .append(true)
                .open(path)
                .unwrap()
                .set_modified(modified)
                .unwrap();
        }
        let files = files.into_iter().map(|path| {
            let content = fs::read(&path).unwrap();
            (path.strip_prefix(&config).unwrap().to_path_buf(), content)
        });
        let files = files.collect();
        register::write(&self.env.register_dir(), &id, &[started(&id, 1_772_000_000_000)]);
        self.sessions.push(Planted { id, files });
        number - 1
    }

    /// A registry file that a killed client left behind.
    pub(crate) fn plant_ghost(&mut self) {
        let id = session_id(u32::try_from(10_000 + self.ghosts.len()).unwrap());
        let record = RegistryRecord::with_pid(dead_pid(), &id)
            .name(&format!("ghost {}", self.ghosts.len()), "user")
            .write(&self.env.config_dir());
        self.ghosts.retain(|(path, _)| *path != record);
        self.ghosts.push((record, id));
    }

    /// Does to a session what the client's own sweep does, if the vault has all of it: nothing is left but the copy.
    pub(crate) fn sweep(&self, number: usize) -> bool {
        let session = &self.sessions[number];
        let copy = self.sexton(&["keep", "status", "--json", &session.id]);
        let document: Value = serde_json::from_str(&copy.stdout).unwrap_or_default();
        let is_whole = document["items"][0]["outcome"] == "kept" && document["items"][0]["detail"].is_null();
        if is_whole {
            for (name, _) in &session.files {
                fs::remove_file(self.env.config_dir().join(name)).unwrap();
            }
        }
        is_whole
    }

    /// Whether the vault has something of a session.
    pub(crate) fn has_copy(&self, id: &str) -> bool {
        self.env
            .data_dir()
            .join("vault")
            .join(id)
            .join("manifest.json")
            .exists()
    }

    pub(crate) fn sexton(&self, arguments: &[&str]) -> Run {
        self.env.run(SEXTON, arguments)
    }

    /// The next command after an interruption: one of the yard's, which changes nothing but its own tombstone.
    pub(crate) fn recover(&self) {
        let run = self.sexton(&["tombstone", "add", PROBE]);
        assert!(matches!(run.code, Some(0)), "{run:#?}");
        let journal = fs::read_to_string(self.env.data_dir().join("journal.jsonl")).unwrap_or_default();
        let last = journal.lines().last().unwrap_or_default();
        let is_settled = last.is_empty() || last.contains("\"line\":\"closed\",\"pending\":0");
        assert!(is_settled, "something is still pending: {last}\n{run:#?}");
    }
}

/// Every regular file below `directory`.
pub(crate) fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![directory.to_path_buf()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => left.push(entry.path()),
                Ok(kind) if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found
}
