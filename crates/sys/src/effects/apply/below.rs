//! Removing what was seen in a tree, and nothing that lies somewhere else: below the tree's top no link is followed.

use std::path::{Path, PathBuf};

use super::super::EffectError;
use super::super::fault::Steps;
use crate::FileIdentity;

/// What is to be removed.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum Seen<'a> {
    /// A file or symlink with this identity.
    File(&'a FileIdentity),
    /// A directory that is this inode.
    Directory(&'a FileIdentity),
}

impl Seen<'_> {
    fn action(self) -> &'static str {
        match self {
            Self::File(_) => "remove",
            Self::Directory(_) => "remove directory",
        }
    }

    fn is(self, now: &FileIdentity) -> bool {
        match self {
            Self::File(seen) => seen == now,
            Self::Directory(seen) => seen.is_same_file(now),
        }
    }
}

/// `below` in the tree at `top`; joining an empty path would end in a slash.
pub(in super::super) fn joined(top: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() {
        top.to_path_buf()
    } else {
        top.join(below)
    }
}

pub(in super::super) fn remove(steps: Steps<'_>, top: &Path, below: &Path, seen: Seen<'_>) -> Result<(), EffectError> {
    let path = joined(top, below);
    let action = seen.action();
    steps.before(action, &path)?;
    remove_now(top, &path, seen, EffectError::io(action, &path))
}

#[cfg(target_os = "linux")]
fn remove_now(
    top: &Path,
    path: &Path,
    seen: Seen<'_>,
    failed: impl FnOnce(std::io::Error) -> EffectError,
) -> Result<(), EffectError> {
    use std::fs::File;
    use std::os::fd::OwnedFd;

    use rustix::fs::{AtFlags, CWD, Mode, OFlags};
    use rustix::io::Errno;

    use super::parent;

    fn look_up(top: &Path, path: &Path) -> Result<(OwnedFd, FileIdentity), std::io::Error> {
        let here = OFlags::PATH | OFlags::CLOEXEC;
        let own = here | OFlags::NOFOLLOW;
        // Above the tree links are followed: people put whole directories elsewhere.
        let above = parent(top);
        let mut directory = rustix::fs::openat(CWD, above, here | OFlags::DIRECTORY, Mode::empty())?;
        let inner = path.parent().and_then(|inner| inner.strip_prefix(above).ok());
        for name in inner.into_iter().flatten() {
            directory = rustix::fs::openat(&directory, name, own | OFlags::DIRECTORY, Mode::empty())?;
        }
        let name = path.file_name().ok_or(Errno::INVAL)?;
        let file = File::from(rustix::fs::openat(&directory, name, own, Mode::empty())?);
        Ok((directory, FileIdentity::of(&file.metadata()?)))
    }

    let (directory, now) = match look_up(top, path) {
        Ok(found) => found,
        Err(error) => return Err(failed(error)),
    };
    if !seen.is(&now) {
        return Err(EffectError::Changed(path.into()));
    }
    let flags = match seen {
        Seen::File(_) => AtFlags::empty(),
        Seen::Directory(_) => AtFlags::REMOVEDIR,
    };
    let name = path.file_name().unwrap_or_default();
    rustix::fs::unlinkat(&directory, name, flags).map_err(|errno| failed(errno.into()))
}

/// Without a way to hold a directory that is on the way: looked at by its path, a moment before.
#[cfg(not(target_os = "linux"))]
fn remove_now(
    _top: &Path,
    path: &Path,
    seen: Seen<'_>,
    failed: impl FnOnce(std::io::Error) -> EffectError,
) -> Result<(), EffectError> {
    let removed = match FileIdentity::at(path) {
        Ok(now) if !seen.is(&now) => return Err(EffectError::Changed(path.into())),
        Ok(_) => match seen {
            Seen::File(_) => rustix::fs::unlink(path).map_err(Into::into),
            Seen::Directory(_) => rustix::fs::rmdir(path).map_err(Into::into),
        },
        Err(error) => Err(error),
    };
    removed.map_err(failed)
}
