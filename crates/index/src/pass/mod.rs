//! Bringing the catalogue up to date: what is new in the files is read, what vanished is noticed, what is deleted is hidden.
//!
//! A pass that has nothing to do costs a listing and a stat a file, and writes nothing. One process writes at a time; another that finds
//! the lock taken waits, if its answer hangs on that, or answers from what is there. Tombstones that can't be read stop a pass before it begins.

mod archived;
mod copies;
mod decide;
mod read;
mod reading;
mod retained;
mod settled;
mod slices;
mod survey;
mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sexton_claude::config_dirs::ConfigDirectory;
use sexton_register::SessionId;
use sexton_sys::{Effects, Lock, LockError};
use sexton_yard::tombstones::{Tombstones, load_tombstones};

pub use copies::{CopyWarning, Keep, KeepPolicy, rests};
pub use survey::{Seen, Survey, survey};
pub(crate) use writer::forget_file;

use crate::catalogue::Catalogue;
use crate::error::IndexError;
use crate::facts::{FactStore, Facts};
use crate::vault::Vault;
use decide::{Comparison, Decisions};
use writer::Writer;

/// What a pass works on, and its bounds.
#[derive(Clone, Copy)]
pub struct PassRequest<'p> {
    /// Whose `projects` are read.
    pub config_dirs: &'p [ConfigDirectory],
    /// The directory of the tombstone file.
    pub tombstone_dir: &'p Path,
    /// Sessions that lie in an archive, with their transcripts there: gone from `projects`, and not missing.
    pub archived: &'p BTreeMap<SessionId, PathBuf>,
    /// Where facts lie.
    pub facts: &'p FactStore,
    /// The vault: read for sessions whose transcripts are gone, and filled if `keep` says so.
    pub vault: &'p Vault,
    /// What is copied into the vault; `None` to leave it alone.
    pub keep: Option<&'p Keep>,
    /// Whether what tools gave back is indexed. Changing it takes effect for what is read from then on.
    pub tool_output: bool,
    /// The time, in milliseconds since the Unix epoch.
    pub now_ms: i64,
    /// Whether another process's pass is waited for, until `should_stop`. Else this one answers from what is there.
    pub waits: bool,
    /// Asked between slices of some megabytes; once it is true the pass ends, and the next one goes on from there.
    pub should_stop: &'p (dyn Fn() -> bool + Sync),
    /// The same for the copies, which come when everything has been read and which no answer waits for.
    pub should_stop_copying: &'p (dyn Fn() -> bool + Sync),
    /// Told how far the pass is.
    pub progress: &'p (dyn Fn(Progress) + Sync),
}

/// How far a pass is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of transcripts read so far.
    pub bytes_read: u64,
    /// Bytes to be read in all, roughly: files grow.
    pub bytes_total: u64,
    /// Files read so far.
    pub files_read: usize,
    /// Files to be read in all.
    pub files_total: usize,
}

/// What a pass did.
#[derive(Debug, Default)]
pub struct PassReport {
    /// What lies there.
    pub survey: Survey,
    /// The facts after the pass.
    pub facts: Facts,
    /// The tombstones it obeyed.
    pub tombstones: Tombstones,
    /// How far it came.
    pub progress: Progress,
    /// Whether the catalogue is up to date with everything that could be read.
    pub finished: bool,
    /// Whether another process was writing, so that this one did not.
    pub busy: bool,
    /// Files that could not be read, with the reason.
    pub problems: Vec<(PathBuf, String)>,
    /// What concerns the vault.
    pub warnings: Vec<CopyWarning>,
}

/// Brings `catalogue` up to date within the request's bounds.
pub fn run(catalogue: &mut Catalogue, effects: &Effects, request: PassRequest<'_>) -> Result<PassReport, IndexError> {
    let tombstones = load_tombstones(request.tombstone_dir)?;
    let survey = survey(request.config_dirs);
    let mut report = PassReport {
        problems: survey.problems.clone(),
        survey,
        tombstones,
        finished: true,
        ..PassReport::default()
    };
    // Facts that can't be read cost the marks that hang on them, not the search.
    let facts = request.facts.load();
    let has_facts = facts.is_ok();
    match facts {
        Ok(facts) => report.facts = facts,
        Err(error) => report
            .problems
            .push((request.facts.directory().to_path_buf(), error.to_string())),
    }
    let changes = Changes::find(catalogue, effects, &report, &request)?;
    if !changes.is_empty() {
        if effects.is_dry_run() && !catalogue.takes_without_effects() {
            report.finished = false;
            return Ok(report);
        }
        if let Some(_lock) = turn(catalogue.path(), effects, &request, &mut report)? {
            // Another process may have done it since.
            let changes = Changes::find(catalogue, effects, &report, &request)?;
            bring_up_to_date(catalogue, changes, &request, &mut report)?;
        } else {
            report.finished = false;
            report.busy = true;
        }
    }
    if has_facts {
        retained::stamp(catalogue, effects, &request, &mut report)?;
    }
    if let Some(keep) = request.keep
        && !report.busy
        && !effects.is_dry_run()
    {
        copies::take(catalogue, effects, &request, keep, &mut report)?;
    }
    Ok(report)
}

/// Takes the lock of the one process that writes; `None` if another one keeps it.
fn turn(
    catalogue: &Path,
    effects: &Effects,
    request: &PassRequest<'_>,
    report: &mut PassReport,
) -> Result<Option<Lock>, IndexError> {
    const LOOK_UP: Duration = Duration::from_millis(50);
    let path = lock_path(catalogue);
    let mut has_waited = false;
    let mut patience = Duration::ZERO;
    loop {
        match effects.lock(&path, patience) {
            Err(LockError::Held(_)) if request.waits && !(request.should_stop)() => {
                (request.progress)(Progress::default());
                (has_waited, patience) = (true, LOOK_UP);
            }
            Err(LockError::Held(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
            Ok(lock) if has_waited => {
                // The other one may have read more than what lay there when we looked, and something may be deleted since.
                let others = report.problems.split_off(report.survey.problems.len());
                report.survey = survey(request.config_dirs);
                report.problems.clone_from(&report.survey.problems);
                report.problems.extend(others);
                report.tombstones = load_tombstones(request.tombstone_dir)?;
                return Ok(Some(lock));
            }
            Ok(lock) => return Ok(Some(lock)),
        }
    }
}

fn lock_path(catalogue: &Path) -> PathBuf {
    catalogue.with_extension("pass-lock")
}

/// What differs between the catalogue and what lies there.
#[derive(Default)]
struct Changes {
    decisions: Decisions,
    /// Sessions whose rows must be hidden or shown again.
    hidden: Vec<(SessionId, bool)>,
    /// The vault's directory has changed since it was looked through for sessions that nothing else knows.
    vault_stamp: Option<i64>,
}

impl Changes {
    fn find(
        catalogue: &Catalogue,
        effects: &Effects,
        report: &PassReport,
        request: &PassRequest<'_>,
    ) -> Result<Self, IndexError> {
        // One snapshot, and one lock instead of one for each question.
        let snapshot = catalogue.snapshot()?;
        let vault_stamp = copies::changed_stamp(catalogue, request.vault)?;
        let seen = settled::Seen::of(&report.survey, &report.tombstones, request.archived);
        if vault_stamp.is_none() && seen.is_settled(&catalogue.connection)? {
            return Ok(Self::default());
        }
        let mut comparison = Comparison::with(&report.survey);
        let stored = catalogue.stored(|look| comparison.settles(&look))?;
        let is_hidden = |session: SessionId| report.tombstones.contains(session.as_str());
        let from_archive = archived::unknown_sessions(catalogue, &report.survey, request.archived, &is_hidden)?;
        let mut from_vault = match vault_stamp {
            Some(_) => copies::unknown_sessions(catalogue, &report.survey, request.vault, &is_hidden)?,
            None => Vec::new(),
        };
        // The archive has the file itself.
        let archived: BTreeSet<SessionId> = from_archive.iter().map(|job| job.seen.session).collect();
        from_vault.retain(|job| !archived.contains(&job.seen.session));
        let mut decisions = comparison.decide(stored, &is_hidden);
        decisions.jobs.extend(from_archive.into_iter().chain(from_vault));
        let changes = Self {
            decisions,
            hidden: catalogue.wrong_flags(&report.tombstones)?,
            vault_stamp,
        };
        if changes.is_empty() && !effects.is_dry_run() {
            seen.settle(&catalogue.connection, snapshot)?;
        }
        Ok(changes)
    }

    fn is_empty(&self) -> bool {
        self.decisions.is_empty() && self.hidden.is_empty() && self.vault_stamp.is_none()
    }
}

fn bring_up_to_date(
    catalogue: &Catalogue,
    changes: Changes,
    request: &PassRequest<'_>,
    report: &mut PassReport,
) -> Result<(), IndexError> {
    let mut writer = Writer::new(catalogue)?;
    writer.settle(&changes.decisions)?;
    for (session, hidden) in changes.hidden {
        writer.hide(session, hidden)?;
    }
    writer.commit()?;
    read::read_all(catalogue, &mut writer, &changes.decisions.jobs, request, report)?;
    if report.finished
        && let Some(stamp) = changes.vault_stamp
    {
        catalogue.reconcile_copies(request.vault)?;
        writer::set_setting(&catalogue.connection, copies::STAMP, stamp)?;
    }
    Ok(())
}
