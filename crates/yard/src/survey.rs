//! What lies on the machine when a plan is made, as the caller has found it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sexton_claude::config_dirs::ConfigDirectory;
use sexton_claude::footprint::footprint_paths;
use sexton_claude::projects::{ProjectsListing, TranscriptFile, list_projects};
use sexton_register::SessionId;
use sexton_sys::FileTime;

use crate::facts::{Facts, SessionFacts};
use crate::item::{ItemError, ItemId};
use crate::transfer::Ground;

/// The facts that plans are made from. Nothing here is looked up twice: a plan scans no directory that the caller has listed.
pub struct Survey<'a> {
    /// The config directories, in order of precedence.
    pub config_dirs: &'a [ConfigDirectory],
    /// The listing of their projects.
    pub projects: &'a ProjectsListing,
    /// Where archived sessions lie: `<config directory>/archive` of each, and any other that is used.
    pub archives: &'a [PathBuf],
    /// Sessions that have no transcript in the projects tree or in an archive, but are still known.
    pub retained: &'a [Retained],
    /// Paths outside the config directory that go along with a session into the trash, such as the vault's copy.
    pub along: &'a dyn Fn(&SessionId) -> Vec<PathBuf>,
    /// Answers what filters and plans ask.
    pub facts: &'a dyn Facts,
}

/// A session without a transcript, of which the index or the vault still knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retained {
    /// The session.
    pub session: SessionId,
    /// Where its transcript was.
    pub transcript: PathBuf,
    /// When that was last modified, if it is known.
    pub modified: Option<FileTime>,
    /// What is known of it.
    pub facts: SessionFacts,
}

impl Survey<'_> {
    /// How many sessions there are in all: those with a transcript, and the retained ones.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.by_session().len() + self.retained.len()
    }

    /// The transcripts of each session.
    pub(crate) fn by_session(&self) -> BTreeMap<SessionId, Vec<&TranscriptFile>> {
        let mut sessions: BTreeMap<SessionId, Vec<&TranscriptFile>> = BTreeMap::new();
        for file in &self.projects.transcripts {
            sessions.entry(file.session).or_default().push(file);
        }
        sessions
    }

    /// The projects root that `path` lies below.
    pub(crate) fn projects_root(&self, path: &Path) -> PathBuf {
        let root = self.projects.roots.iter().find(|root| path.starts_with(&root.path));
        root.map(|root| root.path.clone()).unwrap_or_default()
    }
}

/// The ground as it lies in these config directories now.
pub(crate) struct ClaudeGround<'a> {
    pub(crate) config_dirs: &'a [ConfigDirectory],
}

impl Ground for ClaudeGround<'_> {
    fn tops(&self, items: &[ItemId]) -> Result<BTreeMap<ItemId, Vec<PathBuf>>, ItemError> {
        let projects = list_projects(self.config_dirs);
        let sessions: Vec<SessionId> = items.iter().filter_map(ItemId::session).copied().collect();
        let found = footprint_paths(self.config_dirs, &projects, sessions).into_iter();
        Ok(found.map(|(session, paths)| (session.into(), paths)).collect())
    }
}
