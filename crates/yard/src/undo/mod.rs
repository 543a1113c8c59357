//! Undo: the newest operation that can be undone and has not been; again and again, further back.
//!
//! Archive and delete are undone by a restore, a restore by putting the session away again, a tombstone by its opposite. The emptying of
//! the trash is not undone, nor is a delete of which it has left nothing, or a change that changed nothing; and an undo is itself no step to
//! undo: after it, the next one goes further back.

mod plan;

use std::collections::BTreeSet;

use crate::archive::ArchivePlan;
use crate::delete::DeletePlan;
use crate::item::{Applied, ItemError, ItemId};
use crate::journal::{History, Intent, JournalError, Operation, OperationId, OperationKind};
use crate::restore::{self, RestorePlan};
use crate::survey::Survey;
use crate::tombstones::change;
use crate::yard::{Yard, YardError};

pub use plan::{plan_possible_undo, plan_undo};

/// Why nothing could be undone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UndoError {
    /// The journal tells of nothing that could be undone and has not been.
    #[error("undo: there is nothing to undo")]
    Nothing,
    /// The journal can't be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The bringing back can't be planned.
    #[error(transparent)]
    Restore(#[from] crate::restore::RestoreError),
    /// The putting away again can't be planned.
    #[error(transparent)]
    Archive(#[from] crate::archive::ArchiveError),
    /// The deleting again can't be planned.
    #[error(transparent)]
    Delete(#[from] crate::delete::DeleteError),
    /// The operation can't be named.
    #[error(transparent)]
    Yard(#[from] YardError),
}

/// What an undo will do. Applied once, by value.
#[derive(Debug)]
pub struct UndoPlan {
    /// The operation that is undone.
    pub operation: OperationId,
    /// When it was begun, in milliseconds since the Unix epoch.
    pub at_ms: Option<i64>,
    /// What it did.
    pub kind: OperationKind,
    /// The opposite; several steps if sessions had come back from several places.
    pub steps: Vec<UndoStep>,
    /// The items that can't be undone, and why.
    pub refused: Vec<(ItemId, ItemError)>,
}

/// The opposite of an operation.
#[derive(Debug)]
#[non_exhaustive]
pub enum UndoStep {
    /// Sessions come back.
    Restore(Vec<RestorePlan>),
    /// Sessions that had come back from the trash go there again.
    Delete(DeletePlan),
    /// Sessions that had come back from an archive go there again.
    Archive(ArchivePlan),
    /// These ids get the tombstone that was lifted.
    AddTombstones(Vec<String>),
    /// These ids lose the tombstone that was added.
    LiftTombstones(Vec<String>),
}

impl UndoPlan {
    /// Whether nothing can be taken back.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.iter().all(UndoStep::is_empty)
    }

    /// Does it. Each step is an operation of its own in the journal; all of them undo the one.
    pub fn apply(self, yard: &Yard<'_>, survey: &Survey<'_>) -> Result<Applied, YardError> {
        let mut all = Applied::default();
        for step in self.steps {
            let undoes = Some(self.operation.clone());
            let applied = match step {
                UndoStep::Restore(plans) => restore::apply_as(plans, yard, undoes)?,
                UndoStep::Delete(plan) => plan.apply_as(yard, survey, undoes)?,
                UndoStep::Archive(plan) => plan.apply_as(yard, survey, undoes)?,
                UndoStep::AddTombstones(ids) => change::apply(yard, &ids, true, undoes)?,
                UndoStep::LiftTombstones(ids) => change::apply(yard, &ids, false, undoes)?,
            };
            all.operation = all.operation.or(applied.operation);
            all.items.extend(applied.items);
            all.problems.extend(applied.problems);
            all.recovered.extend(applied.recovered);
        }
        Ok(all)
    }
}

impl UndoStep {
    fn is_empty(&self) -> bool {
        match self {
            Self::Restore(plans) => plans.is_empty(),
            Self::Delete(plan) => plan.matched.is_empty(),
            Self::Archive(plan) => plan.items.is_empty(),
            Self::AddTombstones(ids) | Self::LiftTombstones(ids) => ids.is_empty(),
        }
    }
}

/// The operations in `history` that can be undone by their kind and have not been, the newest first.
fn undoable(history: &History) -> impl Iterator<Item = &Operation> {
    let undone: BTreeSet<&OperationId> = history
        .operations
        .iter()
        .filter(|operation| operation.done().next().is_some())
        .filter_map(Operation::undoes)
        .collect();
    history.operations.iter().rev().filter(move |operation| {
        let is_kind = matches!(
            operation.kind(),
            Some(OperationKind::Archive | OperationKind::Delete | OperationKind::Restore | OperationKind::Tombstone)
        );
        is_kind
            && operation.undoes().is_none()
            && !undone.contains(&operation.id)
            && operation.done().any(|item| has_changed_something(&item.intent))
    })
}

/// A tombstone that was set where one was, or lifted where none was, is as it was.
fn has_changed_something(intent: &Intent) -> bool {
    let stone = intent.tombstone.as_ref();
    intent.kind != OperationKind::Tombstone || stone.is_none_or(|stone| stone.before != stone.after)
}
