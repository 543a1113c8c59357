//! Times and modes.

use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT};

use super::super::EffectError;
use super::super::fault::Steps;
use crate::FileTime;

/// Leaves a time stamp as it is.
pub(super) const OMIT: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: UTIME_OMIT,
};

pub(in super::super) fn set_modified(steps: Steps<'_>, path: &Path, modified: FileTime) -> Result<(), EffectError> {
    steps.before("set the time of", path)?;
    let modified = Timespec {
        tv_sec: modified.seconds,
        tv_nsec: modified.nanoseconds.into(),
    };
    let times = Timestamps {
        last_access: OMIT,
        last_modification: modified,
    };
    rustix::fs::utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)
        .map_err(EffectError::io("set the time of", path))
}

pub(in super::super) fn set_mode(steps: Steps<'_>, path: &Path, mode: u32) -> Result<(), EffectError> {
    steps.before("set the mode of", path)?;
    // Through a descriptor that refuses links: chmod(2) would follow one to a file that is not ours.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(EffectError::io("open", path))?;
    rustix::fs::fchmod(&file, Mode::from_raw_mode(mode & 0o7777)).map_err(EffectError::io("set the mode of", path))
}
