//! Archive: out of the projects tree, beyond the reach of Claude Code's own cleanup, as whole sessions.
//!
//! `<archive>/<id>.jsonl` is the transcript, `<archive>/<id>/` the session's directory, `<archive>/<id>.sexton/` the manifest and the
//! rest of the footprint by its path below the config directory.

mod known;
mod list;
mod place;
mod plan;

use std::path::PathBuf;

use crate::item::{ItemError, ItemId};
use crate::yard::YardError;

pub(crate) use known::remember;
pub use known::{ArchivesError, KnownArchives};
pub use list::{ArchivedSession, blank_manifests, list_archive};
pub(crate) use list::{archived, tidy_archive};
pub(crate) use place::{manifest_path, transcript_path, unlisted};
pub use plan::{ArchiveItem, ArchivePlan, ArchiveRequest, archive_directory, plan_archive};

/// Why an archive could not be planned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// No session is addressed by this.
    #[error("find session `{}`: there is none", .0.escape_debug())]
    NotFound(String),
    /// Several sessions begin with this.
    #[error("find session `{}`: it is the beginning of {}", .prefix.escape_debug(), .matches.join(", "))]
    Ambiguous {
        /// What was asked for.
        prefix: String,
        /// The full ids.
        matches: Vec<String>,
    },
    /// A path that is no session's transcript.
    #[error("archive `{}`: it is no session's transcript", .0.display())]
    NoTranscript(PathBuf),
    /// An archive below `projects/` is where Claude Code removes old files.
    #[error("archive into `{}`: Claude Code removes old files there", .0.display())]
    InsideProjects(PathBuf),
    /// Without a config directory there is no archive directory either.
    #[error("archive `{0}`: no archive directory is known")]
    NoDirectory(ItemId),
    /// One session can't be archived.
    #[error("archive `{id}`: {source}")]
    Item {
        /// Which one.
        id: ItemId,
        /// Why.
        source: ItemError,
    },
    /// The operation can't be named.
    #[error(transparent)]
    Yard(#[from] YardError),
}
