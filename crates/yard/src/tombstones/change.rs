//! Tombstones set and lifted by hand, journalled like everything else, so that they can be undone.

use crate::item::{Applied, ItemId};
use crate::journal::{OperationId, OperationKind};
use crate::transfer::{Operation, Transfer, run};
use crate::yard::{Yard, YardError};

/// Sets a tombstone for each of `ids`, whether or not there is such a session. One that is not fit to be a line is refused by itself.
pub fn add_tombstones(yard: &Yard<'_>, ids: &[String]) -> Result<Applied, YardError> {
    apply(yard, ids, true, None)
}

/// Lifts the tombstone of each of `ids`; the session itself stays where it is.
pub fn remove_tombstones(yard: &Yard<'_>, ids: &[String]) -> Result<Applied, YardError> {
    apply(yard, ids, false, None)
}

pub(crate) fn apply(
    yard: &Yard<'_>,
    ids: &[String],
    tombstoned: bool,
    undoes: Option<OperationId>,
) -> Result<Applied, YardError> {
    let transfers = ids.iter().map(|id| Transfer {
        id: ItemId::of_stem(id),
        kind: OperationKind::Tombstone,
        moves: Vec::new(),
        prune: Vec::new(),
        parents: Vec::new(),
        tombstoned: Some(tombstoned),
        manifest: None,
        archive: None,
        generation: None,
        discard: false,
        involves: Vec::new(),
        known: Vec::new(),
        absent: Vec::new(),
        gated: false,
        vouched: false,
        main: None,
    });
    let operation = Operation {
        undoes,
        ..Operation::default()
    };
    run(yard, operation, transfers.collect())
}
