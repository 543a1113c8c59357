//! Delete: into the trash, behind a filter gate, tombstoned before anything moves.
//!
//! [`plan_delete`] looks and changes nothing; the plan is what a person confirms and what [`DeletePlan::apply`] does, item by item, each
//! checked again at the moment it is touched. There is no second scan.

mod apply;
mod layout;
mod output;
mod plan;
mod select;

use std::path::PathBuf;

use sexton_sys::FileTime;

use crate::facts::SessionFacts;
use crate::item::{ItemError, ItemId};
use crate::journal::OperationId;
use crate::transfer::Transfer;
use crate::yard::YardError;

pub use apply::PurgePreview;
pub use output::{PlanItemOutput, PlanOutput, RefusedOutput};
pub use plan::plan_delete;

/// Why a delete could not be planned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeleteError {
    /// No filter is set; `ErrNoFilter` in the reference implementation.
    #[error("refusing to delete all sessions: set at least one filter")]
    NoFilter,
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
    /// The operation can't be named.
    #[error(transparent)]
    Yard(#[from] YardError),
}

/// One session that a delete takes; `PlanItem` in the reference implementation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanItem {
    /// The session, or the stem of what is none.
    pub id: ItemId,
    /// Its transcripts: one, or several copies of one id; empty for a retained session.
    pub paths: Vec<PathBuf>,
    /// The project's label: the name of the directory that holds the (first) transcript.
    pub project: String,
    /// Bytes of the transcripts.
    pub bytes: u64,
    /// Non-blank lines of the transcript, where they were counted or are known.
    pub messages: Option<u64>,
    /// When the transcript's file was last modified.
    pub modified: Option<FileTime>,
    /// Files and symlinks of the whole footprint, with what goes along.
    pub footprint_files: u64,
    /// Bytes in the regular files of all that.
    pub footprint_bytes: u64,
    /// Everything that moves.
    pub footprint: Vec<PathBuf>,
    /// Title, directory, last activity, whether it is routine.
    pub facts: SessionFacts,
    /// Where it is taken from.
    pub place: Place,
}

/// Where a session is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The projects tree.
    Projects,
    /// An archive; only when it is named.
    Archive,
    /// It has no transcript any more: the vault's copy and the index rows.
    Retained,
    /// The projects tree, where a client left something behind under the id of a session that was put away.
    Stub,
}

/// A session that a filter meets or a person named, and that stays.
#[derive(Debug)]
pub struct Refused {
    /// Which one.
    pub id: ItemId,
    /// Why.
    pub error: ItemError,
    /// Whether it was named, which makes the refusal a failure; one that a filter met is merely left out.
    pub named: bool,
}

/// What a delete will take; `DeletePlan` in the reference implementation. Applied once, by value.
#[derive(Debug)]
pub struct DeletePlan {
    /// The sessions, by the paths of their transcripts.
    pub matched: Vec<PlanItem>,
    /// The sessions that were met and stay.
    pub refused: Vec<Refused>,
    /// Bytes of all footprints.
    pub total_bytes: u64,
    /// How many sessions there are in all.
    pub sessions: usize,
    /// Where the ids will be appended.
    pub tombstone_path: PathBuf,
    /// Whether filters, and not only names, chose.
    by_filter: bool,
    operation: OperationId,
    transfers: Vec<Transfer>,
}

impl DeletePlan {
    /// Whether filters take ten sessions or more, and more than half of all: that wants a second confirmation.
    #[must_use]
    pub fn takes_most(&self) -> bool {
        self.by_filter && self.matched.len() >= 10 && self.matched.len() * 2 > self.sessions
    }

    /// The operation that applying it will be, in the journal and the trash.
    #[must_use]
    pub fn operation(&self) -> &OperationId {
        &self.operation
    }
}
