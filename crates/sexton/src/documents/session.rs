//! `list` and `show`.

use schemars::JsonSchema;
use serde::Serialize;

use super::{SCHEMA_VERSION, path, time};
use crate::roll::{Group, Hidden, Process, Row};

/// What `list --json` and `show --json` print.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionsDocument {
    /// The version of this document.
    pub schema_version: u32,
    /// The sessions, in the order of the list.
    pub sessions: Vec<SessionDocument>,
    /// How many sessions are left out because they are over or put away.
    pub hidden: HiddenCounts,
    /// Files that could not be read, each as a sentence.
    pub problems: Vec<String>,
}

/// How many sessions are left out, and why.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HiddenCounts {
    /// Done or exited.
    pub finished: usize,
    /// In the archive.
    pub archived: usize,
    /// With a tombstone.
    pub deleted: usize,
}

/// One session.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionDocument {
    /// Its id.
    pub id: String,
    /// `working shell idle waiting running unverified starting on-hold blocked done crashed exited`.
    pub state: String,
    /// `live`, `loose-end` or `finished`.
    pub group: String,
    /// How the state is known: `kernel pid foreign mark hook sweep registry transcript archive tombstone catalogue`.
    pub known_by: String,
    /// What it waits for, if it waits.
    pub waiting_for: Option<String>,
    /// Its display name.
    pub name: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its working directory.
    pub directory: Option<String>,
    /// Its model.
    pub model: Option<String>,
    /// Its version of Claude Code.
    pub version: Option<String>,
    /// When it began, as far as that was recorded.
    pub started: Option<String>,
    /// When it was last active.
    pub last_activity: Option<String>,
    /// The mark in force.
    pub mark: Option<MarkDocument>,
    /// Resident memory of its living processes.
    pub memory_bytes: Option<u64>,
    /// The registry records that claim it, the one that speaks for it first.
    pub processes: Vec<ProcessDocument>,
    /// The configuration directory that owns it.
    pub config_dir: Option<String>,
    /// Its transcripts.
    pub transcripts: Vec<String>,
    /// From when on Claude Code's cleanup may delete it.
    pub cleanup_due: Option<String>,
    /// Whether the vault keeps a copy.
    pub copy_kept: bool,
    /// Since when its transcript is missed; only catalogue or vault still know it.
    pub missing_since: Option<String>,
    /// Whether it is routine, where that is known.
    pub routine: Option<bool>,
    /// `archived` or `deleted`, if it was put away.
    pub put_away: Option<String>,
    /// Whether the caller runs inside it.
    pub current: bool,
}

/// A mark.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MarkDocument {
    /// `on-hold`, `blocked` or `done`.
    pub state: String,
    /// What the person wrote about it.
    pub note: Option<String>,
    /// When it was set.
    pub at: String,
}

/// A registry record and its process.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProcessDocument {
    /// The process id.
    pub pid: u32,
    /// Whether it lives; `null` if that can't be judged from here.
    pub alive: Option<bool>,
    /// Whether the kernel's start time was compared and is the recorded one.
    pub verified: bool,
    /// `interactive`, `background`, `daemon` or `worker`.
    pub kind: String,
    /// The registry's status word.
    pub status: Option<String>,
    /// When it started.
    pub started: Option<String>,
    /// Its registry file.
    pub record: String,
}

impl SessionsDocument {
    /// The document of these rows.
    #[must_use]
    pub fn new(rows: &[Row], hidden: Hidden, problems: &[String]) -> Self {
        let Hidden {
            finished,
            archived,
            deleted,
        } = hidden;
        Self {
            schema_version: SCHEMA_VERSION,
            sessions: rows.iter().map(SessionDocument::from).collect(),
            hidden: HiddenCounts {
                finished,
                archived,
                deleted,
            },
            problems: problems.to_vec(),
        }
    }
}

impl From<&Row> for SessionDocument {
    fn from(row: &Row) -> Self {
        let text = |value: Option<&str>| value.map(str::to_owned);
        let lifecycle = row.lifecycle.as_deref();
        let mark = lifecycle
            .and_then(|lifecycle| lifecycle.mark.as_ref())
            .and_then(|mark| {
                Some(MarkDocument {
                    state: mark.kind.state?.to_string(),
                    note: mark.kind.note.as_ref().map(ToString::to_string),
                    at: mark.at.to_string(),
                })
            });
        Self {
            id: row.session.to_string(),
            state: row.state.to_string(),
            group: Group::of(row.state).as_str().to_owned(),
            known_by: row.evidence.to_string(),
            waiting_for: row.process().and_then(|process| process.waiting_for.clone()),
            name: row.name.clone(),
            title: row.title().map(str::to_owned),
            directory: row.directory().as_deref().map(path),
            model: text(row.model()),
            version: text(row.version()),
            started: row.started_ms().map(time),
            last_activity: row.last_activity_ms().map(time),
            mark,
            memory_bytes: row.resident_bytes(),
            processes: row.processes.iter().map(ProcessDocument::from).collect(),
            config_dir: row.config_dir.as_deref().map(path),
            transcripts: row.transcripts.iter().map(|transcript| path(transcript)).collect(),
            cleanup_due: row.sweep_due_ms.map(time),
            copy_kept: row.has_copy,
            missing_since: row.missing_since_ms.map(time),
            routine: row.is_routine,
            put_away: row.disposal.map(|disposal| disposal.as_str().to_owned()),
            current: row.is_current,
        }
    }
}

impl From<&Process> for ProcessDocument {
    fn from(process: &Process) -> Self {
        use sexton_claude::registry::Liveness;
        let (alive, verified) = match process.liveness {
            Liveness::Dead(_) => (Some(false), false),
            Liveness::Alive { verified } => (Some(true), verified),
            _ => (None, false),
        };
        Self {
            pid: process.pid,
            alive,
            verified,
            kind: process.kind.as_str().to_owned(),
            status: process.status.clone(),
            started: process.started_at_ms.map(time),
            record: path(&process.record),
        }
    }
}
