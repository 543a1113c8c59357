//! Names in directories: made, linked, removed.

use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode};
use rustix::io::Errno;

use super::super::fault::Steps;
use super::super::{Durability, EffectError};
use super::{parent, settle_parent, sync_parent};

pub(in super::super) fn create(steps: Steps<'_>, path: &Path, durability: Durability) -> Result<(), EffectError> {
    let above = parent(path);
    if above != path && !above.is_dir() {
        create(steps, above, durability)?;
    }
    steps.before("create directory", path)?;
    match rustix::fs::mkdir(path, Mode::RWXU) {
        Ok(()) => settle_parent(steps, path, durability),
        // Made by another process meanwhile.
        Err(Errno::EXIST) if path.is_dir() => Ok(()),
        Err(errno) => Err(EffectError::io("create directory", path)(errno)),
    }
}

pub(in super::super) fn hard_link(steps: Steps<'_>, file: &Path, link: &Path) -> Result<(), EffectError> {
    steps.before("link", file)?;
    rustix::fs::linkat(CWD, file, CWD, link, AtFlags::empty()).map_err(|errno| match errno {
        Errno::EXIST => EffectError::Exists(link.into()),
        _ => EffectError::io("link", file)(errno),
    })?;
    sync_parent(steps, link)
}

pub(in super::super) fn symlink(steps: Steps<'_>, target: &Path, link: &Path) -> Result<(), EffectError> {
    steps.before("link", link)?;
    rustix::fs::symlink(target, link).map_err(|errno| match errno {
        Errno::EXIST => EffectError::Exists(link.into()),
        _ => EffectError::io("link", link)(errno),
    })?;
    sync_parent(steps, link)
}

pub(in super::super) fn remove_file(steps: Steps<'_>, path: &Path, durability: Durability) -> Result<(), EffectError> {
    steps.before("remove", path)?;
    rustix::fs::unlink(path).map_err(EffectError::io("remove", path))?;
    settle_parent(steps, path, durability)
}

pub(in super::super) fn remove(steps: Steps<'_>, path: &Path, durability: Durability) -> Result<(), EffectError> {
    steps.before("remove directory", path)?;
    rustix::fs::unlinkat(CWD, path, AtFlags::REMOVEDIR).map_err(EffectError::io("remove directory", path))?;
    settle_parent(steps, path, durability)
}
