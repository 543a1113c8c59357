//! Emptying: the only thing that removes bytes, and never without being asked.
//!
//! A generation is first renamed aside, which decides; then it is removed. Interrupted before the rename it is in the trash as it was,
//! afterwards the removal is finished.

use std::path::{Path, PathBuf};

use super::{EMPTYING, TrashItem, TrashListing};
use crate::item::{Applied, ItemError, ItemId};
use crate::journal::{OperationId, OperationKind};
use crate::transfer::{Move, Operation, Transfer, run};
use crate::tree::Tree;
use crate::yard::{Yard, YardError};

/// What is younger stays in the trash unless one asks for more: 30 days, in milliseconds.
pub const KEEP_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// What is taken out for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Selection {
    /// What was put there before this instant, in milliseconds since the Unix epoch.
    Before(i64),
    /// Everything.
    All,
}

/// The generations that an emptying will remove, with all that is in them. Applied once, by value.
#[derive(Debug)]
pub struct EmptyPlan {
    /// The sessions that will be gone.
    pub items: Vec<TrashItem>,
    /// Bytes in regular files.
    pub bytes: u64,
    /// What can't be emptied and why.
    pub problems: Vec<ItemError>,
    transfers: Vec<Transfer>,
}

/// Plans the emptying of what `selection` says. A generation goes as a whole; all that is in it was put there at one time.
#[must_use]
pub fn plan_empty(listing: &TrashListing, selection: Selection) -> EmptyPlan {
    let old_enough = |generation: &Path| match selection {
        Selection::All => true,
        Selection::Before(before_ms) => {
            let mut items = listing.items.iter().filter(|item| item.generation == generation);
            items.all(|item| item.at_ms.is_some_and(|at_ms| at_ms < before_ms))
        }
    };
    plan(listing, old_enough)
}

/// Plans the removal of what the delete `operation` has just put into the trash: the second half of a purge.
#[must_use]
pub fn plan_purge(listing: &TrashListing, operation: &OperationId) -> EmptyPlan {
    plan(listing, |generation| {
        let mut items = listing
            .items
            .iter()
            .filter(|item| item.generation == generation)
            .peekable();
        items.peek().is_some() && items.all(|item| item.manifest.operation == *operation)
    })
}

fn plan(listing: &TrashListing, is_meant: impl Fn(&Path) -> bool) -> EmptyPlan {
    let mut plan = EmptyPlan {
        items: Vec::new(),
        bytes: 0,
        problems: Vec::new(),
        transfers: Vec::new(),
    };
    for generation in listing.generations.iter().filter(|generation| is_meant(generation)) {
        let items = || listing.items.iter().filter(|item| item.generation == *generation);
        match transfer(generation, items().map(|item| item.id.as_str().to_owned()).collect()) {
            Ok(transfer) => {
                plan.bytes += transfer.moves.iter().map(|mv| mv.seen.bytes()).sum::<u64>();
                plan.items.extend(items().cloned());
                plan.transfers.push(transfer);
            }
            Err(error) => plan.problems.push(error),
        }
    }
    plan
}

fn transfer(generation: &Path, involves: Vec<String>) -> Result<Transfer, ItemError> {
    let seen = Tree::walk(generation).map_err(ItemError::look(generation))?;
    let name = generation.file_name().unwrap_or_default();
    let aside: PathBuf = generation.with_file_name(EMPTYING).join(name);
    Ok(Transfer {
        id: ItemId::Foreign(name.to_string_lossy().into_owned()),
        kind: OperationKind::Empty,
        moves: vec![Move {
            from: generation.to_path_buf(),
            to: aside.clone(),
            seen,
            refresh: false,
        }],
        prune: aside.parent().map(Path::to_path_buf).into_iter().collect(),
        parents: Vec::new(),
        tombstoned: None,
        manifest: None,
        archive: None,
        generation: None,
        discard: true,
        involves,
        known: Vec::new(),
        absent: Vec::new(),
        gated: false,
        vouched: false,
        main: None,
    })
}

impl EmptyPlan {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.transfers.is_empty()
    }

    /// Removes what the plan shows. The results are by generation; the tombstones stay.
    pub fn apply(self, yard: &Yard<'_>) -> Result<Applied, YardError> {
        run(yard, Operation::default(), self.transfers)
    }
}
