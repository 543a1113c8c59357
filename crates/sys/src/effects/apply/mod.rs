//! How each effect is carried out.

use std::path::Path;

use rustix::fs::{Mode, OFlags};

use super::EffectError;
use super::fault::Steps;

pub(super) mod append;
pub(super) mod attributes;
pub(super) mod copy;
pub(super) mod directory;
pub(super) mod rename;
pub(super) mod replace;

/// Makes the names in the directory that holds `path` survive a power cut.
fn sync_parent(steps: Steps<'_>, path: &Path) -> Result<(), EffectError> {
    sync_directory(steps, parent(path))
}

fn sync_directory(steps: Steps<'_>, directory: &Path) -> Result<(), EffectError> {
    steps.before("sync", directory)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open = rustix::fs::open(directory, flags, Mode::empty()).map_err(EffectError::io("open", directory))?;
    match rustix::fs::fsync(&open) {
        // Some file systems (network ones among them) can't sync a directory, and nothing else can be done there.
        Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOTSUP) => Ok(()),
        Err(errno) => Err(EffectError::io("sync", directory)(errno)),
    }
}

/// The directory that holds `path`; `.` for a bare name.
fn parent(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
