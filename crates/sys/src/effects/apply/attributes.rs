//! Times and modes.

use std::fs::File;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT};

use super::super::EffectError;
use super::super::fault::Steps;
use crate::{FileIdentity, FileTime};

/// The modification time, and the time of the last access as it is.
pub(super) fn timestamps(modified: FileTime) -> Timestamps {
    Timestamps {
        last_access: Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_OMIT,
        },
        last_modification: Timespec {
            tv_sec: modified.seconds,
            tv_nsec: modified.nanoseconds.into(),
        },
    }
}

pub(in super::super) fn set_modified(steps: Steps<'_>, path: &Path, modified: FileTime) -> Result<(), EffectError> {
    steps.before("set the time of", path)?;
    rustix::fs::utimensat(CWD, path, &timestamps(modified), AtFlags::SYMLINK_NOFOLLOW)
        .map_err(EffectError::io("set the time of", path))
}

pub(in super::super) fn set_mode(steps: Steps<'_>, path: &Path, mode: u32) -> Result<(), EffectError> {
    steps.before("set the mode of", path)?;
    // Through a descriptor that refuses links: chmod(2) would follow one to a file that is not ours.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(EffectError::io("open", path))?;
    rustix::fs::fchmod(&file, Mode::from_raw_mode(mode & 0o7777)).map_err(EffectError::io("set the mode of", path))
}

/// Both at once, on the very directory that was seen.
pub(in super::super) fn set_directory(
    steps: Steps<'_>,
    path: &Path,
    seen: &FileIdentity,
    mode: u32,
    modified: FileTime,
) -> Result<(), EffectError> {
    steps.before("set the mode of", path)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = rustix::fs::open(path, flags, Mode::empty()).map_err(EffectError::io("open", path))?;
    let directory = File::from(directory);
    let now = directory.metadata().map_err(EffectError::io("look at", path))?;
    if !FileIdentity::of(&now).is_same_file(seen) {
        return Err(EffectError::Changed(path.into()));
    }
    rustix::fs::futimens(&directory, &timestamps(modified)).map_err(EffectError::io("set the time of", path))?;
    rustix::fs::fchmod(&directory, Mode::from_raw_mode(mode & 0o7777)).map_err(EffectError::io("set the mode of", path))
}
