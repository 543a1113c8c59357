//! One session, as people see it.

use std::path::{Path, PathBuf};

use sexton_claude::registry::{Liveness, ProcessKind};
use sexton_register::{Event, Kind, SessionId, SessionLifecycle, Source, State, Timestamp};

use super::{Evidence, Facts};
use crate::render::one_line;

/// One session and everything that is known about it without opening its transcript.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its id.
    pub session: SessionId,
    /// Its state.
    pub state: State,
    /// What the state rests on.
    pub evidence: Evidence,
    /// What the register says.
    pub lifecycle: Option<Box<SessionLifecycle>>,
    /// The registry records that claim it, the one that speaks for it first.
    pub processes: Vec<Process>,
    /// Its display name: the registry's, else the recorded one.
    pub name: Option<String>,
    /// Its transcripts in `projects/`, in the order of the configuration directories; usually one.
    pub transcripts: Vec<PathBuf>,
    /// The configuration directory that owns it, if a transcript, process or event tells.
    pub config_dir: Option<PathBuf>,
    /// Whether it was put away.
    pub disposal: Option<Disposal>,
    /// Whether the person sits in it right now.
    pub is_current: bool,
    /// What its transcript says, once it has been read; see [`super::Roll::read_transcripts`].
    pub facts: Option<Facts>,
    /// From when on Claude Code's cleanup may delete it, in milliseconds since the Unix epoch, if it has a transcript in `projects/`.
    pub sweep_due_ms: Option<i64>,
    /// Whether the vault holds a copy.
    pub has_copy: bool,
    /// Whether it is routine, by the rule or a person's word.
    pub is_routine: Option<bool>,
    /// Since when its transcript is missed, in milliseconds since the Unix epoch: only catalogue or vault still know it.
    pub missing_since_ms: Option<i64>,
}

/// A registry record and what the kernel says about its process.
#[derive(Debug, Clone)]
pub struct Process {
    /// The process id.
    pub pid: u32,
    /// Whether it lives.
    pub liveness: Liveness,
    /// What kind of client it is.
    pub kind: ProcessKind,
    /// The registry's status word.
    pub status: Option<String>,
    /// What it waits for.
    pub waiting_for: Option<String>,
    /// When it started, in milliseconds since the Unix epoch.
    pub started_at_ms: Option<i64>,
    /// Its version of Claude Code.
    pub version: Option<String>,
    /// Its working directory.
    pub cwd: Option<PathBuf>,
    /// Its configuration directory.
    pub config_dir: PathBuf,
    /// Its registry file.
    pub record: PathBuf,
    /// Where its name comes from.
    pub name_source: Option<String>,
    /// Its resident memory in bytes, if it lives.
    pub resident_bytes: Option<u64>,
}

/// How a session was put away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Disposal {
    /// It lies in the archive.
    Archived,
    /// It has a tombstone.
    Deleted,
}

impl Disposal {
    /// One word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Archived => "archived",
            Self::Deleted => "deleted",
        }
    }
}

impl Row {
    /// Notes whether it was put away; what has no transcript in `projects/` any more may have one in the archive.
    pub(super) fn dispose(&mut self, is_deleted: bool, archived: Option<&PathBuf>) {
        let is_absent = self.transcripts.is_empty();
        if is_absent {
            self.transcripts.extend(archived.cloned());
        }
        // A copy in the archive beside a transcript in `projects/` is a session that goes on.
        self.disposal = match (is_deleted, archived) {
            (true, _) => Some(Disposal::Deleted),
            (false, Some(_)) if is_absent => Some(Disposal::Archived),
            _ => None,
        };
        if is_absent && self.evidence == Evidence::Transcript {
            self.evidence = match self.disposal {
                Some(Disposal::Archived) => Evidence::Archive,
                Some(Disposal::Deleted) => Evidence::Tombstone,
                None => Evidence::Hook,
            };
        }
    }

    /// The process that speaks for the session, if one lives or can't be judged.
    #[must_use]
    pub fn process(&self) -> Option<&Process> {
        self.processes.first().filter(|process| !process.liveness.is_dead())
    }

    /// Its title, as its transcript tells it.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.facts.as_ref()?.title.as_deref()
    }

    /// What to call it: its name, else its title, on one line and safe to look at.
    #[must_use]
    pub fn label(&self) -> Option<String> {
        self.name
            .as_deref()
            .or_else(|| self.title())
            .map(one_line)
            .filter(|label| !label.is_empty())
    }

    /// What was noted with the mark that it has.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        let mark = &self.lifecycle.as_ref()?.mark.as_ref()?.kind;
        mark.state.and(mark.note.as_ref()).map(|note| &**note)
    }

    /// When its newest run began, in milliseconds since the Unix epoch: the process's start, else the recorded one.
    #[must_use]
    pub fn started_ms(&self) -> Option<i64> {
        let from_process = self.process().and_then(|process| process.started_at_ms);
        from_process.or_else(|| Some(self.lifecycle.as_ref()?.started.as_ref()?.at.ms()))
    }

    /// The directory it works in: the transcript's newest, else the process's, else the register's.
    #[must_use]
    pub fn directory(&self) -> Option<&Path> {
        let from_transcript = self.facts.as_ref().and_then(|facts| facts.directory.as_deref());
        let from_process = || self.process().and_then(|process| process.cwd.as_deref());
        let from_register = || Some(Path::new(self.lifecycle.as_ref()?.directory()?.as_str()));
        from_transcript.or_else(from_process).or_else(from_register)
    }

    /// The model: the transcript's last, else the recorded one.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        let from_transcript = self.facts.as_ref().and_then(|facts| facts.model.as_deref());
        from_transcript.or_else(|| self.lifecycle.as_ref()?.started.as_ref()?.kind.model.as_deref())
    }

    /// The version of Claude Code: the process's, else the transcript's last, else the recorded one.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        let from_process = self.process().and_then(|process| process.version.as_deref());
        let from_transcript = || self.facts.as_ref().and_then(|facts| facts.version.as_deref());
        let from_register = || {
            self.lifecycle
                .as_ref()?
                .started
                .as_ref()?
                .kind
                .claude_version
                .as_deref()
        };
        from_process.or_else(from_transcript).or_else(from_register)
    }

    /// When it was last active, in milliseconds since the Unix epoch: its newest message, else the newest event, else its start.
    ///
    /// What an observation pass of ours wrote down is no activity: a session that died last week must not look as if it had died just
    /// now because it was listed. It counts where nothing else is known.
    #[must_use]
    pub fn last_activity_ms(&self) -> Option<i64> {
        let from_transcript = self.facts.as_ref().and_then(|facts| facts.last_activity_ms);
        let from_register = || last_event_ms(self.lifecycle.as_ref()?);
        let from_process = || self.processes.iter().filter_map(|process| process.started_at_ms).max();
        let observed = || self.lifecycle.as_ref()?.last_at.as_ref().map(Timestamp::ms);
        from_transcript
            .or_else(from_register)
            .or_else(from_process)
            .or_else(observed)
    }

    /// Resident memory of all its living processes, in bytes.
    #[must_use]
    pub fn resident_bytes(&self) -> Option<u64> {
        self.processes
            .iter()
            .filter_map(|process| process.resident_bytes)
            .reduce(u64::saturating_add)
    }
}

/// When the newest event was written that reports something and is no observation of ours.
fn last_event_ms(lifecycle: &SessionLifecycle) -> Option<i64> {
    fn reported<K: Kind>(event: Option<&Event<K>>) -> Option<i64> {
        event
            .filter(|event| event.source != Source::Sweep)
            .map(|event| event.at.ms())
    }
    [
        reported(lifecycle.started.as_ref()),
        reported(lifecycle.ended.as_ref()),
        reported(lifecycle.name.as_deref()),
        reported(lifecycle.mark.as_deref()),
        reported(lifecycle.moved.as_deref()),
    ]
    .into_iter()
    .flatten()
    .max()
}
