//! Whether what lies at the destination of a move is what was moved there, so that it may be taken back.

use sexton_sys::FileIdentity;

use super::settle::Settling;
use crate::item::ItemError;
use crate::journal::{RecordedArrival, RecordedMove};
use crate::transfer::{Arrival, exists, is_inode, is_same};

/// What the journal says of a move of an item that was turned back.
enum Told<'a> {
    /// This lay at its destination when it had been made.
    Arrived(&'a RecordedArrival),
    /// Nothing of it had come: its source had vanished, or it was not begun.
    Nothing,
    /// It failed half way, or an older sexton wrote the line.
    Little,
}

impl Settling<'_> {
    /// Whether what lies at the destination of this move, if anything does, is to come back; else it stays, with a word or as an error.
    pub(super) fn may_come_back(&mut self, number: usize, mv: &RecordedMove) -> Result<bool, ItemError> {
        if !self.turned_back || !exists(&mv.to.0)? {
            return Ok(true);
        }
        let now = FileIdentity::at(&mv.to.0).map_err(ItemError::look(&mv.to.0))?;
        let is_home = is_inode(&mv.from.0, Some(mv.inode()));
        let told = self.told(number);
        let is_ours = match told {
            Told::Arrived(arrived) => is_same(&now, &arrived.into()),
            // On its own device a move is a rename. What is copied to another one is another file, which nothing was noted of.
            Told::Little => is_home || now.device != mv.device || (now.device, now.inode) == mv.inode(),
            Told::Nothing => false,
        };
        if is_ours {
            return Ok(true);
        }
        if !is_home && !matches!(told, Told::Nothing) {
            return Err(ItemError::Replaced(mv.to.0.clone()));
        }
        // What an earlier move has taken away comes back to where a later one goes.
        if self.intent.moves.iter().all(|other| other.from != mv.to) {
            self.notes.push(format!("a new `{}` was left alone", mv.to.0.display()));
        }
        Ok(false)
    }

    fn told(&self, number: usize) -> Told<'_> {
        let Some(arrived) = &self.arrived else {
            return Told::Little;
        };
        match arrived.get(number) {
            Some(Some(arrived)) => Told::Arrived(arrived),
            None if number == arrived.len() => Told::Little,
            _ => Told::Nothing,
        }
    }
}

/// What is noted of a move that recovery has made, or has found made.
pub(super) fn arrival_of(mv: &RecordedMove, arrival: Arrival) -> Option<RecordedArrival> {
    let there = FileIdentity::at(&mv.to.0).ok();
    let is_ours = |there: &FileIdentity| {
        arrival == Arrival::Moved || there.device != mv.device || (there.device, there.inode) == mv.inode()
    };
    match arrival {
        Arrival::Vanished => None,
        // Found there, it need not be what was moved: then nothing that lies there is.
        _ => Some(there.filter(is_ours).map_or_else(|| mv.into(), RecordedArrival::from)),
    }
}

impl From<&RecordedMove> for RecordedArrival {
    fn from(mv: &RecordedMove) -> Self {
        Self {
            device: mv.device,
            inode: mv.inode,
            size: 0,
            modified_seconds: 0,
            modified_nanoseconds: 0,
        }
    }
}
