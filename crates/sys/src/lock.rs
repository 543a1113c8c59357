//! Advisory locks between our own processes.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};

use crate::Effects;

/// Why a lock could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process holds it.
    #[error("`{0}` is locked by another process")]
    Held(PathBuf),
    /// The lock file could not be opened or locked.
    #[error("lock `{path}`: {source}")]
    Io {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A held exclusive lock; the kernel lets go of it when the value is dropped or the process dies, however it dies.
#[derive(Debug)]
pub struct Lock {
    /// `None` in a dry run, which leaves no lock file behind and changes nothing that a lock would protect.
    _file: Option<File>,
}

impl Effects {
    /// Takes the exclusive lock at `path`, waiting at most `patience` for another holder. The lock file stays behind, empty.
    pub fn lock(&self, path: &Path, patience: Duration) -> Result<Lock, LockError> {
        if self.is_dry_run() {
            return Ok(Lock { _file: None });
        }
        let failed = |source: io::Error| LockError::Io {
            path: path.to_path_buf(),
            source,
        };
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
        let file = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).map_err(|errno| failed(errno.into()))?;
        let file = File::from(file);
        let deadline = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Lock { _file: Some(file) }),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    return Err(LockError::Held(path.to_path_buf()));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_lock_is_refused_and_a_dropped_one_is_free() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let effects = Effects::apply();
        let held = effects.lock(&path, Duration::ZERO).unwrap();
        assert!(matches!(effects.lock(&path, Duration::ZERO), Err(LockError::Held(_))));
        drop(held);
        effects.lock(&path, Duration::ZERO).unwrap();
    }

    #[test]
    fn a_dry_run_leaves_no_lock_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        Effects::record().lock(&path, Duration::ZERO).unwrap();
        assert!(!path.exists());
    }
}
