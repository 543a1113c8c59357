//! New content for a name, all or nothing.

use std::fs::Metadata;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Gid, Mode, Uid};
use tempfile::NamedTempFile;

use super::super::fault::Steps;
use super::super::{Durability, EffectError};
use super::attributes::timestamps;
use super::{parent, settle_parent};
use crate::FileTime;
use crate::abandoned::{PREFIX, SUFFIX};

pub(in super::super) fn create(
    steps: Steps<'_>,
    path: &Path,
    bytes: &[u8],
    durability: Durability,
) -> Result<(), EffectError> {
    let temporary = written(steps, path, bytes)?;
    claim(steps, temporary, path, durability)
}

pub(in super::super) fn create_from(
    steps: Steps<'_>,
    path: &Path,
    content: &mut dyn std::io::Read,
    mode: Option<u32>,
    modified: Option<FileTime>,
) -> Result<(), EffectError> {
    steps.before("write", path)?;
    let mut temporary = temporary(path)?;
    std::io::copy(content, temporary.as_file_mut()).map_err(EffectError::io("write", path))?;
    // Before it has a name: under that, something else could lie by then.
    if let Some(mode) = mode {
        rustix::fs::fchmod(temporary.as_file(), Mode::from_raw_mode(mode & 0o7777))
            .map_err(EffectError::io("set the mode of", path))?;
    }
    if let Some(modified) = modified {
        rustix::fs::futimens(temporary.as_file(), &timestamps(modified))
            .map_err(EffectError::io("set the time of", path))?;
    }
    claim(steps, temporary, path, Durability::Synced)
}

pub(in super::super) fn replace(
    steps: Steps<'_>,
    path: &Path,
    bytes: &[u8],
    durability: Durability,
) -> Result<(), EffectError> {
    let temporary = written(steps, path, bytes)?;
    if let Ok(metadata) = path.symlink_metadata()
        && metadata.is_file()
    {
        take_attributes(&temporary, &metadata).map_err(EffectError::io("set the mode of", path))?;
    }
    if durability == Durability::Synced {
        temporary.as_file().sync_all().map_err(EffectError::io("sync", path))?;
    }
    steps.before("write", path)?;
    temporary
        .persist(path)
        .map_err(|error| EffectError::io("write", path)(error.error))?;
    settle_parent(steps, path, durability)
}

/// A file without a lasting name beside `path`: should we be killed, what is left is called `.sexton-*.tmp`, see [`crate::abandoned_files`].
pub(super) fn temporary(path: &Path) -> Result<NamedTempFile, EffectError> {
    let directory = parent(path);
    let made = tempfile::Builder::new()
        .prefix(PREFIX)
        .suffix(SUFFIX)
        .tempfile_in(directory)
        .map_err(EffectError::io("create a file in", directory))?;
    // Tells others that its writer lives. Where there are no locks they can't tell, and leave it alone.
    let _ = made.as_file().try_lock();
    Ok(made)
}

fn written(steps: Steps<'_>, path: &Path, bytes: &[u8]) -> Result<NamedTempFile, EffectError> {
    steps.before("write", path)?;
    let mut temporary = temporary(path)?;
    temporary.write_all(bytes).map_err(EffectError::io("write", path))?;
    Ok(temporary)
}

/// Gives a written temporary file its name, unless the name is taken.
pub(super) fn claim(
    steps: Steps<'_>,
    temporary: NamedTempFile,
    path: &Path,
    durability: Durability,
) -> Result<(), EffectError> {
    if durability == Durability::Synced {
        temporary.as_file().sync_all().map_err(EffectError::io("sync", path))?;
    }
    steps.before("create", path)?;
    temporary
        .persist_noclobber(path)
        .map_err(|failed| match failed.error.kind() {
            std::io::ErrorKind::AlreadyExists => EffectError::Exists(path.into()),
            _ => EffectError::io("create", path)(failed.error),
        })?;
    settle_parent(steps, path, durability)
}

/// Gives the temporary file the mode and, as far as we may, the owner that `metadata` shows.
pub(super) fn take_attributes(temporary: &NamedTempFile, metadata: &Metadata) -> Result<(), rustix::io::Errno> {
    let file = temporary.as_file();
    // Only root may give files away; for everyone else the file is theirs already. The mode comes last, since a change of owner drops
    // the set-user bits.
    let _ = rustix::fs::fchown(
        file,
        Some(Uid::from_raw(metadata.uid())),
        Some(Gid::from_raw(metadata.gid())),
    );
    rustix::fs::fchmod(file, Mode::from_raw_mode(metadata.mode() & 0o7777))
}
