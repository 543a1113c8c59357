//! After an interruption: every intent without a result is finished or taken back, and said.
//!
//! Done under the operation's lock, at the beginning of the next operation. An item of which something has arrived goes on to its
//! destination, any other goes back; if the one fails, the other is tried. What can't be settled (its session lives again, a disk is
//! full or gone) stays open, is reported, and is left alone by everything else until it can be. Recovery itself can be interrupted:
//! it decides by what lies where, not by how far it got. What is taken back is what the journal says had been moved, and nothing else.

mod back;
mod settle;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use sexton_sys::{Durability, LockError};

use crate::journal::{JournalError, LineBody, OperationId, OperationKind, RecordedOutcome, RecordedResult, Tail};
use crate::tombstones::{clear_strays, load_tombstones};
use crate::transfer::SyncSet;
use crate::yard::{Yard, YardError};
use settle::Settling;

/// What was done about one interrupted item; its `Display` is the line that a person reads.
#[derive(Debug)]
pub struct Recovered {
    /// The session.
    pub id: String,
    /// What was under way.
    pub kind: OperationKind,
    /// What became of it.
    pub settlement: Settlement,
    /// What else there is to say.
    pub notes: Vec<String>,
}

/// How an interrupted item was settled.
#[derive(Debug)]
#[non_exhaustive]
pub enum Settlement {
    /// It is where it was going.
    Finished,
    /// It is where it was.
    TakenBack,
    /// It is still half way, and why.
    StillOpen(String),
}

impl fmt::Display for Recovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, kind, .. } = self;
        let kind = kind.word();
        match &self.settlement {
            Settlement::Finished => write!(f, "`{id}`: an interrupted {kind} was finished")?,
            Settlement::TakenBack => write!(f, "`{id}`: an interrupted {kind} was taken back")?,
            Settlement::StillOpen(why) => write!(f, "`{id}`: an interrupted {kind} can't be settled yet: {why}")?,
        }
        self.notes.iter().try_for_each(|note| write!(f, "; {note}"))
    }
}

/// What a command that changes nothing can say about interrupted operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pending {
    /// Nothing is open.
    Nothing,
    /// An operation is in progress right now.
    InProgress,
    /// So many items were interrupted; the next yard command settles them.
    Interrupted(usize),
}

/// Looks whether something is open; settles nothing. Without interruption this reads one line of the journal.
pub fn pending(yard: &Yard<'_>) -> Result<Pending, JournalError> {
    if yard.journal().tail()? == Tail::Settled {
        return Ok(Pending::Nothing);
    }
    let lock = yard
        .effects
        .lock(&yard.data.join("operation.lock"), std::time::Duration::ZERO);
    match lock {
        Err(LockError::Held(_)) => Ok(Pending::InProgress),
        // Without the right to lock there is none to settle either, but what is open can be told.
        _ => Ok(match yard.journal().read()?.open().count() {
            0 => Pending::Nothing,
            open => Pending::Interrupted(open),
        }),
    }
}

/// Settles what was interrupted, if anything was; for the beginning of a command that has no other operation to run.
pub fn recover(yard: &Yard<'_>) -> Result<Vec<Recovered>, YardError> {
    if yard.journal().tail()? == Tail::Settled {
        return Ok(Vec::new());
    }
    let _lock = yard.lock()?;
    settle_all(yard).map(|settled| settled.recovered)
}

#[derive(Debug, Default)]
pub(crate) struct Settled {
    pub(crate) recovered: Vec<Recovered>,
    /// The ids of items that are still open.
    pub(crate) unsettled: BTreeSet<String>,
}

/// Settles every open intent. The caller holds the lock.
pub(crate) fn settle_all(yard: &Yard<'_>) -> Result<Settled, YardError> {
    let journal = yard.journal();
    if journal.tail()? == Tail::Settled {
        return Ok(Settled::default());
    }
    let history = journal.read()?;
    let mut syncs = SyncSet::default();
    let mut settled = Settled::default();
    // Unreadable, each item that concerns them says so; the others are settled all the same.
    let mut tombstones = clear_strays(yard.effects, &yard.tombstones)
        .and_then(|()| load_tombstones(&yard.tombstones))
        .ok();
    // Written together at the end: killed before that, the next recovery finds everything in its place.
    let mut results: BTreeMap<&OperationId, Vec<LineBody>> = BTreeMap::new();
    for (operation, item) in history.open() {
        let intent = &item.intent;
        let settling = Settling {
            yard,
            journal: &journal,
            operation,
            intent,
            turned_back: item.turned_back,
            arrived: item.arrived.clone(),
            tombstones: &mut tombstones,
            syncs: &mut syncs,
            notes: Vec::new(),
        };
        let (settlement, notes) = settling.settle();
        let outcome = match &settlement {
            Settlement::Finished => Some(RecordedOutcome::Done),
            Settlement::TakenBack => Some(RecordedOutcome::RolledBack),
            Settlement::StillOpen(_) => None,
        };
        match outcome {
            Some(outcome) => {
                let result = RecordedResult {
                    item: intent.item,
                    outcome,
                    detail: None,
                    recovered: true,
                };
                results.entry(operation).or_default().push(LineBody::Result(result));
            }
            None => {
                settled.unsettled.insert(intent.id.clone());
            }
        }
        settled.recovered.push(Recovered {
            id: intent.id.clone(),
            kind: intent.kind,
            settlement,
            notes,
        });
    }
    for (operation, lines) in results {
        journal.append(yard.effects, yard.clock, operation, lines, Durability::Synced)?;
    }
    if let Some(last) = history.operations.last() {
        let pending = settled.unsettled.len() as u64;
        let lines = vec![LineBody::Closed { pending }];
        journal.append(yard.effects, yard.clock, &last.id, lines, Durability::Buffered)?;
    }
    Ok(settled)
}
