//! Which transcripts there are: a plain listing of `<config directory>/projects/*/`.
//!
//! One reading of each directory, no patterns, no following of links but those of `projects` itself and its project directories, and no
//! stat of a transcript. Directories that several configuration directories share are listed once, by real path, for the first of them.
//! The name of a project directory is never decoded: it is lossy, and the real directory stands in the records.

mod listing;
mod name;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use sexton_register::SessionId;
use sexton_sys::FileIdentity;
use sexton_sys::listing::EntryKind;

pub use listing::list_projects;
pub(crate) use name::{ProjectName, split_session};

/// Everything that lies in the project directories.
#[derive(Debug, Default)]
pub struct ProjectsListing {
    /// The `projects` directories, in the order of their configuration directories.
    pub roots: Vec<ProjectsRoot>,
    /// The project directories in them.
    pub directories: Vec<ProjectDirectory>,
    /// The transcripts, by session and then path: one session can have several.
    pub transcripts: Vec<TranscriptFile>,
    /// Files that the client set aside, by session and then path.
    pub set_aside: Vec<SessionPath>,
    /// Sessions' own directories, by session and then path.
    pub session_directories: Vec<SessionPath>,
    /// `*.jsonl` files that are no session's transcript.
    pub foreign: Vec<ForeignFile>,
}

/// Whether a directory could be listed. Only what is missing from a listed one is known to be gone.
#[derive(Debug)]
pub enum Listed {
    /// It was.
    Yes,
    /// It isn't there.
    Absent,
    /// It is, and couldn't be read.
    Failed(io::Error),
}

impl Listed {
    /// Whether everything in the directory was seen.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        matches!(self, Self::Yes)
    }

    fn of<T>(result: io::Result<T>) -> (Self, Option<T>) {
        match result {
            Ok(value) => (Self::Yes, Some(value)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (Self::Absent, None),
            Err(error) => (Self::Failed(error), None),
        }
    }
}

/// A `projects` directory.
#[derive(Debug)]
pub struct ProjectsRoot {
    /// `<config directory>/projects`, by the name of the first configuration directory that reaches it.
    pub path: PathBuf,
    /// The same directory by the names of the others, and its real path.
    pub aliases: Vec<PathBuf>,
    /// The index of its configuration directory.
    pub config_dir: usize,
    /// Whether its project directories are known.
    pub listed: Listed,
}

/// A project directory.
#[derive(Debug)]
pub struct ProjectDirectory {
    /// `<config directory>/projects/<slug>`.
    pub path: PathBuf,
    /// The index of its configuration directory.
    pub config_dir: usize,
    /// Whether its content is known.
    pub listed: Listed,
}

/// A transcript, by its name alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TranscriptFile {
    /// The session, by the file's stem.
    pub session: SessionId,
    /// The file.
    pub path: PathBuf,
    /// The index of the configuration directory that owns it.
    pub config_dir: usize,
    /// Whether the file itself is a symlink: it can be read, and nothing else should be done with it.
    pub is_symlink: bool,
    /// The index of its project directory in [`ProjectsListing::directories`].
    pub directory: usize,
}

impl TranscriptFile {
    /// The identity of the file now; that of the link if it is one.
    pub fn identity(&self) -> io::Result<FileIdentity> {
        FileIdentity::at(&self.path)
    }

    /// The directory that holds the file; its last component is the project's label.
    #[must_use]
    pub fn project_directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }
}

/// Something in a project directory that belongs to a session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionPath {
    /// The session.
    pub session: SessionId,
    /// The file or directory.
    pub path: PathBuf,
    /// The index of the configuration directory that owns it.
    pub config_dir: usize,
}

/// A `*.jsonl` in a project directory that is no transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignFile {
    /// The file.
    pub path: PathBuf,
    /// Its name without `.jsonl`, by which alone it can be addressed; may be empty.
    pub stem: OsString,
    /// What it is; a directory or FIFO with a transcript's name is foreign, too.
    pub kind: EntryKind,
    /// The index of its configuration directory.
    pub config_dir: usize,
}

impl ProjectsListing {
    /// The transcripts of one session; several if copies of it lie in several project directories.
    #[must_use]
    pub fn transcripts_of(&self, session: &SessionId) -> &[TranscriptFile] {
        equal_range(&self.transcripts, |file| file.session.cmp(session))
    }

    /// What the client set aside for one session.
    #[must_use]
    pub fn set_aside_of(&self, session: &SessionId) -> &[SessionPath] {
        equal_range(&self.set_aside, |path| path.session.cmp(session))
    }

    /// The directories of one session.
    #[must_use]
    pub fn session_directories_of(&self, session: &SessionId) -> &[SessionPath] {
        equal_range(&self.session_directories, |path| path.session.cmp(session))
    }

    /// Whether this pass would have seen a transcript at `path`, so that its absence means that it is gone.
    ///
    /// Its `projects` directory must have been listed, and its project directory too or not exist. Whatever lies elsewhere, in an
    /// unknown profile or on a disk that isn't mounted, is not gone.
    #[must_use]
    pub fn would_have_seen(&self, path: &Path) -> bool {
        let Some(directory) = path.parent() else { return false };
        let Some((root, slug)) = directory.parent().zip(directory.file_name()) else {
            return false;
        };
        self.roots
            .iter()
            .filter(|known| known.path == root || known.aliases.iter().any(|alias| alias == root))
            .any(|known| {
                let directory = known.path.join(slug);
                known.listed.is_complete()
                    && self
                        .directories
                        .iter()
                        .filter(|listed| listed.path == directory)
                        .all(|listed| listed.listed.is_complete())
            })
    }
}

fn equal_range<T>(sorted: &[T], compare: impl Fn(&T) -> std::cmp::Ordering) -> &[T] {
    let start = sorted.partition_point(|item| compare(item).is_lt());
    let length = sorted[start..].partition_point(|item| compare(item).is_eq());
    &sorted[start..start + length]
}
