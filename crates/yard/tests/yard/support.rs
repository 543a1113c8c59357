//! A machine with sessions on it, and the yard over it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sexton_claude::cleanup::CleanupPeriod;
use sexton_claude::config_dirs::{ConfigDirectories, ConfigDirectory};
use sexton_claude::projects::{ProjectsListing, list_projects};
use sexton_register::SessionId;
use sexton_sys::{Effects, Environment, FixedClock};
use sexton_testkit::{Footprint, NOW_MS, Transcript};
use sexton_yard::archive::{ArchiveError, ArchivePlan, ArchiveRequest, plan_archive};
use sexton_yard::facts::FileFacts;
use sexton_yard::filter::DeleteOptions;
use sexton_yard::gate::{Gate, Verdict, Vouched};
use sexton_yard::item::Applied;
use sexton_yard::restore::{From, RestoreError, RestoreOptions, RestorePlan, find_sources, plan_restore};
use sexton_yard::trash::{TrashListing, list_trash, trash_roots};
use sexton_yard::{DeletePlan, Retained, Survey, Yard, YardError, load_tombstones, plan_delete};

/// Nobody lives.
pub(crate) const NOBODY: fn(&SessionId) -> Verdict = |_| Verdict::Free;

pub(crate) struct World {
    pub(crate) root: PathBuf,
    pub(crate) config: PathBuf,
    pub(crate) data: PathBuf,
    pub(crate) stones: PathBuf,
    pub(crate) clock: FixedClock,
    /// How many sessions a scenario is about.
    pub(crate) crew: u128,
    config_dirs: ConfigDirectories,
    directory_to_drop: Option<tempfile::TempDir>,
}

/// Tells what goes along with a session.
type Along = Box<dyn Fn(&SessionId) -> Vec<PathBuf>>;

/// What a plan is made from, owned.
pub(crate) struct Ground<'a> {
    config_dirs: &'a [ConfigDirectory],
    projects: ProjectsListing,
    archives: Vec<PathBuf>,
    pub(crate) retained: Vec<Retained>,
    pub(crate) along: Along,
}

impl World {
    pub(crate) fn new() -> Self {
        let directory = in_memory();
        let mut world = Self::at(directory.path(), &directory.path().join("data"));
        world.directory_to_drop = Some(directory);
        world
    }

    /// A world in directories that outlive this value.
    pub(crate) fn at(root: &Path, data: &Path) -> Self {
        let config = root.join(".claude");
        fs::create_dir_all(&config).unwrap();
        let config_dirs = ConfigDirectories::only(&Environment::default(), std::slice::from_ref(&config)).unwrap();
        Self {
            root: root.to_path_buf(),
            data: data.to_path_buf(),
            stones: root.join("stones"),
            clock: FixedClock::at_ms(NOW_MS),
            crew: 2,
            config_dirs,
            config,
            directory_to_drop: None,
        }
    }

    /// A session with a conversation and every kind of side file.
    pub(crate) fn plant(&self, number: u128) -> (SessionId, Footprint) {
        let (session, path) = self.plant_transcript(number);
        (session, Footprint::plant(&self.config, &path))
    }

    /// A session with a part of every shape: a file beside the transcript, a directory, a file and a directory elsewhere.
    pub(crate) fn plant_small(&self, number: u128) -> SessionId {
        let (session, path) = self.plant_transcript(number);
        let subagents = path.with_extension("").join("subagents");
        fs::create_dir_all(&subagents).unwrap();
        fs::write(subagents.join("agent-1.jsonl"), "{}\n").unwrap();
        let history = self.config.join("file-history").join(session.as_str());
        fs::create_dir_all(&history).unwrap();
        fs::write(history.join("1@v1"), "old\n").unwrap();
        let todos = self.config.join("todos");
        fs::create_dir_all(&todos).unwrap();
        fs::write(todos.join(format!("{session}-agent-1.json")), "[]").unwrap();
        fs::create_dir_all(path.parent().unwrap().join("memory")).unwrap();
        fs::write(path.parent().unwrap().join("memory/MEMORY.md"), "remember\n").unwrap();
        session
    }

    /// A session with nothing but its transcript.
    pub(crate) fn plant_transcript(&self, number: u128) -> (SessionId, PathBuf) {
        let session = id(number);
        let path = Transcript::new(session.as_str())
            .conversation("mend the parser", "It is mended.")
            .write(&self.config);
        (session, path)
    }

    /// What a client that ends late leaves under the id of a session.
    pub(crate) fn leave_stub(&self, session: SessionId) -> PathBuf {
        Transcript::new(session.as_str()).cost_state().write(&self.config)
    }

    pub(crate) fn transcript(&self, session: SessionId) -> PathBuf {
        Transcript::new(session.as_str()).path(&self.config)
    }

    pub(crate) fn archived_transcript(&self, session: SessionId) -> PathBuf {
        self.config.join("archive").join(format!("{session}.jsonl"))
    }

    pub(crate) fn yard<'a>(&'a self, effects: &'a Effects, gate: &'a dyn Gate) -> Yard<'a> {
        Yard {
            effects,
            clock: &self.clock,
            gate,
            data: self.data.clone(),
            tombstones: self.stones.clone(),
            // Other tests start processes, which hold what we hold until they become another program.
            patience: Duration::from_secs(30),
            along_lock: Some(self.root.join("vault/lock")),
        }
    }

    pub(crate) fn ground(&self) -> Ground<'_> {
        let config_dirs = self.config_dirs.as_slice();
        Ground {
            projects: list_projects(config_dirs),
            config_dirs,
            archives: vec![self.config.join("archive")],
            retained: Vec::new(),
            along: Box::new(|_| Vec::new()),
        }
    }

    pub(crate) fn trash(&self) -> TrashListing {
        let archive = self.config.join("archive");
        list_trash(&trash_roots(&self.data, [self.config.as_path(), &archive]))
    }

    pub(crate) fn tombstones(&self) -> BTreeSet<String> {
        load_tombstones(&self.stones)
            .unwrap()
            .iter()
            .map(str::to_owned)
            .collect()
    }

    pub(crate) fn is_tombstoned(&self, session: SessionId) -> bool {
        self.tombstones().contains(session.as_str())
    }

    pub(crate) fn plan_delete(&self, yard: &Yard<'_>, sessions: &[SessionId]) -> DeletePlan {
        plan_delete(yard, &self.ground().survey(), &by_id(sessions)).unwrap()
    }

    pub(crate) fn delete(&self, yard: &Yard<'_>, sessions: &[SessionId]) -> Applied {
        self.plan_delete(yard, sessions)
            .apply(yard, &self.ground().survey())
            .unwrap()
    }

    pub(crate) fn archive(&self, yard: &Yard<'_>, sessions: &[SessionId]) -> Applied {
        self.try_archive(yard, sessions).unwrap()
    }

    pub(crate) fn try_archive(&self, yard: &Yard<'_>, sessions: &[SessionId]) -> Result<Applied, YardError> {
        let requests: Vec<_> = sessions.iter().map(|id| ArchiveRequest::Id(id.to_string())).collect();
        let plan = self.plan_archive(yard, &requests).unwrap();
        assert!(plan.refused.is_empty(), "{:?}", plan.refused);
        plan.apply(yard, &self.ground().survey())
    }

    /// Into the config directory's own archive.
    pub(crate) fn plan_archive(
        &self,
        yard: &Yard<'_>,
        requests: &[ArchiveRequest],
    ) -> Result<ArchivePlan, ArchiveError> {
        plan_archive(yard, &self.ground().survey(), requests, None, &Vouched::nobody())
    }

    pub(crate) fn plan_restore(&self, yard: &Yard<'_>, session: SessionId) -> RestorePlan {
        self.try_plan_restore(yard, session.as_str(), None).unwrap()
    }

    /// From the only place that has it, or from the one that is asked for.
    pub(crate) fn try_plan_restore(
        &self,
        yard: &Yard<'_>,
        text: &str,
        from: Option<From>,
    ) -> Result<RestorePlan, RestoreError> {
        let (ground, options) = (self.ground(), keeping_times());
        let source = find_sources(text, &self.trash(), &ground.archives, &[])?.choose(from)?;
        plan_restore(yard, &ground.survey(), &source, None, &options, &Vouched::nobody())
    }

    pub(crate) fn restore(&self, yard: &Yard<'_>, session: SessionId) -> Applied {
        self.plan_restore(yard, session).apply(yard).unwrap()
    }
}

impl Ground<'_> {
    pub(crate) fn archives(&self) -> Vec<PathBuf> {
        self.archives.clone()
    }

    pub(crate) fn survey(&self) -> Survey<'_> {
        Survey {
            config_dirs: self.config_dirs,
            projects: &self.projects,
            archives: &self.archives,
            retained: &self.retained,
            along: &*self.along,
            facts: &FileFacts,
        }
    }
}

/// Thousands of directories are made, and nothing here asks what a disk would remember: in memory, where there is such a place.
pub(crate) fn in_memory() -> tempfile::TempDir {
    let made = tempfile::tempdir_in("/dev/shm");
    made.or_else(|_| tempfile::tempdir()).unwrap()
}

pub(crate) fn id(number: u128) -> SessionId {
    // The first eight characters differ, so that prefixes address.
    SessionId::from_u128((number << 96) | 0x4000_8000_0000_0000_0000 | number)
}

pub(crate) fn by_id(sessions: &[SessionId]) -> DeleteOptions {
    DeleteOptions {
        sessions: sessions.iter().map(ToString::to_string).collect(),
        ..DeleteOptions::default()
    }
}

pub(crate) fn keeping_times() -> RestoreOptions {
    RestoreOptions {
        from: None,
        keep_mtime: true,
        cleanup: CleanupPeriod { days: 30, source: None },
    }
}

/// Fails with all that is known unless every item is done.
#[track_caller]
pub(crate) fn assert_done(applied: &Applied) {
    assert!(applied.is_complete() && applied.problems.is_empty(), "{applied:?}");
}
