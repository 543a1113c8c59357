//! Where a copy of the vault's is extracted: in the data directory, so that its parts only have to be renamed from there.
//!
//! It is locked as long as its maker lives. What a killed one has left is removed by the next restore, or by the doctor, if all of it can
//! be extracted again.

use std::fs::TryLockError;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sexton_sys::listing::{self, EntryKind};
use sexton_sys::{EffectError, Effects, FileIdentity, FileTime, Lock, LockError, read};

use crate::item::{Applied, ItemError, Outcome};
use crate::journal::Intent;
use crate::recovery::{Pending, pending};
use crate::transfer::{SyncSet, discard};
use crate::yard::{Yard, YardError};

const PREFIX: &str = ".restore-";

/// Where in it the copy lies, beside the lock.
const COPY: &str = "copy";

/// A directory for one extracted copy.
#[derive(Debug)]
pub struct Scratch {
    top: PathBuf,
    made: FileIdentity,
    lock: Lock,
}

impl Scratch {
    /// Makes one in the data directory.
    pub fn make(yard: &Yard<'_>) -> Result<Self, YardError> {
        let attempt = || {
            let top = yard.data.join(format!("{PREFIX}{}", yard.new_operation()?));
            yard.effects.create_directory(&top)?;
            let lock = lock(yard.effects, &top).map_err(YardError::Lock)?;
            let made = FileIdentity::at(&top).map_err(|source| EffectError::Io {
                action: "look at",
                path: top.clone(),
                source,
            })?;
            Ok(Self { top, made, lock })
        };
        // One that had no lock yet was taken for abandoned, if another restore looked in this very instant.
        let is_whole = |scratch: &Self| lock_path(&scratch.top).exists();
        attempt().ok().filter(is_whole).map_or_else(attempt, Ok)
    }

    /// Where the copy is to be extracted; made by whoever does it.
    #[must_use]
    pub fn directory(&self) -> PathBuf {
        self.top.join(COPY)
    }

    /// Removes it with all that is still in it. `applied` is what came of the restore, if one was tried: what is half way needs it still.
    pub fn clear(self, yard: &Yard<'_>, applied: Option<&Applied>) -> Result<(), ItemError> {
        let is_half_way = |applied: &Applied| {
            let mut items = applied.items.iter();
            items.any(|item| matches!(item.outcome, Outcome::Unfinished(_)))
        };
        if applied.is_some_and(is_half_way) {
            return Ok(());
        }
        let removed = remove(yard.effects, &self.top, Some(&self.made));
        drop(self.lock);
        removed
    }
}

/// What killed restores have left in the data directory. Only looks.
///
/// One of an older sexton, which locked none, may be in use if it was changed at or after `unlocked_before`.
#[must_use]
pub fn abandoned(data: &Path, unlocked_before: FileTime) -> Vec<PathBuf> {
    // A data directory that can't be listed is told by whatever needs it next.
    let entries = listing::list_if_present(data).unwrap_or_default();
    let left = entries.into_iter().filter(|entry| {
        let name = entry.name.as_encoded_bytes();
        entry.kind == EntryKind::Directory && name.starts_with(PREFIX.as_bytes())
    });
    let left = left.map(|entry| data.join(entry.name));
    left.filter(|top| !is_used(top, unlocked_before)).collect()
}

/// Whether what moves comes out of such a directory: a copy, and nothing that was taken from a place of its own.
pub(crate) fn is_copy(data: &Path, intent: &Intent) -> bool {
    let is_in_scratch = |path: &Path| {
        let below = path.strip_prefix(data).ok().and_then(|below| below.components().next());
        below.is_some_and(|top| top.as_os_str().as_encoded_bytes().starts_with(PREFIX.as_bytes()))
    };
    intent.moves.iter().any(|mv| is_in_scratch(&mv.from.0))
}

/// Whether its maker lives and holds the lock, or may live.
fn is_used(top: &Path, unlocked_before: FileTime) -> bool {
    match read::open_regular_no_follow(&lock_path(top)) {
        Ok((lock, _)) => matches!(lock.try_lock(), Err(TryLockError::WouldBlock)),
        // Ours is locked before anything is put into it.
        Err(_) if is_ours(top) => false,
        Err(_) => FileIdentity::at(top).is_ok_and(|now| now.modified >= unlocked_before),
    }
}

/// Whether it is called after an operation; an older sexton let chance name it, in letters and digits.
fn is_ours(top: &Path) -> bool {
    let name = top.file_name().unwrap_or_default().as_encoded_bytes();
    name.strip_prefix(PREFIX.as_bytes())
        .is_some_and(|rest| rest.contains(&b'-'))
}

/// Where the copy lies in what a restore has left: in an older sexton's it is the directory itself.
#[must_use]
pub fn extracted_in(top: &Path) -> PathBuf {
    let copy = top.join(COPY);
    if copy.symlink_metadata().is_ok() {
        copy
    } else {
        top.to_path_buf()
    }
}

/// Removes what killed restores have left, unless something of it is yet to be settled or `is_held` says of what was extracted that it is not
/// held elsewhere: a part that was taken back may have been gone on with where it was. What could not be removed comes back as errors.
#[must_use]
pub fn clear_abandoned(yard: &Yard<'_>, is_held: &dyn Fn(&Path) -> bool) -> Vec<ItemError> {
    const HOUR_MS: i64 = 60 * 60 * 1000;
    let unlocked_before = FileTime::from_ms(yard.clock.now_ms().saturating_sub(HOUR_MS));
    let mut errors = Vec::new();
    for top in abandoned(&yard.data, unlocked_before) {
        let Ok(held) = lock(yard.effects, &top) else { continue };
        // Asked with the lock held: whoever made it writes down what he is about to move before he lets go of it.
        if matches!(pending(yard), Ok(Pending::Nothing)) && is_held(&extracted_in(&top)) {
            errors.extend(remove(yard.effects, &top, None).err());
        }
        drop(held);
    }
    errors
}

fn lock_path(top: &Path) -> PathBuf {
    top.join("lock")
}

fn lock(effects: &Effects, top: &Path) -> Result<Lock, LockError> {
    effects.lock(&lock_path(top), Duration::ZERO)
}

fn remove(effects: &Effects, top: &Path, made: Option<&FileIdentity>) -> Result<(), ItemError> {
    let mut syncs = SyncSet::default();
    discard(effects, top, made, &mut syncs)?;
    Ok(syncs.flush(effects)?)
}
