//! Faults on demand: what a full disk, a bad disk, a kill do at any chosen step.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::EffectError;

/// What strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// This one step fails with this OS error number, later ones go on.
    Error(i32),
    /// This step and all later ones fail with this OS error number.
    ErrorFromHere(i32),
    /// If the step is an append, only this many bytes reach the file; other steps fail with `ENOSPC`.
    ShortWrite(usize),
    /// This step and all later ones do nothing, as if the process had been killed, but the caller lives to be looked at.
    Stop,
    /// This process is killed with `SIGKILL` just before the step.
    Kill,
}

/// A step that is about to be taken.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// Counted from 0 over all effects of one [`super::Effects`].
    pub number: u64,
    /// What is about to be done, as an error would say it.
    pub action: &'static str,
    /// To what.
    pub path: &'a Path,
}

/// Which steps are struck, and with what.
///
/// A step is one system call that changes something, so that one effect can have several: a replace writes, renames and syncs.
#[derive(Debug)]
pub struct FaultPlan {
    strikes: Strikes,
    taken: AtomicU64,
    lasting: OnceLock<Fault>,
}

enum Strikes {
    At(u64, Fault),
    Asked(Box<dyn Fn(Step<'_>) -> Option<Fault> + Send + Sync>),
}

impl fmt::Debug for Strikes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(at, fault) => write!(f, "{fault:?} at {at}"),
            Self::Asked(_) => f.write_str("asked before each step"),
        }
    }
}

impl FaultPlan {
    /// Strikes at step number `at`.
    #[must_use]
    pub fn new(at: u64, fault: Fault) -> Self {
        Self::of(Strikes::At(at, fault))
    }

    /// Never strikes, only counts steps.
    #[must_use]
    pub fn count_only() -> Self {
        Self::new(u64::MAX, Fault::Stop)
    }

    /// Asks before each step, from whichever thread takes it: for faults of any pattern, for what others do meanwhile, for slow disks.
    #[must_use]
    pub fn asking(ask: impl Fn(Step<'_>) -> Option<Fault> + Send + Sync + 'static) -> Self {
        Self::of(Strikes::Asked(Box::new(ask)))
    }

    fn of(strikes: Strikes) -> Self {
        Self {
            strikes,
            taken: AtomicU64::new(0),
            lasting: OnceLock::new(),
        }
    }

    pub(super) fn steps_taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Counts one step and tells what strikes it.
    fn strike(&self, action: &'static str, path: &Path) -> Option<Fault> {
        let number = self.taken.fetch_add(1, Ordering::Relaxed);
        if let Some(lasting) = self.lasting.get() {
            return Some(*lasting);
        }
        let fault = match &self.strikes {
            Strikes::At(at, fault) => (*at == number).then_some(*fault),
            Strikes::Asked(ask) => ask(Step { number, action, path }),
        }?;
        if matches!(fault, Fault::Stop | Fault::ErrorFromHere(_)) {
            return Some(*self.lasting.get_or_init(|| fault));
        }
        Some(fault)
    }
}

/// The steps of one effect, under a fault plan or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps<'a> {
    plan: Option<&'a FaultPlan>,
}

impl<'a> Steps<'a> {
    pub(super) fn under(plan: Option<&'a FaultPlan>) -> Self {
        Self { plan }
    }

    /// Called just before each step.
    pub(super) fn before(self, action: &'static str, path: &Path) -> Result<(), EffectError> {
        match self.plan.and_then(|plan| plan.strike(action, path)) {
            None => Ok(()),
            Some(Fault::ShortWrite(_)) => Err(failed(action, path, rustix::io::Errno::NOSPC.raw_os_error())),
            Some(other) => strike(other, action, path),
        }
    }

    /// Called just before a write of `length` bytes: how many of them may reach the file.
    pub(super) fn before_write(self, action: &'static str, path: &Path, length: usize) -> Result<usize, EffectError> {
        match self.plan.and_then(|plan| plan.strike(action, path)) {
            None => Ok(length),
            Some(Fault::ShortWrite(bytes)) => Ok(bytes.min(length)),
            Some(other) => strike(other, action, path).map(|()| length),
        }
    }
}

fn strike(fault: Fault, action: &'static str, path: &Path) -> Result<(), EffectError> {
    match fault {
        Fault::Error(code) | Fault::ErrorFromHere(code) => Err(failed(action, path, code)),
        Fault::Kill => {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
            Err(EffectError::Stopped)
        }
        Fault::Stop | Fault::ShortWrite(_) => Err(EffectError::Stopped),
    }
}

fn failed(action: &'static str, path: &Path, code: i32) -> EffectError {
    EffectError::io(action, path)(io::Error::from_raw_os_error(code))
}
