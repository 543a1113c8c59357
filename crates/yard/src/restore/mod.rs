//! Restore: back to where it was, from the trash, an archive, or a copy of the vault's that the caller has extracted.

mod layout;
mod plan;
mod scratch;
mod source;

use std::path::PathBuf;

use sexton_claude::cleanup::CleanupPeriod;
use sexton_claude::config_dirs::ConfigDirectory;

use crate::item::{Applied, ItemError, ItemId};
use crate::journal::OperationId;
use crate::survey::ClaudeGround;
use crate::transfer::{Operation, SyncSet, Transfer, run};
use crate::yard::{Yard, YardError};

pub(crate) use plan::Planning;
pub use plan::{plan_restore, plan_restores};
pub(crate) use scratch::is_copy;
pub use scratch::{Scratch, abandoned, clear_abandoned, extracted_in};
pub use source::{Extracted, Source, Sources, find_sources};

/// Why a restore could not be planned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// No session in trash, archive or vault is addressed by this.
    #[error("find session `{}`: neither trash nor archive nor vault has it", .0.escape_debug())]
    NotFound(String),
    /// Several sessions begin with this.
    #[error("find session `{}`: it is the beginning of {}", .prefix.escape_debug(), .matches.join(", "))]
    Ambiguous {
        /// What was asked for.
        prefix: String,
        /// The full ids.
        matches: Vec<String>,
    },
    /// It has a transcript where it would come back to.
    #[error("restore `{id}`: {} there already, `{}`", if *.standing == Standing::Other { "another transcript of it is" } else { "it is" }, .path.display())]
    Present {
        /// Which one.
        id: ItemId,
        /// The transcript.
        path: PathBuf,
        /// What it holds.
        standing: Standing,
        /// Where that would come from.
        from: From,
    },
    /// More than one place has it.
    #[error("restore `{id}`: {} have it; say which", .sources.join(" and "))]
    SeveralSources {
        /// Which one.
        id: ItemId,
        /// The words for the places.
        sources: Vec<String>,
    },
    /// The chosen place does not have it.
    #[error("restore `{id}`: {from} does not have it")]
    NotThere {
        /// Which one.
        id: ItemId,
        /// The word for the place.
        from: &'static str,
    },
    /// Nothing tells where it was: another tool has archived it.
    #[error("restore `{0}`: nothing tells which project it came from")]
    UnknownOrigin(ItemId),
    /// A power cut has left nothing of its manifest, and it could come from several config directories.
    #[error("restore `{id}`: its manifest `{}` is empty, and nothing else tells which configuration directory it came from", .manifest.display())]
    BlankManifest {
        /// Which one.
        id: ItemId,
        /// The manifest.
        manifest: PathBuf,
    },
    /// The config directory it came from is gone, or its disk is not mounted.
    #[error("restore `{id}`: `{}`, where it was, is not there", .base.display())]
    BaseGone {
        /// Which one.
        id: ItemId,
        /// The config directory or archive.
        base: PathBuf,
    },
    /// A manifest names a path that no manifest of ours does.
    #[error("restore `{id}`: its manifest names `{}`", .path.display())]
    Unsound {
        /// Which one.
        id: ItemId,
        /// The path.
        path: PathBuf,
    },
    /// One session can't be restored.
    #[error("restore `{id}`: {source}")]
    Item {
        /// Which one.
        id: ItemId,
        /// Why.
        source: ItemError,
    },
    /// The operation can't be named, or the tombstones can't be read.
    #[error(transparent)]
    Yard(#[from] YardError),
}

/// How a transcript that is there stands to the one that would come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// Both hold the same.
    Same,
    /// It begins with what would come back, and goes on.
    Further,
    /// It holds something else, or less; or can't be compared.
    Other,
}

/// Which place a session is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum From {
    /// The trash; of several generations the newest.
    Trash,
    /// An archive.
    Archive,
    /// The vault's copy.
    Vault,
}

impl From {
    /// The word for it, as on a command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Trash => "trash",
            Self::Archive => "archive",
            Self::Vault => "vault",
        }
    }
}

/// How a session comes back.
#[derive(Debug, Clone)]
pub struct RestoreOptions {
    /// The place to take it from; `None` if there is only one.
    pub from: Option<From>,
    /// Leaves modification times as they were, even where Claude Code's next cleanup would take the files for old.
    pub keep_mtime: bool,
    /// How long the client keeps files.
    pub cleanup: CleanupPeriod,
}

/// What will be restored. Applied once, by value.
#[derive(Debug)]
pub struct RestorePlan {
    /// Which session.
    pub id: ItemId,
    /// From where.
    pub from: From,
    /// Where each path goes.
    pub moves: Vec<(PathBuf, PathBuf)>,
    /// The paths that get the present as their modification time, or Claude Code's next cleanup would remove them.
    pub refreshed: Vec<PathBuf>,
    /// What a client left behind under the id meanwhile: it makes room, and goes into the trash.
    pub stub: Vec<PathBuf>,
    /// Whether the tombstone is lifted.
    pub lifts_tombstone: bool,
    operation: OperationId,
    config_dirs: Vec<ConfigDirectory>,
    transfer: Transfer,
    /// The directory of an extracted copy, which is left empty.
    extracted: Option<PathBuf>,
}

impl RestorePlan {
    /// Brings back what the plan shows, the transcript last, then lifts the tombstone.
    pub fn apply(self, yard: &Yard<'_>) -> Result<Applied, YardError> {
        apply_all(vec![self], yard)
    }
}

/// Applies several plans as one operation, which one undo takes back.
pub fn apply_all(plans: Vec<RestorePlan>, yard: &Yard<'_>) -> Result<Applied, YardError> {
    apply_as(plans, yard, None)
}

pub(crate) fn apply_as(
    plans: Vec<RestorePlan>,
    yard: &Yard<'_>,
    undoes: Option<OperationId>,
) -> Result<Applied, YardError> {
    let Some(first) = plans.first() else {
        return Ok(Applied::default());
    };
    // A second transcript anywhere would make the session impossible to resume.
    let config_dirs: Vec<ConfigDirectory> = first.config_dirs.clone();
    let ground = ClaudeGround {
        config_dirs: &config_dirs,
    };
    let operation = Operation {
        id: Some(first.operation.clone()),
        undoes,
        ground: Some(&ground),
        ..Operation::default()
    };
    let (transfers, extracted): (Vec<_>, Vec<_>) =
        plans.into_iter().map(|plan| (plan.transfer, plan.extracted)).unzip();
    let mut applied = run(yard, operation, transfers)?;
    let mut syncs = SyncSet::default();
    for directory in extracted.into_iter().flatten() {
        if let Err(error) = crate::trash::remove_empty(yard.effects, &directory, &mut syncs) {
            applied.problems.push(error.to_string());
        }
    }
    Ok(applied)
}
