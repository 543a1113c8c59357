//! A machine with one config directory, an index, and a few ways to write transcripts.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

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

/// Session, subagent and line of a hit.
pub type Place = (SessionId, Option<String>, u64);

pub struct Machine {
    root: PathBuf,
    /// Removes the directory in the end; a child process borrows its parent's.
    own: Option<tempfile::TempDir>,
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

/// Gives a file a time of an hour and `salt` milliseconds ago.
pub fn touch(path: &Path, salt: i64) {
    Effects::apply()
        .set_modified(path, FileTime::from_ms(NOW - 3_600_000 - salt))
        .unwrap();
}

impl Machine {
    pub fn new() -> Self {
        let own = tempfile::tempdir().unwrap();
        let mut machine = Self::at(own.path());
        machine.own = Some(own);
        fs::create_dir_all(machine.projects()).unwrap();
        machine
    }

    /// The machine that a parent process has made at `root`.
    pub fn at(root: &Path) -> Self {
        Self {
            vault: Vault::new(root.join("data/vault")),
            facts: FactStore::new(root.join("data")),
            root: root.to_path_buf(),
            own: None,
        }
    }

    pub fn path(&self) -> &Path {
        &self.root
    }

    pub fn config(&self) -> PathBuf {
        self.root.join("config")
    }

    pub fn projects(&self) -> PathBuf {
        self.config().join("projects")
    }

    pub fn transcript(&self, slug: &str, session: SessionId) -> PathBuf {
        self.projects().join(slug).join(format!("{session}.jsonl"))
    }

    /// Writes a file and gives it a time an hour ago, so that it rests.
    #[expect(clippy::unused_self, reason = "reads better where a machine is arranged")]
    pub fn write(&self, path: &Path, content: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        touch(path, i64::try_from(content.len()).unwrap() % 1000);
    }

    #[expect(clippy::unused_self, reason = "reads better where a machine is arranged")]
    pub fn append(&self, path: &Path, content: &str) {
        use std::io::Write;
        fs::OpenOptions::new()
            .append(true)
            .open(path)
            .unwrap()
            .write_all(content.as_bytes())
            .unwrap();
        let size = fs::metadata(path).unwrap().len();
        touch(path, i64::try_from(size).unwrap() % 1000);
    }

    pub fn catalogue_path(&self) -> PathBuf {
        self.root.join("cache/catalogue.sqlite")
    }

    pub fn open(&self) -> Catalogue {
        Catalogue::open(&self.catalogue_path(), &Effects::apply(), NOW).unwrap()
    }

    pub fn tombstones(&self) -> PathBuf {
        self.root.join("stones")
    }

    pub fn bury(&self, session: SessionId) {
        fs::create_dir_all(self.tombstones()).unwrap();
        let path = self.tombstones().join(".deleted");
        let mut content = fs::read_to_string(&path).unwrap_or_default();
        content.push_str(session.as_str());
        content.push('\n');
        fs::write(path, content).unwrap();
    }

    pub fn config_dirs(&self) -> Vec<ConfigDirectory> {
        vec![ConfigDirectory {
            path: self.config(),
            real: self.config(),
            origin: Origin::Option,
        }]
    }

    /// A pass, and another that finds nothing to do and writes that down: what a test changes afterwards must be noticed all the same.
    pub fn pass(&self) -> PassReport {
        let pass = || self.try_pass(&mut self.open(), None, &|| false).unwrap();
        let report = pass();
        pass();
        report
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
        self.try_pass_through(&Effects::apply(), catalogue, keep, should_stop)
    }

    pub fn try_pass_through(
        &self,
        effects: &Effects,
        catalogue: &mut Catalogue,
        keep: Option<&Keep>,
        should_stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<PassReport, sexton_index::IndexError> {
        let config_dirs = self.config_dirs();
        let request = PassRequest {
            config_dirs: &config_dirs,
            tombstone_dir: &self.tombstones(),
            archived: &BTreeMap::new(),
            facts: &self.facts,
            vault: &self.vault,
            keep,
            tool_output: true,
            now_ms: NOW,
            waits: false,
            should_stop,
            should_stop_copying: should_stop,
            progress: &|_| {},
        };
        pass::run(catalogue, effects, request)
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
    pub fn found(&self, query: &str) -> Vec<Place> {
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
