//! The one state a session is shown in: what can be seen now, else what the store says.

use std::fmt;

use crate::{MarkState, Outcome, SessionLifecycle};

/// For how long after a beginning a session without a process counts as on its way, in milliseconds.
///
/// `SWEEP_GRACE_MS` of the lifecycle document. The hook that records the beginning runs before Claude Code registers
/// its process, so a session that was launched a moment ago looks just like one that crashed.
pub const SWEEP_GRACE_MS: i64 = 60_000;

/// A session's state; `STATES` of the lifecycle document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Live: the model is at work.
    Working,
    /// Live: a shell command of the user's runs.
    Shell,
    /// Live: waits for its next prompt.
    Idle,
    /// Live: asks the user something.
    Waiting,
    /// Live, and says nothing that is known about what it does.
    Running,
    /// A process with its id lives, but whether it is this session's can't be told.
    Unverified,
    /// Recorded as begun a moment ago, not yet seen.
    Starting,
    /// Put aside by a person.
    OnHold,
    /// Called blocked by a person.
    Blocked,
    /// Called done by a person.
    Done,
    /// Gone without an end.
    Crashed,
    /// Ended, or never seen alive.
    Exited,
}

impl State {
    /// Every state, in the lifecycle document's order.
    pub const ALL: [Self; 12] = [
        Self::Working,
        Self::Shell,
        Self::Idle,
        Self::Waiting,
        Self::Running,
        Self::Unverified,
        Self::Starting,
        Self::OnHold,
        Self::Blocked,
        Self::Done,
        Self::Crashed,
        Self::Exited,
    ];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Shell => "shell",
            Self::Idle => "idle",
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Unverified => "unverified",
            Self::Starting => "starting",
            Self::OnHold => "on-hold",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Crashed => "crashed",
            Self::Exited => "exited",
        }
    }

    /// The state that `word` names, if it is one.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// Whether a process stands behind it; `LIVE_STATES` of the lifecycle document.
    #[must_use]
    pub fn is_live(self) -> bool {
        use State::{Idle, Running, Shell, Unverified, Waiting, Working};
        matches!(self, Working | Shell | Idle | Waiting | Running | Unverified)
    }

    /// Whether someone should come back to it; `LOOSE_END_STATES` of the lifecycle document.
    #[must_use]
    pub fn is_loose_end(self) -> bool {
        matches!(self, Self::Starting | Self::OnHold | Self::Blocked | Self::Crashed)
    }

    /// Whether it is shown only when asked for; `HIDDEN_BY_DEFAULT_STATES` of the lifecycle document.
    #[must_use]
    pub fn is_hidden_by_default(self) -> bool {
        matches!(self, Self::Done | Self::Exited)
    }
}

impl fmt::Display for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl From<MarkState> for State {
    fn from(mark: MarkState) -> Self {
        match mark {
            MarkState::OnHold => Self::OnHold,
            MarkState::Blocked => Self::Blocked,
            MarkState::Done => Self::Done,
        }
    }
}

impl From<Outcome> for State {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Exited => Self::Exited,
            Outcome::Crashed => Self::Crashed,
        }
    }
}

/// What can be seen of a session's process right now.
///
/// The lifecycle document's flags `live`, `verified`, `status` and `registry_present` in one value: `verified` and
/// `status` mean nothing without a process, and `registry_present` nothing with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence<'a> {
    /// Its process lives, and its start token proves that it is this one (`live` and `verified`).
    Verified {
        /// What Claude Code's registry says it is doing.
        status: Option<&'a str>,
    },
    /// A process with its id lives, but the start token could not be compared (`live` alone).
    Unverified,
    /// There is a registry file without its process (`registry_present` alone).
    Stale,
    /// There is nothing to be seen.
    Absent,
}

/// Decides the one state a session is shown in; `derive_state` of the lifecycle document.
///
/// What can be seen beats what was recorded: a live process is a fact that no line can contradict, not even a mark
/// that calls its session done. `now_ms` is in milliseconds since the Unix epoch.
#[must_use]
pub fn derive_state(lifecycle: Option<&SessionLifecycle>, presence: Presence<'_>, now_ms: i64) -> State {
    match presence {
        Presence::Unverified => return State::Unverified,
        Presence::Verified { status } => return live_state(status),
        Presence::Stale | Presence::Absent => {}
    }
    if let Some(mark) = lifecycle.and_then(|lifecycle| lifecycle.mark.as_ref()?.kind.state) {
        return mark.into();
    }
    if let Some(ended) = lifecycle.and_then(|lifecycle| lifecycle.ended.as_ref()) {
        return ended.kind.outcome.into();
    }
    if presence == Presence::Stale {
        return State::Crashed;
    }
    match lifecycle.and_then(|lifecycle| lifecycle.started.as_ref()) {
        Some(started) if is_within_grace(started.at.ms(), now_ms) => State::Starting,
        Some(_) => State::Crashed,
        None => State::Exited,
    }
}

/// Whether a beginning is so recent that its process need not be visible yet.
pub(crate) fn is_within_grace(started_ms: i64, now_ms: i64) -> bool {
    started_ms >= now_ms.saturating_sub(SWEEP_GRACE_MS)
}

/// The status words of Claude Code's registry; one that is not known yet still means a running process.
fn live_state(status: Option<&str>) -> State {
    match status {
        Some("busy") => State::Working,
        Some("shell") => State::Shell,
        Some("idle") => State::Idle,
        Some("waiting") => State::Waiting,
        _ => State::Running,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_in_exactly_one_group() {
        for state in State::ALL {
            let groups = [state.is_live(), state.is_loose_end(), state.is_hidden_by_default()];
            assert_eq!(groups.iter().filter(|group| **group).count(), 1, "{state}");
            assert_eq!(State::from_word(state.as_str()), Some(state));
        }
        let words = State::ALL.map(State::as_str).join(" ");
        assert_eq!(
            words,
            "working shell idle waiting running unverified starting on-hold blocked done crashed exited"
        );
    }
}
