//! What every operation needs: the way to change things, the time, the gate, and where our own files lie.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sexton_sys::{Clock, EffectError, Effects, Lock, LockError, random_u128};

use crate::archive::ArchivesError;
use crate::gate::Gate;
use crate::journal::{Journal, JournalError, OperationId};
use crate::tombstones::TombstoneError;

/// The ground that operations work on.
pub struct Yard<'a> {
    /// Carries changes out.
    pub effects: &'a Effects,
    /// Tells the time.
    pub clock: &'a dyn Clock,
    /// Tells what lives.
    pub gate: &'a dyn Gate,
    /// Where the journal, the lock and the trash lie: `$XDG_DATA_HOME/sexton`.
    pub data: PathBuf,
    /// Where the tombstone file lies, see [`crate::tombstones::tombstone_directory`].
    pub tombstones: PathBuf,
    /// How long another operation is waited for.
    pub patience: Duration,
    /// What is locked by those who write what goes along with sessions ([`crate::Survey::along`]); nothing, if its directory isn't there.
    pub along_lock: Option<PathBuf>,
}

/// How long those are waited for who write what goes along: they finish what they have begun, which may be a long transcript.
const ALONG_PATIENCE: Duration = Duration::from_secs(10);

/// What an operation holds.
#[derive(Debug)]
pub(crate) struct Locked {
    _operation: Lock,
    _along: Option<Lock>,
}

/// Why an operation did not begin; nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum YardError {
    /// Another process is at it.
    #[error("begin: another archive, delete, restore or empty is in progress")]
    InProgress,
    /// Another process writes what would go along.
    #[error("begin: another process is making copies")]
    Copying,
    /// The lock file can't be used.
    #[error(transparent)]
    Lock(LockError),
    /// The journal can't be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The tombstone file can't be read.
    #[error(transparent)]
    Tombstone(#[from] TombstoneError),
    /// The archive can't be put on the list of archives.
    #[error(transparent)]
    Archives(#[from] ArchivesError),
    /// The data directory can't be made.
    #[error(transparent)]
    Effect(#[from] EffectError),
    /// The kernel gave no random number for the operation's name.
    #[error("name the operation: {0}")]
    Random(io::Error),
}

impl Yard<'_> {
    /// The journal.
    #[must_use]
    pub fn journal(&self) -> Journal {
        Journal::below(&self.data)
    }

    /// A name for an operation that begins now.
    pub(crate) fn new_operation(&self) -> Result<OperationId, YardError> {
        let random = random_u128().map_err(YardError::Random)?;
        Ok(OperationId::new(self.clock.now_ms(), random))
    }

    /// Takes the operation lock, then that of what goes along.
    pub(crate) fn lock(&self) -> Result<Locked, YardError> {
        self.effects.create_directory(&self.data)?;
        let operation = self.effects.lock(&self.data.join("operation.lock"), self.patience);
        let operation = operation.map_err(|error| match error {
            LockError::Held(_) => YardError::InProgress,
            other => YardError::Lock(other),
        })?;
        let along = self.along_lock.as_deref();
        let along = along.filter(|path| path.parent().is_some_and(Path::is_dir));
        let along = match along.map(|path| self.effects.lock(path, self.patience.max(ALONG_PATIENCE))) {
            Some(Ok(lock)) => Some(lock),
            Some(Err(LockError::Held(_))) => return Err(YardError::Copying),
            // Where not even a lock can be made nobody writes copies.
            Some(Err(_)) | None => None,
        };
        Ok(Locked {
            _operation: operation,
            _along: along,
        })
    }
}
