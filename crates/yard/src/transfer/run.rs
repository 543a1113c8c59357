//! One operation from its lock to its last journal line.

use std::path::PathBuf;

use sexton_sys::Durability;

use super::batch::Batch;
use super::{Ground, Transfer};
use crate::archive;
use crate::item::{Applied, ItemError, ItemResult, Outcome};
use crate::journal::{LineBody, OperationId};
use crate::recovery;
use crate::yard::{Yard, YardError};

/// So many items share their syncs. A kill leaves at most these to be settled; more would save little.
const BATCH: usize = 2048;

/// How one operation is run.
#[derive(Default)]
pub(crate) struct Operation<'a> {
    /// Its name; places in the trash are called after it, so that it is known before.
    pub(crate) id: Option<OperationId>,
    /// What it undoes.
    pub(crate) undoes: Option<OperationId>,
    /// Where to look for files that appeared since the plan was made.
    pub(crate) ground: Option<&'a dyn Ground>,
    /// The archive that it puts sessions into, if somebody named it: whoever looks for them must know.
    pub(crate) archive: Option<PathBuf>,
}

/// Carries out `transfers`: takes the lock, settles what was interrupted before, then batch after batch.
///
/// An error means that nothing was done; whatever happens later is a result of its item.
pub(crate) fn run(yard: &Yard<'_>, operation: Operation<'_>, transfers: Vec<Transfer>) -> Result<Applied, YardError> {
    if transfers.is_empty() {
        return Ok(Applied::default());
    }
    let id = match operation.id {
        Some(id) => id,
        None => yard.new_operation()?,
    };
    let _lock = yard.lock()?;
    let settled = recovery::settle_all(yard)?;
    if let Some(archive) = &operation.archive {
        archive::remember(&yard.data, archive, yard.effects)?;
    }
    let journal = yard.journal();
    let mut applied = Applied {
        operation: Some(id.clone()),
        recovered: settled.recovered,
        ..Applied::default()
    };
    let (unsettled, ready): (Vec<_>, Vec<_>) = number(transfers).partition(|(_, transfer)| {
        let mut ids = std::iter::once(transfer.id.as_str()).chain(transfer.involves.iter().map(String::as_str));
        ids.any(|id| settled.unsettled.contains(id))
    });
    let mut results: Vec<(u64, ItemResult)> = unsettled
        .into_iter()
        .map(|(item, transfer)| {
            (
                item,
                result(&transfer, Outcome::LeftAlone(ItemError::Unsettled), Vec::new()),
            )
        })
        .collect();
    let mut open = settled.unsettled.len();
    let mut ready = ready.into_iter().peekable();
    while ready.peek().is_some() {
        let batch = Batch {
            yard,
            journal: &journal,
            operation: &id,
            undoes: operation.undoes.as_ref(),
            ground: operation.ground,
        };
        let items = ready.by_ref().take(BATCH).collect();
        let (done, left_open) = batch.carry_out(items, &mut applied.problems);
        results.extend(done);
        open += left_open;
    }
    results.sort_by_key(|(item, _)| *item);
    applied.items = results.into_iter().map(|(_, result)| result).collect();
    let closed = LineBody::Closed { pending: open as u64 };
    // Losing this line costs the next command a reading of the journal, nothing else.
    if let Err(error) = journal.append(yard.effects, yard.clock, &id, vec![closed], Durability::Buffered) {
        applied.problems.push(error.to_string());
    }
    Ok(applied)
}

/// One item of an operation, with its number.
pub(super) type Numbered = (u64, Transfer);

fn number(transfers: Vec<Transfer>) -> impl Iterator<Item = Numbered> {
    (0..).zip(transfers)
}

pub(super) fn result(transfer: &Transfer, outcome: Outcome, notes: Vec<String>) -> ItemResult {
    ItemResult {
        id: transfer.id.clone(),
        path: transfer.main.clone().filter(|_| outcome.is_success()),
        outcome,
        notes,
    }
}
