//! A machine with one config directory, an index, and a few ways to write transcripts.

#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sexton_claude::config_dirs::{ConfigDirectory, Origin};
use sexton_index::catalogue::Catalogue;
use sexton_index::facts::FactStore;
use sexton_index::pass::{self, Keep, KeepPolicy, PassReport, PassRequest};
use sexton_index::query::{Filter, Query, SearchRequest, Sort, View};
use sexton_index::search::{Answer, SearchContext, search};
use sexton_index::texts::Texts;
use sexton_index::vault::Vault;
use sexton_register::SessionId;
use sexton_sys::{Effects, FileTime};
use sexton_yard::tombstones::load_tombstones;

/// Noon on the first of January 2026.
pub const NOW: i64 = 1_767_268_800_000;

pub struct Machine {
    root: tempfile::TempDir,
    pub vault: Vault,
    pub facts: FactStore,
}

pub fn id(number: u128) -> SessionId {
    SessionId::from_u128(number)
}

/// A prompt by a person at `minute` of the hour before [`NOW`].
pub fn prompt(minute: u32, text: &str) -> String {
    record("user", minute, &serde_json::json!({"role": "user", "content": text}))
}

pub fn answer(minute: u32, text: &str) -> String {
    let content = serde_json::json!([{"type": "text", "text": text}]);
    record(
        "assistant",
        minute,
        &serde_json::json!({"role": "assistant", "model": "m", "id": format!("msg_{minute}"), "content": content}),
    )
}

pub fn tool_call(minute: u32, name: &str, command: &str) -> String {
    let content = serde_json::json!([{"type": "tool_use", "id": "t", "name": name, "input": {"command": command}}]);
    record(
        "assistant",
        minute,
        &serde_json::json!({"role": "assistant", "model": "m", "content": content}),
    )
}

pub fn tool_result(minute: u32, text: &str) -> String {
    let content = serde_json::json!([{"type": "tool_result", "tool_use_id": "t", "content": text}]);
    record("user", minute, &serde_json::json!({"role": "user", "content": content}))
}

pub fn title(text: &str) -> String {
    format!("{}\n", serde_json::json!({"type": "custom-title", "customTitle": text}))
}

fn record(kind: &str, minute: u32, message: &serde_json::Value) -> String {
    let record = serde_json::json!({
        "type": kind,
        "message": message,
        "uuid": format!("u{minute}"),
        "timestamp": format!("2026-01-01T11:{minute:02}:00.000Z"),
        "cwd": "/work/here",
        "version": "2.1.0",
    });
    format!("{record}\n")
}

impl Machine {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let machine = Self {
            vault: Vault::new(root.path().join("data/vault")),
            facts: FactStore::new(root.path().join("data")),
            root,
        };
        fs::create_dir_all(machine.projects()).unwrap();
        machine
    }

    pub fn path(&self) -> &Path {
        self.root.path()
    }

    pub fn config(&self) -> PathBuf {
        self.root.path().join("config")
    }

    pub fn projects(&self) -> PathBuf {
        self.config().join("projects")
    }

    pub fn transcript(&self, slug: &str, session: SessionId) -> PathBuf {
        self.projects().join(slug).join(format!("{session}.jsonl"))
    }

    /// Writes a file and gives it a time an hour ago, so that it rests.
    pub fn write(&self, path: &Path, content: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self.rest(path, content.len() as i64);
    }

    pub fn append(&self, path: &Path, content: &str) {
        use std::io::Write;
        fs::OpenOptions::new()
            .append(true)
            .open(path)
            .unwrap()
            .write_all(content.as_bytes())
            .unwrap();
        let size = fs::metadata(path).unwrap().len();
        self.rest(path, size as i64);
    }

    fn rest(&self, path: &Path, salt: i64) {
        Effects::apply()
            .set_modified(path, FileTime::from_ms(NOW - 3_600_000 + salt % 1000))
            .unwrap();
    }

    pub fn catalogue_path(&self) -> PathBuf {
        self.root.path().join("cache/catalogue.sqlite")
    }

    pub fn open(&self) -> Catalogue {
        Catalogue::open(&self.catalogue_path(), &Effects::apply(), NOW).unwrap()
    }

    pub fn tombstones(&self) -> PathBuf {
        self.root.path().join("stones")
    }

    pub fn bury(&self, session: SessionId) {
        fs::create_dir_all(self.tombstones()).unwrap();
        let path = self.tombstones().join(".deleted");
        let mut content = fs::read_to_string(&path).unwrap_or_default();
        content.push_str(&format!("{session}\n"));
        fs::write(path, content).unwrap();
    }

    pub fn config_dirs(&self) -> Vec<ConfigDirectory> {
        vec![ConfigDirectory {
            path: self.config(),
            real: self.config(),
            origin: Origin::Option,
        }]
    }

    pub fn pass(&self) -> PassReport {
        self.try_pass(&mut self.open(), None, &|| false).unwrap()
    }

    /// A pass that copies everything.
    pub fn pass_and_keep(&self) -> PassReport {
        let keep = Keep {
            policy: KeepPolicy::All,
            limit: u64::MAX,
        };
        self.try_pass(&mut self.open(), Some(&keep), &|| false).unwrap()
    }

    pub fn try_pass(
        &self,
        catalogue: &mut Catalogue,
        keep: Option<&Keep>,
        should_stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<PassReport, sexton_index::IndexError> {
        let config_dirs = self.config_dirs();
        let request = PassRequest {
            config_dirs: &config_dirs,
            tombstone_dir: &self.tombstones(),
            archived: &BTreeSet::new(),
            facts: &self.facts,
            vault: &self.vault,
            keep,
            tool_output: true,
            now_ms: NOW,
            should_stop,
            progress: &|_| {},
        };
        pass::run(catalogue, &Effects::apply(), request)
    }

    pub fn search_with(&self, query: &str, change: impl FnOnce(&mut SearchRequest)) -> Answer {
        let tombstones = load_tombstones(&self.tombstones()).unwrap();
        let facts = self.facts.load().unwrap();
        let context = SearchContext {
            texts: Texts {
                vault: &self.vault,
                archives: &[],
            },
            tombstones: &tombstones,
            facts: &facts,
            names: &[],
            width: 60,
        };
        let mut request = SearchRequest {
            query: Query::parse(query),
            filter: Filter::default(),
            sort: Sort::Relevance,
            view: View::Messages,
            limit: 1000,
            now_ms: NOW,
        };
        change(&mut request);
        search(&self.open(), context, &request).unwrap()
    }

    /// Session, agent and line of every hit, sorted.
    pub fn found(&self, query: &str) -> Vec<(SessionId, Option<String>, u64)> {
        let answer = self.search_with(query, |_| {});
        let mut found: Vec<_> = answer
            .hits
            .into_iter()
            .map(|hit| (hit.session, hit.agent, hit.line))
            .collect();
        found.sort();
        found
    }

    /// The lines of one session's own hits.
    pub fn lines(&self, query: &str) -> Vec<u64> {
        self.found(query).into_iter().map(|(_, _, line)| line).collect()
    }
}

pub const PATIENCE: Duration = Duration::from_secs(60);
