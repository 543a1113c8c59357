//! Renaming without ever replacing.

use std::path::Path;

use rustix::fs::{AtFlags, CWD, RenameFlags};
use rustix::io::Errno;

use super::super::fault::Steps;
use super::super::{Durability, EffectError};
use super::{parent, settle_parent};

pub(in super::super) fn rename(
    steps: Steps<'_>,
    from: &Path,
    to: &Path,
    durability: Durability,
) -> Result<(), EffectError> {
    steps.before("move", from)?;
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => {}
        // Not every file system knows the flag.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => rename_the_old_way(from, to)?,
        Err(errno) => return Err(failed(from, to, errno)),
    }
    settle_parent(steps, to, durability)?;
    if parent(from) == parent(to) {
        Ok(())
    } else {
        settle_parent(steps, from, durability)
    }
}

/// A file's second name fails if it is taken; a directory has no second names, and a small race is left there: an empty directory that
/// appears at the destination in between is replaced.
fn rename_the_old_way(from: &Path, to: &Path) -> Result<(), EffectError> {
    let metadata = from.symlink_metadata().map_err(EffectError::io("look at", from))?;
    if metadata.is_dir() {
        if to.symlink_metadata().is_ok() {
            return Err(EffectError::Exists(to.into()));
        }
        return rustix::fs::rename(from, to).map_err(|errno| failed(from, to, errno));
    }
    rustix::fs::linkat(CWD, from, CWD, to, AtFlags::empty()).map_err(|errno| failed(from, to, errno))?;
    rustix::fs::unlink(from).map_err(EffectError::io("remove", from))
}

fn failed(from: &Path, to: &Path, errno: Errno) -> EffectError {
    match errno {
        Errno::EXIST => EffectError::Exists(to.into()),
        // The system doesn't say which of the two it misses.
        Errno::NOENT if from.symlink_metadata().is_ok() => EffectError::io("move to", to)(errno),
        _ => EffectError::io("move", from)(errno),
    }
}
