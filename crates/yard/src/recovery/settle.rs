//! One interrupted item.

use std::collections::BTreeSet;
use std::path::Path;

use sexton_sys::{Durability, FileTime};

use super::Settlement;
use super::back::arrival_of;
use crate::belongings::gate_error;
use crate::item::{ItemError, ItemId};
use crate::journal::{Intent, Journal, LineBody, OperationId, RecordedArrival, RecordedMove};
use crate::restore::is_copy;
use crate::tombstones::{Tombstones, lift_tombstones, tombstone_ids};
use crate::transfer::{Arrival, Emptied, SyncSet, bring, discard, exists, is_inode, retreat};
use crate::tree::remove_strays_in;
use crate::yard::Yard;

pub(super) struct Settling<'a> {
    pub(super) yard: &'a Yard<'a>,
    pub(super) journal: &'a Journal,
    pub(super) operation: &'a OperationId,
    pub(super) intent: &'a Intent,
    pub(super) turned_back: bool,
    /// What had been moved when it was turned back, if that is known.
    pub(super) arrived: Option<Vec<Option<RecordedArrival>>>,
    /// As they are, so that the file is read once for all items; `None` if it can't be read.
    pub(super) tombstones: &'a mut Option<Tombstones>,
    pub(super) syncs: &'a mut SyncSet,
    pub(super) notes: Vec<String>,
}

impl Settling<'_> {
    pub(super) fn settle(mut self) -> (Settlement, Vec<String>) {
        let settlement = self
            .either_way()
            .unwrap_or_else(|error| Settlement::StillOpen(error.to_string()));
        (settlement, self.notes)
    }

    fn either_way(&mut self) -> Result<Settlement, ItemError> {
        self.clear_strays()?;
        if self.turned_back || !self.has_arrived()? {
            return self.back();
        }
        self.ask()?;
        let mut made = Vec::new();
        let Err(forward) = self.forward(&mut made) else {
            return Ok(Settlement::Finished);
        };
        // A copy that has come back whole may have been gone on with since: where it was extracted that would be lost.
        let is_whole = made.len() == self.intent.moves.len();
        if self.intent.discard || is_copy(&self.yard.data, self.intent) && is_whole {
            return Err(forward);
        }
        self.turned_back = true;
        self.arrived = Some(made);
        let line = vec![LineBody::TurningBack {
            item: self.intent.item,
            arrived: self.arrived.clone(),
        }];
        let Yard { effects, clock, .. } = self.yard;
        self.journal
            .append(effects, *clock, self.operation, line, Durability::Synced)?;
        // The error that matters is the first one.
        self.back().map_err(|_| forward)
    }

    /// Whether anything of the item is at its destination for good.
    fn has_arrived(&self) -> Result<bool, ItemError> {
        if self.intent.discard && self.all_gone()? {
            return Ok(true);
        }
        for mv in &self.intent.moves {
            // An original that is still there makes what lies at the destination a copy, perhaps half a copy.
            if exists(&mv.to.0)? && !is_inode(&mv.from.0, Some(mv.inode())) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn all_gone(&self) -> Result<bool, ItemError> {
        for mv in &self.intent.moves {
            if exists(&mv.from.0)? || exists(&mv.to.0)? {
                return Ok(false);
            }
        }
        Ok(!self.intent.moves.is_empty())
    }

    /// What is moved must not live; taking back a tombstone alone harms nobody.
    fn ask(&self) -> Result<(), ItemError> {
        let id = ItemId::of_stem(&self.intent.id);
        let Some(session) = id.session().filter(|_| !self.intent.discard) else {
            return Ok(());
        };
        gate_error(self.yard.gate, session, self.intent.vouched)
    }

    /// Finishes the item; `made` takes what has arrived, move by move.
    fn forward(&mut self, made: &mut Vec<Option<RecordedArrival>>) -> Result<Settlement, ItemError> {
        let effects = self.yard.effects;
        if self.intent.tombstone.is_some_and(|stone| stone.after) {
            self.set_tombstone(true)?;
        }
        let now = FileTime::from_ms(self.yard.clock.now_ms());
        for mv in &self.intent.moves {
            if exists(&mv.to.0)? && exists(&mv.from.0)? && !is_inode(&mv.from.0, Some(mv.inode())) {
                // What was to be moved has arrived, and something else is in its place: our own next move, or a client's new file.
                if self.intent.moves.iter().all(|next| next.to != mv.from) {
                    self.notes
                        .push(format!("a new `{}` was left alone", mv.from.0.display()));
                }
                made.push(arrival_of(mv, Arrival::WasThere));
            } else {
                let arrival = bring(effects, &mv.from.0, &mv.to.0, self.syncs)?;
                made.push(arrival_of(mv, arrival));
                if arrival == Arrival::Vanished && !self.intent.discard {
                    self.notes.push(format!("`{}` vanished", mv.from.0.display()));
                }
            }
            if mv.refresh && exists(&mv.to.0)? {
                effects.set_modified(&mv.to.0, now)?;
            }
        }
        let mut emptied = Emptied::default();
        emptied.by_going_recorded(self.intent);
        self.notes.extend(emptied.tidy(self.yard, self.syncs));
        self.syncs.flush(effects)?;
        if self.intent.tombstone.is_some_and(|stone| !stone.after) {
            self.set_tombstone(false)?;
        }
        if self.intent.discard {
            for mv in &self.intent.moves {
                discard(effects, &mv.to.0, None, self.syncs)?;
            }
            self.syncs.flush(effects)?;
        }
        Ok(Settlement::Finished)
    }

    fn back(&mut self) -> Result<Settlement, ItemError> {
        let effects = self.yard.effects;
        if self.any_moved()? {
            self.ask()?;
        }
        let mut failed = None;
        for (number, mv) in self.intent.moves.iter().enumerate().rev() {
            match self.may_come_back(number, mv) {
                Ok(true) => {
                    let retreated = retreat(effects, &mv.from.0, &mv.to.0, Some(mv.inode()), self.syncs);
                    failed = retreated.err().or(failed);
                }
                Ok(false) => {}
                Err(error) => failed = Some(error),
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
        let mut emptied = Emptied::default();
        emptied.by_staying_recorded(self.intent, self.operation);
        self.notes.extend(emptied.tidy(self.yard, self.syncs));
        self.syncs.flush(effects)?;
        if let Some(stone) = self.intent.tombstone {
            self.set_tombstone(stone.before)?;
        }
        Ok(Settlement::TakenBack)
    }

    /// Makes the tombstone file say what it should of this item; usually it does already.
    fn set_tombstone(&mut self, wanted: bool) -> Result<(), ItemError> {
        let Yard {
            effects, tombstones, ..
        } = self.yard;
        let id = &self.intent.id;
        if let Some(known) = self.tombstones.as_ref()
            && known.contains(id) == wanted
        {
            return Ok(());
        }
        if wanted {
            tombstone_ids(effects, tombstones, &[id])?;
        } else {
            lift_tombstones(effects, tombstones, &[id])?;
        }
        if let Some(known) = self.tombstones.as_mut() {
            known.note(id, wanted);
        }
        Ok(())
    }

    fn any_moved(&self) -> Result<bool, ItemError> {
        for mv in &self.intent.moves {
            if exists(&mv.to.0)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes the temporary files that a killed copy has left beside what it copied.
    fn clear_strays(&self) -> Result<(), ItemError> {
        let places = self.intent.moves.iter().flat_map(|mv| [&mv.from.0, &mv.to.0]);
        let manifest = self.intent.manifest.as_ref().map(|path| &path.0);
        let directories: BTreeSet<&Path> = places.chain(manifest).filter_map(|path| path.parent()).collect();
        for directory in directories {
            remove_strays_in(self.yard.effects, directory)?;
        }
        Ok(())
    }
}

impl RecordedMove {
    pub(super) fn inode(&self) -> (u64, u64) {
        (self.device, self.inode)
    }
}
