//! Which sessions are copied into the vault in a pass, and which only the vault still knows.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::params;
use sexton_claude::footprint::footprints;
use sexton_register::SessionId;
use sexton_sys::{Effects, FileIdentity, FileTime, LockError};
use sexton_yard::tombstones::{Tombstones, load_tombstones, tombstone_path};

use super::decide::{Job, Place};
use super::survey::{Seen, Survey};
use super::writer::setting;
use super::{PassReport, PassRequest};
use crate::catalogue::{Catalogue, FileRole, session_number};
use crate::error::IndexError;
use crate::sum::Sum;
use crate::vault::{Source, Take, Vault, VaultError};

/// The setting that holds the time stamp of the vault's directory when it was last looked through.
pub(super) const STAMP: &str = "vault_stamp";

/// A transcript that was written to in the last so many milliseconds is still being written: it is copied once it rests. The sweep
/// takes nothing that is younger than a day.
const RESTED_MS: i64 = 5 * 60 * 1000;

/// Whether a transcript that was last written at `modified` rests at `now_ms`, so that it is copied.
#[must_use]
pub fn rests(modified: FileTime, now_ms: i64) -> bool {
    modified.as_ms() <= now_ms.saturating_sub(RESTED_MS)
}

/// So many sessions are looked at for their footprints at once.
const AT_ONCE: usize = 64;

/// What is copied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeepPolicy {
    /// Nothing but what was named.
    #[default]
    Named,
    /// Every session.
    All,
    /// Nothing at all.
    Off,
}

/// How the vault is filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keep {
    /// What is copied; sessions in [`crate::facts::Facts::kept`] are, whatever it says.
    pub policy: KeepPolicy,
    /// How much the vault may hold, in bytes.
    pub limit: u64,
}

/// Something about the vault that a person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CopyWarning {
    /// It is full, or too full for the next copy: what is not copied yet will not be.
    Full {
        /// What it holds, in bytes.
        held: u64,
        /// What it may hold, in bytes.
        limit: u64,
        /// Sessions that wait.
        waiting: usize,
    },
    /// A session could not be copied.
    Failed {
        /// The session.
        session: SessionId,
        /// Why.
        reason: String,
        /// Sessions that wait behind it, and were not tried since nothing could be written.
        waiting: usize,
    },
}

/// Copies what has changed and rests.
pub(super) fn take(
    catalogue: &mut Catalogue,
    effects: &Effects,
    request: &PassRequest<'_>,
    keep: &Keep,
    report: &mut PassReport,
) -> Result<(), IndexError> {
    let waiting = waiting(catalogue, request, keep, report)?;
    if waiting.is_empty() {
        return Ok(());
    }
    // Another process that is at it does this work as well; nobody waits for it.
    let _lock = match effects.lock(&super::lock_path(catalogue.path()), Duration::ZERO) {
        Err(LockError::Held(_)) => {
            report.finished = false;
            return Ok(());
        }
        lock => lock?,
    };
    let tombstones = AsTheyAre::of(request.tombstone_dir);
    let mut held = catalogue.copied_bytes()?;
    let mut left = waiting.len();
    for some in waiting.chunks(AT_ONCE) {
        if (request.should_stop_copying)() {
            report.finished = false;
            return Ok(());
        }
        let sessions = some.iter().map(|(session, _)| *session);
        let found = footprints(request.config_dirs, &report.survey.listing, sessions).sessions;
        let there: Vec<(Source, i64)> = some
            .iter()
            .filter_map(|(session, fingerprint)| Some((source(found.get(session)?, request)?, *fingerprint)))
            .collect();
        // What vanished since the listing waits for nothing.
        left -= some.len() - there.len();
        for (source, fingerprint) in &there {
            if (request.should_stop_copying)() {
                report.finished = false;
                return Ok(());
            }
            let session = source.session;
            let take = Take {
                now_ms: request.now_ms,
                room: keep.limit.saturating_sub(held),
                should_stop: request.should_stop_copying,
            };
            let full = |held, waiting| CopyWarning::Full {
                held,
                limit: keep.limit,
                waiting,
            };
            if take.room == 0 {
                report.warnings.push(full(held, left));
                return Ok(());
            }
            left -= 1;
            // A session that is deleted at this moment takes its copy along, and must not leave another behind.
            let is_wanted = || tombstones.contains(session).is_ok_and(|is_deleted| !is_deleted);
            let taken = match request.vault.take_if(effects, source, take, &is_wanted) {
                Ok(Some(taken)) => taken,
                Ok(None) => continue,
                Err(error) => {
                    // What could not be written for this one can't be written for the others either: one trouble, one warning.
                    let is_of_all = is_of_all(&error);
                    report.warnings.push(CopyWarning::Failed {
                        session,
                        reason: error.to_string(),
                        waiting: if is_of_all { left } else { 0 },
                    });
                    if is_of_all {
                        return Ok(());
                    }
                    continue;
                }
            };
            report.problems.extend(
                taken
                    .problems
                    .iter()
                    .map(|(name, reason)| (source.config_dir.join(name), reason.clone())),
            );
            // What counts is what a copy takes on disk, its manifest included.
            let stored = request.vault.stored_bytes(session)?;
            held = held.saturating_sub(catalogue.copied_bytes_of(session)?) + stored;
            catalogue.note_copy(
                session,
                if taken.complete { *fingerprint } else { 0 },
                stored,
                request.now_ms,
                taken.complete,
            )?;
            if taken.out_of_room {
                report.warnings.push(full(held, left + 1));
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The tombstones at the moment of each question; read again when the file has changed.
struct AsTheyAre<'d> {
    directory: &'d Path,
    known: RefCell<(Option<FileIdentity>, Tombstones)>,
}

impl<'d> AsTheyAre<'d> {
    fn of(directory: &'d Path) -> Self {
        Self {
            directory,
            known: RefCell::default(),
        }
    }

    fn contains(&self, session: SessionId) -> Result<bool, IndexError> {
        let mut known = self.known.borrow_mut();
        // The file may be a link to where it is kept.
        let now = tombstone_path(self.directory).metadata().ok();
        let now = now.as_ref().map(FileIdentity::of);
        if known.0 != now {
            *known = (now, load_tombstones(self.directory)?);
        }
        Ok(known.1.contains(session.as_str()))
    }
}

/// Whether no other session could be copied either.
fn is_of_all(error: &VaultError) -> bool {
    use std::io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    match error {
        VaultError::Lock(_) => true,
        VaultError::Effect(error) => matches!(error.kind(), Some(QuotaExceeded | ReadOnlyFilesystem | StorageFull)),
        _ => false,
    }
}

fn source(footprint: &sexton_claude::footprint::Footprint, request: &PassRequest<'_>) -> Option<Source> {
    // Parts of other config directories don't fit into one copy; the transcript's own is the one that counts.
    let config_dir = footprint.parts.first()?.config_dir;
    let root = &request.config_dirs.get(config_dir)?.path;
    let parts = footprint.parts.iter().filter(|part| part.config_dir == config_dir);
    let entries = parts.flat_map(|part| &part.entries);
    let names = entries.filter_map(|entry| Some(entry.path.strip_prefix(root).ok()?.to_path_buf()));
    Some(Source {
        session: footprint.session,
        config_dir: root.clone(),
        names: names.collect(),
    })
}

/// Sessions whose copies are out of date, the oldest transcripts first: those the sweep takes first.
fn waiting(
    catalogue: &Catalogue,
    request: &PassRequest<'_>,
    keep: &Keep,
    report: &PassReport,
) -> Result<Vec<(SessionId, i64)>, IndexError> {
    if keep.policy == KeepPolicy::Off && report.facts.kept.is_empty() {
        return Ok(Vec::new());
    }
    let mut by_session: BTreeMap<SessionId, (FileTime, Sum)> = BTreeMap::new();
    for seen in &report.survey.files {
        let by_policy = keep.policy == KeepPolicy::All && !report.facts.dropped.contains(&seen.session);
        let wanted = by_policy || report.facts.kept.contains(&seen.session);
        if wanted && !report.tombstones.contains(seen.session.as_str()) {
            let (newest, sum) = by_session
                .entry(seen.session)
                .or_insert((seen.identity.modified, Sum::default()));
            *newest = (*newest).max(seen.identity.modified);
            let FileIdentity {
                device,
                inode,
                size,
                modified,
            } = seen.identity;
            for number in [
                device,
                inode,
                size,
                modified.seconds.cast_unsigned(),
                u64::from(modified.nanoseconds),
            ] {
                sum.update(&number.to_le_bytes());
            }
        }
    }
    let copied = catalogue.copy_fingerprints()?;
    let mut waiting: Vec<(FileTime, SessionId, i64)> = Vec::new();
    for (session, (newest, sum)) in by_session {
        // Zero is never a fingerprint: it stands for a copy that isn't complete.
        let fingerprint = (sum.parts().0 | 1).cast_signed();
        if rests(newest, request.now_ms) && copied.get(&session) != Some(&fingerprint) {
            waiting.push((newest, session, fingerprint));
        }
    }
    waiting.sort_unstable();
    Ok(waiting
        .into_iter()
        .map(|(_, session, fingerprint)| (session, fingerprint))
        .collect())
}

/// The time stamp of the vault's directory, if it isn't the one it had when it was last looked through.
pub(super) fn changed_stamp(catalogue: &Catalogue, vault: &Vault) -> Result<Option<i64>, IndexError> {
    let stamp = match vault.directory().metadata() {
        Ok(metadata) => FileTime::modified(&metadata).as_ns().unwrap_or(0),
        // Somebody may have removed it, with what is noted of it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        Err(_) => return Ok(None),
    };
    let known = setting(&catalogue.connection, STAMP)?.unwrap_or(0);
    Ok((known != stamp).then_some(stamp))
}

/// What must be read from the vault, since neither the catalogue nor the projects know the session any more.
pub(super) fn unknown_sessions(
    catalogue: &Catalogue,
    survey: &Survey,
    vault: &Vault,
    is_hidden: &dyn Fn(SessionId) -> bool,
) -> Result<Vec<Job>, IndexError> {
    let known = catalogue.sessions_with_files()?;
    let mut jobs = Vec::new();
    for session in vault.sessions()? {
        if known.contains(&session) || is_hidden(session) || !survey.listing.transcripts_of(&session).is_empty() {
            continue;
        }
        // A copy that can't be read is told by `verify`; it must not stop a pass.
        let Ok(Some(manifest)) = vault.manifest(session) else {
            continue;
        };
        for name in manifest.files() {
            if let Some(role) = role_of(session, &name) {
                jobs.push(Job {
                    seen: Seen {
                        session,
                        role,
                        path: manifest.config_dir().join(&name),
                        identity: FileIdentity {
                            device: 0,
                            inode: 0,
                            size: 0,
                            modified: FileTime::from_ms(manifest.taken_ms()),
                        },
                    },
                    stored: None,
                    from: Place::Vault,
                });
            }
        }
    }
    Ok(jobs)
}

/// What a copied file is to its session; `None` if it is no transcript.
fn role_of(session: SessionId, name: &Path) -> Option<FileRole> {
    let file_name = name.file_name()?.to_str()?;
    if name.starts_with("projects") && file_name == format!("{session}.jsonl") {
        return Some(FileRole::Transcript);
    }
    let is_below = name.components().any(|part| part.as_os_str() == "subagents");
    let is_agent = file_name
        .strip_prefix("agent-")
        .is_some_and(|rest| rest.strip_suffix(".jsonl").is_some());
    (is_below && is_agent).then_some(FileRole::Subagent)
}

impl Catalogue {
    fn copied_bytes(&self) -> Result<u64, IndexError> {
        let sum: i64 = self
            .connection
            .query_row("SELECT coalesce(sum(stored), 0) FROM copy", [], |row| row.get(0))?;
        Ok(sum.cast_unsigned())
    }

    fn copied_bytes_of(&self, session: SessionId) -> Result<u64, IndexError> {
        let stored: i64 = self
            .connection
            .prepare_cached(
                "SELECT coalesce(sum(stored), 0) FROM copy JOIN session ON session.number = copy.session WHERE id = ?1",
            )?
            .query_row([session.as_str()], |row| row.get(0))?;
        Ok(stored.cast_unsigned())
    }

    fn copy_fingerprints(&self) -> Result<BTreeMap<SessionId, i64>, IndexError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT session.id, fingerprint FROM copy JOIN session ON session.number = copy.session")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
        let mut found = BTreeMap::new();
        for row in rows {
            let (id, fingerprint) = row?;
            if let Ok(session) = SessionId::parse(&id) {
                found.insert(session, fingerprint);
            }
        }
        Ok(found)
    }

    fn note_copy(
        &self,
        session: SessionId,
        fingerprint: i64,
        stored: u64,
        now_ms: i64,
        complete: bool,
    ) -> Result<(), IndexError> {
        let number = session_number(&self.connection, &mut std::collections::HashMap::new(), session)?;
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO copy VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![number, fingerprint, stored.cast_signed(), now_ms, complete])?;
        Ok(())
    }

    /// Forgets what was noted of a copy, so that the next pass looks at it again: after it was dropped, moved away or brought back.
    pub fn forget_copy(&self, session: SessionId) -> Result<(), IndexError> {
        self.connection.execute(
            "DELETE FROM copy WHERE session = (SELECT number FROM session WHERE id = ?1)",
            [session.as_str()],
        )?;
        Ok(())
    }

    /// Sessions whose flag differs from what the tombstones say, with what it should be.
    pub(super) fn wrong_flags(&self, tombstones: &Tombstones) -> Result<Vec<(SessionId, bool)>, IndexError> {
        let mut wrong = Vec::new();
        let is_hidden = |session: &SessionId| tombstones.contains(session.as_str());
        self.each_id("SELECT id FROM session WHERE hidden", |session| {
            if !is_hidden(&session) {
                wrong.push((session, false));
            }
        })?;
        // One row among others is read many times faster than one is found.
        let sessions: i64 = self
            .connection
            .query_row("SELECT coalesce(max(number), 0) FROM session", [], |row| row.get(0))?;
        if i64::try_from(tombstones.len()).is_ok_and(|tombstones| tombstones <= sessions / 8) {
            let mut statement = self
                .connection
                .prepare_cached("SELECT 1 FROM session WHERE id = ?1 AND NOT hidden")?;
            for session in tombstones.iter().filter_map(|id| SessionId::from_bytes(id.as_bytes())) {
                if statement.exists([session.as_str()])? {
                    wrong.push((session, true));
                }
            }
        } else if !tombstones.is_empty() {
            self.each_id("SELECT id FROM session WHERE NOT hidden", |session| {
                if is_hidden(&session) {
                    wrong.push((session, true));
                }
            })?;
        }
        Ok(wrong)
    }

    fn each_id(&self, sql: &str, mut each: impl FnMut(SessionId)) -> Result<(), IndexError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if let Some(session) = SessionId::from_bytes(row.get_ref(0)?.as_bytes().unwrap_or_default()) {
                each(session);
            }
        }
        Ok(())
    }

    /// Brings what is noted of copies in line with which of them lie there: those of which nothing is noted count for the vault's limit, and
    /// what is noted of one that somebody removed must not keep it from being taken again.
    pub(super) fn reconcile_copies(&self, vault: &Vault) -> Result<(), IndexError> {
        let known = self.copy_fingerprints()?;
        let held: BTreeSet<SessionId> = vault.sessions()?.into_iter().collect();
        for session in known.keys().filter(|session| !held.contains(session)) {
            self.forget_copy(*session)?;
        }
        for session in held {
            if !known.contains_key(&session)
                && let Ok(Some(status)) = vault.status(session)
            {
                self.note_copy(session, 0, status.stored_bytes, status.taken_ms, status.is_complete)?;
            }
        }
        Ok(())
    }

    /// Where a session's files lie in the vault, if the catalogue noted a copy: when it was taken, and whether it is complete.
    pub fn copies(&self) -> Result<BTreeMap<SessionId, (i64, bool)>, IndexError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT session.id, taken_ms, complete FROM copy JOIN session ON session.number = copy.session",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, (row.get(1)?, row.get(2)?))))?;
        let mut found = BTreeMap::new();
        for row in rows {
            let (id, copy) = row?;
            if let Ok(session) = SessionId::parse(&id) {
                found.insert(session, copy);
            }
        }
        Ok(found)
    }
}
