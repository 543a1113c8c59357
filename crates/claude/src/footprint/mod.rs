//! Everything on disk that belongs to a session, and what must stay although it mentions one.
//!
//! The footprint goes along when a session is archived or deleted. Never part of it: `memory/`, `sessions/`, `agent-memory/`, settings
//! and credentials, and another session's directory. What is shared by several sessions is only mentioned ([`mentions`]).

mod mention;
mod side;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use sexton_register::SessionId;
use sexton_sys::FileIdentity;
use sexton_sys::listing::EntryKind;

use crate::config_dirs::ConfigDirectory;
use crate::projects::ProjectsListing;

pub use mention::{Mention, Mentions, mentions, plan_file};

/// One session's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Footprint {
    /// The session.
    pub session: SessionId,
    /// What would be moved as one: transcripts first, then the rest in the order of [`PartKind`], each by path.
    pub parts: Vec<FootprintPart>,
}

/// A file or directory that belongs to one session alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FootprintPart {
    /// What it is to the session.
    pub kind: PartKind,
    /// Where it is, by its configuration directory's own name.
    pub path: PathBuf,
    /// The index of that configuration directory.
    pub config_dir: usize,
    /// The file or directory itself and all that lies in it, parents before their children. Symlinks are entries, not followed.
    pub entries: Vec<FootprintEntry>,
}

/// What a part is to its session, by where it lies below the configuration directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PartKind {
    /// `projects/*/<uuid>.jsonl`.
    Transcript,
    /// `projects/*/<uuid>/`: subagents, tool results, workflows, the archived flag.
    SessionDirectory,
    /// `projects/*/<uuid>.orphaned-…jsonl`, `projects/*/<uuid>.jsonl.superseded-…`.
    SetAside,
    /// `file-history/<uuid>/`.
    FileHistory,
    /// `session-env/<uuid>/`.
    SessionEnvironment,
    /// `tasks/<uuid>/`.
    Tasks,
    /// `todos/<uuid>-*`.
    Todos,
    /// `debug/<uuid>.txt`.
    Debug,
    /// `uploads/<uuid>/`.
    Uploads,
    /// `image-cache/<uuid>/`.
    ImageCache,
    /// `dev-mods/<uuid>/`.
    DevMods,
}

/// One file, directory or link of a footprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FootprintEntry {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub kind: EntryKind,
    /// Its identity when it was looked at.
    pub identity: FileIdentity,
}

/// Footprints, and what couldn't be seen of them.
#[derive(Debug, Default)]
pub struct Footprints {
    /// By session. Everyone who was asked for is there, if need be without parts.
    pub sessions: BTreeMap<SessionId, Footprint>,
    /// Directories that couldn't be listed: something may be missing.
    pub problems: Vec<FootprintProblem>,
}

/// A place where something of a footprint may lie unseen.
#[derive(Debug, thiserror::Error)]
#[error("look at `{path}`: {source}")]
pub struct FootprintProblem {
    /// The place.
    pub path: PathBuf,
    /// The session whose part it is; `None` where it may concern any.
    pub session: Option<SessionId>,
    /// What the system said.
    pub source: io::Error,
}

impl Footprint {
    /// Bytes in its files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(FootprintPart::bytes).fold(0, u64::saturating_add)
    }

    /// How many files and links it has, directories not counted.
    #[must_use]
    pub fn files(&self) -> usize {
        let entries = self.parts.iter().flat_map(|part| &part.entries);
        entries.filter(|entry| entry.kind != EntryKind::Directory).count()
    }

    /// The parts of one kind.
    pub fn of_kind(&self, kind: PartKind) -> impl Iterator<Item = &FootprintPart> {
        self.parts.iter().filter(move |part| part.kind == kind)
    }
}

impl FootprintPart {
    /// Bytes in its files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.entries
            .iter()
            .filter(|entry| entry.kind == EntryKind::File)
            .map(|entry| entry.identity.size)
            .fold(0, u64::saturating_add)
    }

    /// Its path below its configuration directory, by which it can be put back.
    #[must_use]
    pub fn relative_path<'a>(&'a self, config_dirs: &[ConfigDirectory]) -> Option<&'a Path> {
        let config_dir = config_dirs.get(self.config_dir)?;
        self.path.strip_prefix(&config_dir.path).ok()
    }
}

/// The footprints of `sessions`: one listing of each side directory, however many sessions there are, and a walk through each part.
///
/// `projects` is the listing of the same configuration directories. Side directories that several of them share are looked at once.
#[must_use]
pub fn footprints(
    config_dirs: &[ConfigDirectory],
    projects: &ProjectsListing,
    sessions: impl IntoIterator<Item = SessionId>,
) -> Footprints {
    let sessions: BTreeSet<SessionId> = sessions.into_iter().collect();
    let mut places = Places::default();
    for session in &sessions {
        places.add_projects(projects, *session);
    }
    let mut problems = Vec::new();
    side::add_places(config_dirs, &sessions, &mut places, &mut problems);
    let mut found = Footprints {
        sessions: BTreeMap::new(),
        problems,
    };
    for session in sessions {
        let mut places = places.0.remove(&session).unwrap_or_default();
        places.sort_unstable();
        let parts = places
            .into_iter()
            .filter_map(|place| part(place, session, &mut found.problems))
            .collect();
        found.sessions.insert(session, Footprint { session, parts });
    }
    found
}

/// Where the parts of each session lie, without a look into them: the listings of [`footprints`] and no walk.
#[must_use]
pub fn footprint_paths(
    config_dirs: &[ConfigDirectory],
    projects: &ProjectsListing,
    sessions: impl IntoIterator<Item = SessionId>,
) -> BTreeMap<SessionId, Vec<PathBuf>> {
    let sessions: BTreeSet<SessionId> = sessions.into_iter().collect();
    let mut places = Places::default();
    for session in &sessions {
        places.add_projects(projects, *session);
    }
    side::add_places(config_dirs, &sessions, &mut places, &mut Vec::new());
    let paths = |places: Vec<Place>| places.into_iter().map(|(_, path, _)| path).collect();
    let found = places.0.into_iter();
    found.map(|(session, places)| (session, paths(places))).collect()
}

fn part(
    (kind, path, config_dir): Place,
    session: SessionId,
    problems: &mut Vec<FootprintProblem>,
) -> Option<FootprintPart> {
    let entries = walk::entries(&path, &mut |path, source| {
        problems.push(FootprintProblem {
            path: path.to_path_buf(),
            session: Some(session),
            source,
        });
    });
    // Gone between the listing and the look.
    (!entries.is_empty()).then_some(FootprintPart {
        kind,
        path,
        config_dir,
        entries,
    })
}

/// A part's kind, path and configuration directory.
type Place = (PartKind, PathBuf, usize);

/// Where the parts of each session lie.
#[derive(Default)]
struct Places(BTreeMap<SessionId, Vec<Place>>);

impl Places {
    fn add(&mut self, session: SessionId, place: Place) {
        self.0.entry(session).or_default().push(place);
    }

    fn add_projects(&mut self, projects: &ProjectsListing, session: SessionId) {
        for file in projects.transcripts_of(&session) {
            self.add(session, (PartKind::Transcript, file.path.clone(), file.config_dir));
        }
        for (kind, found) in [
            (PartKind::SessionDirectory, projects.session_directories_of(&session)),
            (PartKind::SetAside, projects.set_aside_of(&session)),
        ] {
            for found in found {
                self.add(session, (kind, found.path.clone(), found.config_dir));
            }
        }
    }
}
