//! How each effect is carried out.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::fault::Steps;
use super::{Durability, EffectError};

pub(super) mod append;
pub(super) mod attributes;
pub(super) mod below;
pub(super) mod copy;
pub(super) mod directory;
pub(super) mod rename;
pub(super) mod replace;

/// Makes the names in the directory that holds `path` survive a power cut.
fn sync_parent(steps: Steps<'_>, path: &Path) -> Result<(), EffectError> {
    sync(steps, parent(path))
}

/// As [`sync_parent`], if the caller waits for the disk.
fn settle_parent(steps: Steps<'_>, path: &Path, durability: Durability) -> Result<(), EffectError> {
    match durability {
        Durability::Synced => sync_parent(steps, path),
        Durability::Buffered => Ok(()),
    }
}

pub(super) fn sync(steps: Steps<'_>, path: &Path) -> Result<(), EffectError> {
    steps.before("sync", path)?;
    let open = open_to_sync(path)?;
    match rustix::fs::fsync(&open) {
        // Some file systems (network ones among them) can't sync a directory, and nothing else can be done there.
        Ok(()) | Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
        Err(errno) => Err(EffectError::io("sync", path)(errno)),
    }
}

#[cfg(target_os = "linux")]
pub(super) fn sync_filesystem(steps: Steps<'_>, path: &Path) -> Result<(), EffectError> {
    steps.before("sync", path)?;
    rustix::fs::syncfs(open_to_sync(path)?).map_err(EffectError::io("sync", path))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn sync_filesystem(steps: Steps<'_>, path: &Path) -> Result<(), EffectError> {
    steps.before("sync", path)?;
    rustix::fs::sync();
    Ok(())
}

fn open_to_sync(path: &Path) -> Result<OwnedFd, EffectError> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map_err(EffectError::io("open", path))
}

/// The directory that holds `path`; `.` for a bare name.
fn parent(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
