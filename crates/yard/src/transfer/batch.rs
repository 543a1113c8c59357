//! One batch of an operation, step by step.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use sexton_sys::{Durability, Effects, FileIdentity, FileTime};

use super::check::{appeared, check, check_id, deleted_meanwhile};
use super::run::{Numbered, result};
use super::{
    Arrival, Emptied, Ground, ManifestPlace, Move, Parent, SyncSet, Transfer, bring_first, discard, exists, is_inode,
    prune_empty, retreat,
};
use crate::item::{ItemError, ItemId, ItemResult, Outcome};
use crate::journal::{Journal, LineBody, OperationId, RecordedOutcome, RecordedResult, RecordedTombstone};
use crate::tombstones::{Tombstones, lift_tombstones, load_tombstones, tombstone_ids};
use crate::tree::remove_as_seen;
use crate::yard::Yard;

pub(super) struct Batch<'a> {
    pub(super) yard: &'a Yard<'a>,
    pub(super) journal: &'a Journal,
    pub(super) operation: &'a OperationId,
    pub(super) undoes: Option<&'a OperationId>,
    pub(super) ground: Option<&'a dyn Ground>,
}

/// An item on its way.
struct Item {
    number: u64,
    transfer: Transfer,
    tombstone: Option<RecordedTombstone>,
    state: State,
    notes: Vec<String>,
}

enum State {
    /// So far so good.
    Going,
    /// It won't go, and nothing of it has moved or will.
    Stays(ItemError),
    /// It was on its way, and is back.
    Back(ItemError),
    /// It is neither here nor there.
    Stuck(ItemError),
}

impl Batch<'_> {
    /// Gives a result for each item, and how many intents are left open.
    pub(super) fn carry_out(
        &self,
        items: Vec<Numbered>,
        problems: &mut Vec<String>,
    ) -> (Vec<(u64, ItemResult)>, usize) {
        let (mut items, mut results) = self.checked(items);
        let mut syncs = SyncSet::default();
        let ready = self
            .announce(&items)
            .and_then(|()| self.prepare(&mut items, &mut syncs));
        if let Err(error) = ready {
            share(error, &mut items, |_| true, State::Stays);
        }
        let mut made = Vec::new();
        for item in &mut items {
            self.bring_all(item, &mut made, &mut syncs, problems);
        }
        self.tidy(&items, made, &mut syncs, problems);
        if let Err(error) = syncs.flush(self.yard.effects) {
            let touched = |item: &Item| !matches!(item.state, State::Stays(_));
            share(error.into(), &mut items, touched, State::Stuck);
        }
        self.lift(&mut items);
        self.discard(&mut items, &mut syncs);
        let open = match self.conclude(&items) {
            Ok(()) => items
                .iter()
                .filter(|item| matches!(item.state, State::Stuck(_)))
                .count(),
            Err(error) => {
                problems.push(format!("{error}; the next command settles what is open"));
                items.len()
            }
        };
        results.extend(items.into_iter().map(Item::into_result));
        (results, open)
    }

    /// Drops what is refused before anything is written down.
    fn checked(&self, items: Vec<Numbered>) -> (Vec<Item>, Vec<(u64, ItemResult)>) {
        let (mut going, mut refused) = (Vec::new(), Vec::new());
        let (tops, tombstones) = match self.facts(&items) {
            Ok(facts) => facts,
            Err(error) => {
                let error = Arc::new(error);
                for (number, transfer) in items {
                    let outcome = Outcome::LeftAlone(ItemError::Shared(Arc::clone(&error)));
                    refused.push((number, result(&transfer, outcome, Vec::new())));
                }
                return (going, refused);
            }
        };
        for (number, transfer) in items {
            let verdict = check_id(&transfer, self.yard.gate)
                .and_then(|()| tops.get(&transfer.id).map_or(Ok(()), |tops| appeared(&transfer, tops)))
                .and_then(|()| deleted_meanwhile(&transfer, &tombstones));
            if let Err(error) = verdict {
                refused.push((number, result(&transfer, Outcome::LeftAlone(error), Vec::new())));
                continue;
            }
            going.push(Item {
                number,
                tombstone: transfer.tombstoned.map(|after| RecordedTombstone {
                    before: tombstones.contains(transfer.id.as_str()),
                    after,
                }),
                transfer,
                state: State::Going,
                notes: Vec::new(),
            });
        }
        (going, refused)
    }

    /// What belongs to the items now, and what is tombstoned.
    fn facts(&self, items: &[Numbered]) -> Result<(BTreeMap<ItemId, Vec<PathBuf>>, Tombstones), ItemError> {
        let ids: Vec<ItemId> = items.iter().map(|(_, transfer)| transfer.id.clone()).collect();
        let tops = match self.ground {
            Some(ground) => ground.tops(&ids)?,
            None => BTreeMap::new(),
        };
        Ok((tops, self.tombstones(items)?))
    }

    /// What is tombstoned now, if it matters to any of the items; a file that can't be read stops them all.
    fn tombstones(&self, items: &[Numbered]) -> Result<Tombstones, ItemError> {
        if items.iter().all(|(_, transfer)| transfer.tombstoned.is_none()) {
            return Ok(Tombstones::default());
        }
        Ok(load_tombstones(&self.yard.tombstones)?)
    }

    /// Journals the intents.
    fn announce(&self, items: &[Item]) -> Result<(), ItemError> {
        let intents = items
            .iter()
            .map(|item| LineBody::Intent(item.transfer.intent(item.number, item.tombstone, self.undoes)));
        self.append(intents.collect())
    }

    fn append(&self, lines: Vec<LineBody>) -> Result<(), ItemError> {
        let Yard { effects, clock, .. } = self.yard;
        Ok(self
            .journal
            .append(effects, *clock, self.operation, lines, Durability::Synced)?)
    }

    /// Manifests first, then tombstones: all on disk before anything moves.
    fn prepare(&self, items: &mut [Item], syncs: &mut SyncSet) -> Result<(), ItemError> {
        let mut lines: BTreeMap<_, Vec<u8>> = BTreeMap::new();
        for item in items.iter_mut() {
            match &item.transfer.manifest {
                Some(ManifestPlace::TrashLine(path, manifest)) => {
                    lines.entry(path).or_default().extend(manifest.line()?);
                }
                Some(ManifestPlace::ArchiveFile(path, manifest)) => {
                    // What is the matter with one place in an archive is no matter of the others.
                    match manifest.write_file(self.yard.effects, path, syncs) {
                        Err(error @ (ItemError::Claimed { .. } | ItemError::Manifest(_))) => {
                            item.state = State::Stays(error);
                        }
                        written => written?,
                    }
                }
                None => {}
            }
        }
        for (path, lines) in lines {
            if let Some(generation) = path.parent() {
                syncs.create_directory(self.yard.effects, generation)?;
            }
            self.yard.effects.append_to_own(path, &lines, Durability::Synced)?;
        }
        syncs.flush(self.yard.effects)?;
        let new: Vec<&str> = items
            .iter()
            .filter(|item| item.tombstone.is_some_and(|stone| stone.after && !stone.before))
            .map(|item| item.transfer.id.as_str())
            .collect();
        Ok(tombstone_ids(self.yard.effects, &self.yard.tombstones, &new)?)
    }

    /// Moves everything of one item, or takes back what has moved.
    fn bring_all(&self, item: &mut Item, made: &mut Vec<Parent>, syncs: &mut SyncSet, problems: &mut Vec<String>) {
        if !matches!(item.state, State::Going) {
            return;
        }
        // The others of the batch have taken their time: asked again at the very moment.
        if let Err(error) = check(&item.transfer, self.yard.gate) {
            item.state = State::Stays(error);
            return;
        }
        let effects = self.yard.effects;
        let mut arrived = Vec::new();
        for mv in &item.transfer.moves {
            let brought = self
                .make_parents(&item.transfer, made, syncs)
                .and_then(|()| bring_first(effects, mv, syncs));
            match brought {
                Ok(arrival) => {
                    if arrival == Arrival::Vanished && !effects.is_dry_run() {
                        item.notes.push(format!("`{}` vanished", mv.from.display()));
                    }
                    arrived.push((arrival, FileIdentity::at(&mv.to).ok()));
                }
                Err(error) => {
                    let is_back = self.turn_back(item, &arrived, syncs);
                    item.state = if is_back {
                        State::Back(error)
                    } else {
                        State::Stuck(error)
                    };
                    return;
                }
            }
        }
        let now = FileTime::from_ms(self.yard.clock.now_ms());
        for mv in item.transfer.moves.iter().filter(|mv| mv.refresh) {
            match effects.set_modified(&mv.to, now) {
                Ok(()) => item.notes.push(format!(
                    "`{}` got the present as its modification time",
                    mv.to.display()
                )),
                Err(error) => problems.push(error.to_string()),
            }
        }
    }

    /// Takes back what has `arrived` of an item, and what came of the move after it, which failed; tells whether that succeeded.
    fn turn_back(&self, item: &Item, arrived: &[(Arrival, Option<FileIdentity>)], syncs: &mut SyncSet) -> bool {
        // Only what has arrived needs the line; without it nothing could tell a copy on its way back from a new file.
        let line = vec![LineBody::TurningBack {
            item: item.number,
            arrived: Some(item.transfer.recorded(arrived)),
        }];
        if !arrived.is_empty() && self.append(line).is_err() {
            return false;
        }
        let effects = self.yard.effects;
        let moves = &item.transfer.moves;
        let failed = moves.get(arrived.len());
        let mut is_back = failed.is_none_or(|mv| take_back_failed(effects, mv, syncs).is_ok());
        // Each is tried, whatever became of the others.
        for (mv, (arrival, arrived)) in moves.iter().zip(arrived).rev() {
            // Of what had vanished nothing came: what lies there by now is somebody else's.
            is_back &= *arrival == Arrival::Vanished || take_back(effects, mv, arrived.as_ref(), syncs).is_ok();
        }
        is_back
    }

    /// Makes directories that are gone again, with the modes they had.
    fn make_parents(&self, transfer: &Transfer, made: &mut Vec<Parent>, syncs: &mut SyncSet) -> Result<(), ItemError> {
        for parent in &transfer.parents {
            if !parent.path.is_dir() {
                syncs.create_directory(self.yard.effects, &parent.path)?;
                made.push(parent.clone());
            }
        }
        Ok(())
    }

    /// Removes directories and manifests that hold nothing any more, and gives directories that were made again their mode and time.
    ///
    /// What can't be tidied is in nobody's way: a problem to be told, and no failure of any item.
    fn tidy(&self, items: &[Item], made: Vec<Parent>, syncs: &mut SyncSet, problems: &mut Vec<String>) {
        let mut emptied = Emptied::default();
        for item in items {
            match item.state {
                State::Going => emptied.by_going(&item.transfer),
                State::Stays(_) | State::Back(_) => emptied.by_staying(&item.transfer),
                State::Stuck(_) => {}
            }
        }
        problems.extend(emptied.tidy(self.yard, syncs));
        for parent in made {
            let effects = self.yard.effects;
            // It was made for something that did not come.
            if prune_empty(effects, &parent.path, syncs).is_err() || !parent.path.is_dir() {
                continue;
            }
            let restored = effects
                .set_modified(&parent.path, parent.modified)
                .and_then(|()| effects.set_mode(&parent.path, parent.mode));
            if let Err(error) = restored {
                problems.push(error.to_string());
            }
        }
    }

    /// Lifts the tombstones of what came back, and those that were set for what did not go.
    fn lift(&self, items: &mut [Item]) {
        let wants_lifting = |item: &Item| {
            item.tombstone.is_some_and(|stone| match item.state {
                State::Going => stone.before && !stone.after,
                State::Stays(_) | State::Back(_) => stone.after && !stone.before,
                State::Stuck(_) => false,
            })
        };
        let ids: Vec<&str> = items
            .iter()
            .filter(|item| wants_lifting(item))
            .map(|item| item.transfer.id.as_str())
            .collect();
        if let Err(error) = lift_tombstones(self.yard.effects, &self.yard.tombstones, &ids) {
            share(error.into(), items, wants_lifting, State::Stuck);
        }
    }

    /// Removes for good what was moved aside to be removed.
    fn discard(&self, items: &mut [Item], syncs: &mut SyncSet) {
        let effects = self.yard.effects;
        for item in items
            .iter_mut()
            .filter(|item| item.transfer.discard && matches!(item.state, State::Going))
        {
            for mv in &item.transfer.moves {
                let seen = mv.seen.top().map(|top| &top.identity);
                let removed = if effects.is_dry_run() {
                    // It has not moved there: what was seen is what would be removed.
                    remove_as_seen(effects, &mv.to, &mv.seen).map_err(ItemError::from)
                } else {
                    discard(effects, &mv.to, seen, syncs)
                };
                if let Err(error) = removed {
                    item.state = State::Stuck(error);
                }
            }
        }
        if let Err(error) = syncs.flush(effects) {
            share(error.into(), items, |item| item.transfer.discard, State::Stuck);
        }
    }

    /// Journals the results of everything that has one.
    fn conclude(&self, items: &[Item]) -> Result<(), ItemError> {
        let results = items.iter().filter_map(|item| {
            let (outcome, detail) = match &item.state {
                State::Going => (RecordedOutcome::Done, None),
                State::Stays(error) | State::Back(error) => (RecordedOutcome::RolledBack, Some(error.to_string())),
                State::Stuck(_) => return None,
            };
            Some(LineBody::Result(RecordedResult {
                item: item.number,
                outcome,
                detail,
                recovered: false,
            }))
        });
        self.append(results.collect())
    }
}

/// Gives those of `items` that are `meant` one error.
fn share(error: ItemError, items: &mut [Item], meant: impl Fn(&Item) -> bool, state: fn(ItemError) -> State) {
    let error = Arc::new(error);
    for item in items.iter_mut().filter(|item| meant(item)) {
        item.state = state(ItemError::Shared(Arc::clone(&error)));
    }
}

/// Brings one move of an item that failed back to where it came from, if what lies at its destination is what `arrived` there.
fn take_back(
    effects: &Effects,
    mv: &Move,
    arrived: Option<&FileIdentity>,
    syncs: &mut SyncSet,
) -> Result<(), ItemError> {
    match (FileIdentity::at(&mv.to), arrived) {
        (Ok(now), Some(arrived)) if !now.is_same_file(arrived) => Err(ItemError::changed(&mv.to)),
        _ => retreat(effects, &mv.from, &mv.to, inode(mv), syncs),
    }
}

/// As [`take_back`], for the move that failed: perhaps nothing of it arrived, perhaps a part, perhaps all, on another device as another file.
fn take_back_failed(effects: &Effects, mv: &Move, syncs: &mut SyncSet) -> Result<(), ItemError> {
    let seen = mv.seen.top().map(|top| top.identity);
    // Nothing is put into what someone else has put there meanwhile.
    if exists(&mv.from)? && seen.is_some() && !is_inode(&mv.from, inode(mv)) {
        return Err(ItemError::changed(&mv.from));
    }
    let same_device = |seen: &FileIdentity| FileIdentity::at(&mv.to).is_ok_and(|now| now.device == seen.device);
    if exists(&mv.from)? || !seen.as_ref().is_some_and(same_device) {
        return retreat(effects, &mv.from, &mv.to, inode(mv), syncs);
    }
    take_back(effects, mv, seen.as_ref(), syncs)
}

fn inode(mv: &Move) -> Option<(u64, u64)> {
    let top = mv.seen.top()?;
    Some((top.identity.device, top.identity.inode))
}

impl Item {
    fn into_result(self) -> (u64, ItemResult) {
        let outcome = match self.state {
            State::Going => Outcome::Done,
            State::Stays(error) => Outcome::LeftAlone(error),
            State::Back(error) => Outcome::RolledBack(error),
            State::Stuck(error) => Outcome::Unfinished(error),
        };
        (self.number, result(&self.transfer, outcome, self.notes))
    }
}
