//! `list` and `show`.

use std::borrow::Cow;
use std::path::Path;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::{SCHEMA_VERSION, time};
use crate::roll::{Disposal, Group, Hidden, Process, Row};

/// What `list --json` and `show --json` print.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionsDocument<'r> {
    /// The version of this document.
    pub schema_version: u32,
    /// The sessions, in the order of the list.
    pub sessions: Vec<SessionDocument<'r>>,
    /// How many sessions are left out because they are over or put away.
    pub hidden: HiddenCounts,
    /// Files that could not be read, each as a sentence.
    pub problems: &'r [String],
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
pub struct SessionDocument<'r> {
    /// Its id.
    pub id: &'r str,
    /// `working shell idle waiting running unverified starting on-hold blocked done crashed exited`.
    pub state: &'static str,
    /// `live`, `loose-end` or `finished`.
    pub group: &'static str,
    /// How the state is known: `kernel pid foreign mark hook sweep registry transcript archive tombstone catalogue`.
    pub known_by: &'static str,
    /// What it waits for, if it waits.
    pub waiting_for: Option<&'r str>,
    /// Its display name.
    pub name: Option<&'r str>,
    /// Its title.
    pub title: Option<&'r str>,
    /// Its working directory.
    pub directory: Option<Cow<'r, str>>,
    /// Its model.
    pub model: Option<&'r str>,
    /// Its version of Claude Code.
    pub version: Option<&'r str>,
    /// When it began, as far as that was recorded.
    pub started: Option<String>,
    /// When it was last active.
    pub last_activity: Option<String>,
    /// The mark in force.
    pub mark: Option<MarkDocument<'r>>,
    /// Resident memory of its living processes.
    pub memory_bytes: Option<u64>,
    /// The registry records that claim it, the one that speaks for it first.
    pub processes: Vec<ProcessDocument<'r>>,
    /// The configuration directory that owns it.
    pub config_dir: Option<Cow<'r, str>>,
    /// Its transcripts.
    pub transcripts: Vec<Cow<'r, str>>,
    /// From when on Claude Code's cleanup may delete it.
    pub cleanup_due: Option<String>,
    /// Whether the vault keeps a copy.
    pub copy_kept: bool,
    /// Since when its transcript is missed; only catalogue or vault still know it.
    pub missing_since: Option<String>,
    /// Whether it is routine, where that is known.
    pub routine: Option<bool>,
    /// `archived` or `deleted`, if it was put away.
    pub put_away: Option<&'static str>,
    /// Whether the caller runs inside it.
    pub current: bool,
}

/// A mark.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MarkDocument<'r> {
    /// `on-hold`, `blocked` or `done`.
    pub state: &'static str,
    /// What the person wrote about it.
    pub note: Option<&'r str>,
    /// When it was set.
    pub at: &'r str,
}

/// A registry record and its process.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProcessDocument<'r> {
    /// The process id.
    pub pid: u32,
    /// Whether it lives; `null` if that can't be judged from here.
    pub alive: Option<bool>,
    /// Whether the kernel's start time was compared and is the recorded one.
    pub verified: bool,
    /// `interactive`, `background`, `daemon` or `worker`.
    pub kind: &'static str,
    /// The registry's status word.
    pub status: Option<&'r str>,
    /// When it started.
    pub started: Option<String>,
    /// Its registry file.
    pub record: Cow<'r, str>,
}

impl<'r> SessionsDocument<'r> {
    /// The document of these rows.
    #[must_use]
    pub fn new(rows: &'r [Row], hidden: Hidden, problems: &'r [String]) -> Self {
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
            problems,
        }
    }

    /// The document of these rows as text, made in parts side by side where there are many.
    pub fn print(rows: &'r [Row], hidden: Hidden, problems: &'r [String]) -> serde_json::Result<String> {
        /// So many rows are printed faster than another thread is woken.
        const PART: usize = 256;
        let around = serde_json::to_string_pretty(&Self::new(&[], hidden, problems))?;
        // Nothing that comes from outside stands before it.
        let Some((before, after)) = around.split_once("[]").filter(|_| !rows.is_empty()) else {
            return Ok(around);
        };
        let parts: Vec<String> = rows.par_chunks(PART).map(elements).collect::<serde_json::Result<_>>()?;
        let size: usize = parts.iter().map(|part| part.len() + 2).sum();
        let mut text = String::with_capacity(around.len() + size + 16);
        text += before;
        let mut between = "[\n";
        // One after the other, so that not all is there twice.
        for part in parts {
            text += between;
            text += &part;
            between = ",\n";
        }
        text += "\n  ]";
        text += after;
        Ok(text)
    }
}

/// These rows as they stand in the document, without the brackets around them.
fn elements(rows: &[Row]) -> serde_json::Result<String> {
    /// As deep in the document as all of them.
    #[derive(Serialize)]
    struct Part<'r> {
        sessions: Vec<SessionDocument<'r>>,
    }
    let part = Part {
        sessions: rows.iter().map(SessionDocument::from).collect(),
    };
    let mut text = serde_json::to_string_pretty(&part)?;
    let start = text.find("[\n").map_or(0, |bracket| bracket + "[\n".len());
    text.truncate(text.len() - "\n  ]\n}".len());
    text.drain(..start);
    Ok(text)
}

impl<'r> From<&'r Row> for SessionDocument<'r> {
    fn from(row: &'r Row) -> Self {
        let lifecycle = row.lifecycle.as_deref();
        let mark = lifecycle
            .and_then(|lifecycle| lifecycle.mark.as_ref())
            .and_then(|mark| {
                Some(MarkDocument {
                    state: mark.kind.state?.as_str(),
                    note: mark.kind.note.as_deref(),
                    at: mark.at.as_str(),
                })
            });
        Self {
            id: row.session.as_str(),
            state: row.state.as_str(),
            group: Group::of(row.state).as_str(),
            known_by: row.evidence.as_str(),
            waiting_for: row.process().and_then(|process| process.waiting_for.as_deref()),
            name: row.name.as_deref(),
            title: row.title(),
            directory: row.directory().map(Path::to_string_lossy),
            model: row.model(),
            version: row.version(),
            started: row.started_ms().map(time),
            last_activity: row.last_activity_ms().map(time),
            mark,
            memory_bytes: row.resident_bytes(),
            processes: row.processes.iter().map(ProcessDocument::from).collect(),
            config_dir: row.config_dir.as_deref().map(Path::to_string_lossy),
            transcripts: row.transcripts.iter().map(|path| path.to_string_lossy()).collect(),
            cleanup_due: row.sweep_due_ms.map(time),
            copy_kept: row.has_copy,
            missing_since: row.missing_since_ms.map(time),
            routine: row.is_routine,
            put_away: row.disposal.map(Disposal::as_str),
            current: row.is_current,
        }
    }
}

impl<'r> From<&'r Process> for ProcessDocument<'r> {
    fn from(process: &'r Process) -> Self {
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
            kind: process.kind.as_str(),
            status: process.status.as_deref(),
            started: process.started_at_ms.map(time),
            record: process.record.to_string_lossy(),
        }
    }
}

#[cfg(test)]
mod tests {
    use sexton_register::State;

    use super::*;
    use crate::table::testing::row;

    #[test]
    fn printed_in_parts_it_is_the_same() {
        let problems = ["sessions: []".to_owned()];
        for count in [0, 1, 2, 600] {
            let rows: Vec<Row> = (0..count).map(|number| row(number, State::Exited, "[]", 1)).collect();
            let whole = SessionsDocument::new(&rows, Hidden::default(), &problems);
            assert_eq!(
                SessionsDocument::print(&rows, Hidden::default(), &problems).unwrap(),
                serde_json::to_string_pretty(&whole).unwrap()
            );
        }
    }
}
