//! Whether an item is still what its plan showed, asked just before it is touched.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Transfer, exists};
use crate::belongings::gate_error;
use crate::gate::Gate;
use crate::item::{ItemError, ItemId};
use crate::journal::OperationKind;
use crate::tombstones::{self, Tombstones};
use crate::tree::{ChangeKind, Relation, Tree, relation};

/// Looks at the ground again: which paths belong to an item now.
///
/// Asked once a batch, so that a file that appeared beside those of the plan is noticed.
pub(crate) trait Ground {
    /// The tops of each item's footprint, as absolute paths. An item that is left out of the answer is not compared.
    fn tops(&self, items: &[ItemId]) -> Result<BTreeMap<ItemId, Vec<PathBuf>>, ItemError>;
}

/// Refuses what can be told to stay before anything is written down: what is live, and what can't be tombstoned.
pub(super) fn check_id(transfer: &Transfer, gate: &dyn Gate) -> Result<(), ItemError> {
    if let Some(session) = transfer.id.session().filter(|_| transfer.gated) {
        gate_error(gate, session, transfer.vouched)?;
    }
    if transfer.tombstoned == Some(true) {
        tombstones::check(transfer.id.as_str())?;
    }
    Ok(())
}

/// Refuses what is live, what changed, and what would meet other content at its destination: the last look before the first move.
pub(super) fn check(transfer: &Transfer, gate: &dyn Gate) -> Result<(), ItemError> {
    check_id(transfer, gate)?;
    let arrived = transfer.absent.iter().filter(|path| path.symlink_metadata().is_ok());
    ItemError::of_changes(arrived.map(PathBuf::as_path), ChangeKind::Appeared)?;
    let mut changes = Vec::new();
    for mv in &transfer.moves {
        let now = Tree::walk_if_present(&mv.from).map_err(ItemError::look(&mv.from))?;
        changes.extend(mv.seen.changes(&now, &mv.from));
    }
    if !changes.is_empty() {
        return Err(ItemError::Changed(changes));
    }
    for (index, mv) in transfer.moves.iter().enumerate() {
        // What lies there may be what an earlier move takes away.
        let cleared = transfer.moves.iter().take(index).any(|earlier| earlier.from == mv.to);
        let taken = !cleared && exists(&mv.to)?;
        if taken && relation(&mv.from, &mv.to).map_err(ItemError::look(&mv.to))? != Relation::Same {
            return Err(ItemError::Occupied {
                from: mv.from.clone(),
                to: mv.to.clone(),
            });
        }
    }
    Ok(())
}

/// What belongs to the item now and was not in its plan.
pub(super) fn appeared(transfer: &Transfer, tops: &[PathBuf]) -> Result<(), ItemError> {
    let is_known = |top: &PathBuf| transfer.known.contains(top) || transfer.moves.iter().any(|mv| mv.from == *top);
    let unknown = tops.iter().filter(|top| !is_known(top));
    ItemError::of_changes(unknown.map(PathBuf::as_path), ChangeKind::Appeared)
}

/// Of what has nothing to be moved only the tombstone is new; if it has one by now, somebody else deleted it, perhaps with all its files.
pub(super) fn deleted_meanwhile(transfer: &Transfer, tombstones: &Tombstones) -> Result<(), ItemError> {
    let is_late = transfer.kind == OperationKind::Delete
        && transfer.moves.is_empty()
        && tombstones.contains(transfer.id.as_str());
    if is_late { Err(ItemError::Gone) } else { Ok(()) }
}
