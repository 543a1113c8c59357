//! Stale records: their process is gone, and neither Claude Code nor its cleanup removes them.

use std::path::{Path, PathBuf};

use sexton_sys::process::PidDomain;
use sexton_sys::{EffectError, Effects, FileIdentity};

use super::{Liveness, Observed, RegistryRecord, RegistryScan, SkipReason, observe, read_record};

/// A record whose process was dead when it was looked at, and the files that go with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleRecord {
    /// The record; what it alone knows must be written down before it is removed.
    pub record: RegistryRecord,
    /// Its key files, to be removed unopened.
    pub keys: Vec<PathBuf>,
}

/// What became of a stale record.
#[derive(Debug)]
#[non_exhaustive]
pub enum Removal {
    /// These files were removed, the record last.
    Removed(Vec<PathBuf>),
    /// The record stays where it is.
    Kept(Kept),
}

/// Why a record that looked stale was kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Kept {
    /// The file holds another process's record by now.
    #[error("belongs to another process by now")]
    Changed,
    /// The process isn't provably dead.
    #[error("{0}")]
    NotDead(Liveness),
    /// The file is gone.
    #[error("is gone already")]
    Gone,
    /// The file can't be read as a record any more.
    #[error("{0}")]
    Unreadable(SkipReason),
}

/// The records of a scan whose processes are provably dead, helpers included.
#[must_use]
pub fn stale_records(scan: &RegistryScan, observed: &[Observed]) -> Vec<StaleRecord> {
    observed
        .iter()
        .filter(|observed| observed.liveness.is_dead())
        .map(|observed| StaleRecord {
            keys: scan.keys.get(&observed.record.pid).cloned().unwrap_or_default(),
            record: observed.record.clone(),
        })
        .collect()
}

/// Removes a stale record and its key files, if it is still what it was and its process is still dead.
///
/// The record goes last: whoever is killed in between leaves something that the next prune finds.
pub fn remove_stale(effects: &Effects, stale: &StaleRecord, own: Option<&PidDomain>) -> Result<Removal, EffectError> {
    let path = &stale.record.path;
    let liveness = observe(&stale.record, own);
    if !liveness.is_dead() {
        return Ok(Removal::Kept(Kept::NotDead(liveness)));
    }
    let mut removed = Vec::new();
    for key in stale.keys.iter().filter(|key| is_older(key, path)) {
        match unchanged(&stale.record) {
            Ok(()) => {}
            Err(kept) => return Ok(Removal::Kept(kept)),
        }
        if remove_present(effects, key)? {
            removed.push(key.clone());
        }
    }
    if let Err(kept) = unchanged(&stale.record) {
        return Ok(Removal::Kept(kept));
    }
    if remove_present(effects, path)? {
        removed.push(path.clone());
    }
    Ok(Removal::Removed(removed))
}

/// Whether the path still holds the record of the same process.
fn unchanged(record: &RegistryRecord) -> Result<(), Kept> {
    match read_record(&record.path) {
        Ok(now) if now.is_same_process(record) => Ok(()),
        Ok(_) => Err(Kept::Changed),
        Err(SkipReason::Unreadable(error)) if error.kind() == std::io::ErrorKind::NotFound => Err(Kept::Gone),
        Err(reason) => Err(Kept::Unreadable(reason)),
    }
}

/// The client writes its key before its record. A key newer than the record is that of a new process with the same pid, which is
/// about to write its own.
fn is_older(key: &Path, record: &Path) -> bool {
    let modified = |path| FileIdentity::at(path).map(|identity| identity.modified);
    matches!((modified(key), modified(record)), (Ok(key), Ok(record)) if key <= record)
}

fn remove_present(effects: &Effects, path: &Path) -> Result<bool, EffectError> {
    match effects.remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.is_not_found() => Ok(false),
        Err(error) => Err(error),
    }
}
