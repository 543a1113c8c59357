//! How a session's state is known.

use std::fmt;

use sexton_register::{Presence, SessionLifecycle, Source, State};

/// What the state of a row rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Evidence {
    /// The kernel shows the process with the recorded start time.
    Kernel,
    /// A process has the pid, but its start time could not be compared.
    Pid,
    /// The registry names a process of another machine or container, which can't be looked at from here.
    Foreign,
    /// A person's mark.
    Mark,
    /// Claude Code's own hook recorded the end, or the beginning of a session that has no end yet.
    Hook,
    /// An observation pass found neither process nor end, and recorded that.
    Sweep,
    /// A registry file was left behind by a dead process.
    Registry,
    /// There is a transcript and nothing else.
    Transcript,
    /// It lies in the archive, and nothing else is known of it.
    Archive,
    /// It was deleted, and nothing else is known of it.
    Tombstone,
    /// Only catalogue or vault still know it.
    Catalogue,
}

impl Evidence {
    /// Everything that a state can rest on, from what is known best to what is known least.
    pub const ALL: [Self; 11] = [
        Self::Kernel,
        Self::Pid,
        Self::Foreign,
        Self::Mark,
        Self::Hook,
        Self::Sweep,
        Self::Registry,
        Self::Transcript,
        Self::Archive,
        Self::Tombstone,
        Self::Catalogue,
    ];

    /// What `state`, as derived from these facts, rests on.
    #[must_use]
    pub fn of(state: State, presence: Presence<'_>, is_foreign: bool, lifecycle: Option<&SessionLifecycle>) -> Self {
        match presence {
            Presence::Verified { .. } => return Self::Kernel,
            Presence::Unverified if is_foreign => return Self::Foreign,
            Presence::Unverified => return Self::Pid,
            Presence::Stale | Presence::Absent => {}
        }
        if lifecycle.is_some_and(|lifecycle| lifecycle.mark.is_some()) {
            return Self::Mark;
        }
        match lifecycle.and_then(|lifecycle| lifecycle.ended.as_ref()) {
            Some(ended) if ended.source == Source::Sweep => return Self::Sweep,
            Some(_) => return Self::Hook,
            None => {}
        }
        match (presence, state) {
            (Presence::Stale, _) => Self::Registry,
            (_, State::Starting | State::Crashed) => Self::Hook,
            _ => Self::Transcript,
        }
    }

    /// One word, for a column.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Pid => "pid",
            Self::Foreign => "foreign",
            Self::Mark => "mark",
            Self::Hook => "hook",
            Self::Sweep => "sweep",
            Self::Registry => "registry",
            Self::Transcript => "transcript",
            Self::Archive => "archive",
            Self::Tombstone => "tombstone",
            Self::Catalogue => "catalogue",
        }
    }

    /// A sentence, for one session's page.
    #[must_use]
    pub fn sentence(self, state: State) -> &'static str {
        match (self, state) {
            (Self::Kernel, _) => "its process runs, and the kernel's start time is the recorded one",
            (Self::Pid, _) => "a process has its pid, but the start time could not be compared",
            (Self::Foreign, _) => {
                "its process belongs to another machine or container and can't be looked at from here"
            }
            (Self::Mark, _) => "you marked it, and nothing runs it",
            (Self::Hook, State::Starting) => {
                "Claude Code reported its start less than a minute ago; no process is registered yet"
            }
            (Self::Hook, State::Crashed) => "Claude Code reported its start, never its end, and no process runs it",
            (Self::Hook, _) => "Claude Code reported its end",
            (Self::Sweep, _) => "an observation found no process and no reported end",
            (Self::Registry, _) => "its process is gone and left its registry file behind",
            (Self::Transcript, _) => "only its transcript is known; nothing runs it",
            (Self::Archive, _) => "it lies in the archive; nothing runs it",
            (Self::Tombstone, _) => "it was deleted; only its tombstone is known here",
            (Self::Catalogue, _) => "its transcript is gone; only the catalogue or the vault still know it",
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
