//! From the facts about one session to its row.

use std::path::{Path, PathBuf};

use sexton_claude::registry::{Liveness, Observed, RegistryRecord, SessionProcesses};
use sexton_register::{Presence, SessionId, SessionLifecycle, derive_state, is_kept_name};
use sexton_sys::process::resident_bytes;

use super::{Evidence, Process, Row};

/// What can be seen of a session's process.
fn presence<'a>(claims: Option<&SessionProcesses<'a>>) -> Presence<'a> {
    match claims.map(|claims| (claims.first.liveness, claims.first)) {
        None => Presence::Absent,
        Some((Liveness::Dead(_), _)) => Presence::Stale,
        Some((Liveness::Alive { verified: true }, observed)) => Presence::Verified {
            status: observed.record.status.as_deref(),
        },
        // What can't be judged is shown as what it is: a process that nobody has verified.
        Some(_) => Presence::Unverified,
    }
}

/// The row of one session, as far as it can be told without its transcript.
pub(super) fn row(
    session: SessionId,
    lifecycle: Option<Box<SessionLifecycle>>,
    claims: Option<&SessionProcesses<'_>>,
    now_ms: i64,
) -> Row {
    let presence = presence(claims);
    let state = derive_state(lifecycle.as_deref(), presence, now_ms);
    let is_foreign = claims.is_some_and(|claims| matches!(claims.first.liveness, Liveness::NotJudgeable(_)));
    let recorded_name = lifecycle
        .as_ref()
        .and_then(|lifecycle| lifecycle.name.as_ref())
        .map(|event| event.kind.name.to_string());
    let shown = claims.map(SessionProcesses::newest);
    let shown_name = shown.and_then(|record| record.name.clone());
    let shown_source = shown.and_then(|record| record.name_source.as_deref());
    let recorded_dir = || {
        Some(PathBuf::from(
            lifecycle.as_ref()?.started.as_ref()?.kind.config_dir.as_str(),
        ))
    };
    let config_dir = claims
        .and_then(|claims| config_dir_of(&claims.first.record))
        .map(Path::to_path_buf)
        .or_else(recorded_dir);
    Row {
        session,
        state,
        evidence: Evidence::of(state, presence, is_foreign, lifecycle.as_deref()),
        // The rule by which names are recorded, too: what a person said here outranks what the client made up.
        name: shown_name
            .filter(|_| !is_kept_name(lifecycle.as_deref(), shown_source))
            .or(recorded_name),
        processes: claims
            .into_iter()
            .flat_map(SessionProcesses::all)
            .map(process)
            .collect(),
        transcripts: Vec::new(),
        config_dir,
        lifecycle,
        disposal: None,
        is_current: false,
        facts: None,
        sweep_due_ms: None,
        has_copy: false,
        is_routine: None,
        missing_since_ms: None,
    }
}

/// The configuration directory whose `sessions/` holds the record.
fn config_dir_of(record: &RegistryRecord) -> Option<&Path> {
    record.path.parent()?.parent()
}

fn process(observed: &Observed) -> Process {
    let record = &observed.record;
    Process {
        pid: record.pid,
        liveness: observed.liveness,
        kind: record.kind,
        status: record.status.clone(),
        waiting_for: record.waiting_for.clone(),
        started_at_ms: record.started_at_ms,
        version: record.version.clone(),
        cwd: record.cwd.clone(),
        config_dir: config_dir_of(record).map(Path::to_path_buf).unwrap_or_default(),
        record: record.path.clone(),
        name_source: record.name_source.clone(),
        resident_bytes: if observed.liveness.is_alive() {
            resident_bytes(record.pid)
        } else {
            None
        },
    }
}
