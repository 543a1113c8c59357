//! The one engine behind archive, delete, restore and empty: everything of a session moves, or nothing does.
//!
//! For each batch of items: check, journal the intents, write manifests and tombstones, move, sync, lift tombstones, journal the
//! results. Each step is on disk before the next begins, so that at any instant the journal tells what is under way. Within an item
//! the first move decides: an interrupted item of which something has arrived is finished, any other is taken back.

mod batch;
mod bring;
mod check;
mod run;
mod sync_set;
mod tidy;

use std::path::{Path, PathBuf};

use sexton_sys::{FileIdentity, FileTime};

use crate::item::ItemId;
use crate::journal::{Intent, OperationId, OperationKind, RecordedArrival, RecordedMove, RecordedTombstone};
use crate::manifest::Manifest;
use crate::stored_path::StoredPath;
use crate::tree::Tree;

pub(crate) use bring::{Arrival, bring, bring_first, exists, is_inode, is_same, retreat};
pub(crate) use check::Ground;
pub(crate) use run::{Operation, run};
pub(crate) use sync_set::SyncSet;
pub(crate) use tidy::{Emptied, discard, prune_empty};

/// One path that moves.
#[derive(Debug, Clone)]
pub(crate) struct Move {
    pub(crate) from: PathBuf,
    pub(crate) to: PathBuf,
    /// What lay at `from` when the plan was made.
    pub(crate) seen: Tree,
    /// Whether it gets the present as its modification time.
    pub(crate) refresh: bool,
}

/// A directory that may have to be made again, as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parent {
    pub(crate) path: PathBuf,
    pub(crate) mode: u32,
    pub(crate) modified: FileTime,
}

/// Where the list of what was put away is kept.
#[derive(Debug, Clone)]
pub(crate) enum ManifestPlace {
    /// A line of a trash generation's manifest, at this path.
    TrashLine(PathBuf, Manifest),
    /// The archive's own file for the session, at this path.
    ArchiveFile(PathBuf, Manifest),
}

impl ManifestPlace {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::TrashLine(path, _) | Self::ArchiveFile(path, _) => path,
        }
    }
}

/// Everything of one item.
#[derive(Debug, Clone)]
pub(crate) struct Transfer {
    pub(crate) id: ItemId,
    pub(crate) kind: OperationKind,
    pub(crate) moves: Vec<Move>,
    /// Directories that are removed if the moves have left nothing at all in them.
    pub(crate) prune: Vec<PathBuf>,
    /// Directories above destinations, as they were.
    pub(crate) parents: Vec<Parent>,
    /// Whether the id is to be tombstoned or not afterwards; `None` leaves it as it is.
    pub(crate) tombstoned: Option<bool>,
    pub(crate) manifest: Option<ManifestPlace>,
    /// The archive that it comes from.
    pub(crate) archive: Option<PathBuf>,
    /// The trash generation that it comes from.
    pub(crate) generation: Option<PathBuf>,
    pub(crate) discard: bool,
    /// Further ids that it concerns, as they stand in the journal.
    pub(crate) involves: Vec<String>,
    /// What belongs to it beside its moves, and was there when the plan was made.
    pub(crate) known: Vec<PathBuf>,
    /// Where nothing lay when the plan was made, of all that could have been moved: what lies there by now, another process is just putting there.
    pub(crate) absent: Vec<PathBuf>,
    /// Whether a live session must not be touched; only bytes in the trash have no process.
    pub(crate) gated: bool,
    pub(crate) vouched: bool,
    /// Where its main file will lie.
    pub(crate) main: Option<PathBuf>,
}

impl Transfer {
    /// What the journal says of the moves that were made, when the item turns back.
    fn recorded(&self, arrived: &[(Arrival, Option<FileIdentity>)]) -> Vec<Option<RecordedArrival>> {
        let recorded = |(mv, (arrival, identity)): (&Move, &(Arrival, Option<FileIdentity>))| match arrival {
            Arrival::Vanished => None,
            // What can't be looked at where it came to is what it was where it came from, as far as anyone knows.
            _ => identity
                .or_else(|| Some(mv.seen.top()?.identity))
                .map(RecordedArrival::from),
        };
        self.moves.iter().zip(arrived).map(recorded).collect()
    }

    fn intent(&self, item: u64, tombstone: Option<RecordedTombstone>, undoes: Option<&OperationId>) -> Intent {
        let recorded = |mv: &Move| {
            let identity = mv.seen.top().map(|top| top.identity);
            RecordedMove {
                from: StoredPath(mv.from.clone()),
                to: StoredPath(mv.to.clone()),
                device: identity.map_or(0, |identity| identity.device),
                inode: identity.map_or(0, |identity| identity.inode),
                refresh: mv.refresh,
            }
        };
        Intent {
            item,
            kind: self.kind,
            id: self.id.as_str().to_owned(),
            moves: self.moves.iter().map(recorded).collect(),
            prune: self.prune.iter().cloned().map(StoredPath).collect(),
            tombstone,
            manifest: self
                .manifest
                .as_ref()
                .map(|place| StoredPath(place.path().to_path_buf())),
            archive: self.archive.clone().map(StoredPath),
            generation: self.generation.clone().map(StoredPath),
            discard: self.discard,
            vouched: self.vouched,
            undoes: undoes.cloned(),
        }
    }
}
