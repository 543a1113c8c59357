//! Recording the end of sessions that died without one.

use std::path::Path;

use sexton_sys::Effects;

use super::{Lifecycles, append_event, read_session, session_file};
use crate::state::is_within_grace;
use crate::{
    Draft, Ended, Event, LifecycleError, Outcome, SessionId, SessionLifecycle, Source, Stamps, Text, summarize,
};

/// What a sweep did.
#[derive(Debug, Default)]
pub struct Sweep {
    /// The ends it wrote, by session.
    pub written: Vec<Event<Ended>>,
    /// What kept it from writing others, by session.
    pub problems: Vec<LifecycleError>,
}

/// Records a crash for every session that has begun, has no end, is not live and began longer ago than
/// [`crate::SWEEP_GRACE_MS`]; `sweep_crashed` of the lifecycle document.
///
/// Each session's file is read again just before the line is written, so that an end that was recorded since
/// `lifecycles` were loaded, by a hook or by another sweep, is not followed by a crash. One session's failure doesn't
/// keep the others from their end. Another sweep at once finds nothing left to do.
pub fn sweep_crashed(
    effects: &Effects,
    directory: &Path,
    lifecycles: &Lifecycles,
    is_live: impl Fn(SessionId) -> bool,
    now_ms: i64,
    stamps: &Stamps<'_>,
) -> Sweep {
    let mut sweep = Sweep::default();
    for (session, lifecycle) in lifecycles {
        if !is_overdue(lifecycle, now_ms) || is_live(*session) {
            continue;
        }
        match end(effects, directory, *session, now_ms, stamps) {
            Ok(written) => sweep.written.extend(written),
            Err(problem) => sweep.problems.push(problem),
        }
    }
    sweep
}

/// Whether a session that is not live should have an end by now.
fn is_overdue(lifecycle: &SessionLifecycle, now_ms: i64) -> bool {
    let started = lifecycle.started.as_ref();
    lifecycle.ended.is_none() && started.is_some_and(|started| !is_within_grace(started.at.ms(), now_ms))
}

fn end(
    effects: &Effects,
    directory: &Path,
    session: SessionId,
    now_ms: i64,
    stamps: &Stamps<'_>,
) -> Result<Option<Event<Ended>>, LifecycleError> {
    let current = summarize(session, read_session(&session_file(directory, session))?);
    let Some(started) = current.started.as_ref().filter(|_| is_overdue(&current, now_ms)) else {
        return Ok(None);
    };
    let ended = Ended {
        outcome: Outcome::Crashed,
        reason: None,
        detail: Text::new("no live process and no SessionEnd recorded"),
    };
    let draft = Draft::new(session, Source::Sweep, ended).not_before(&started.at, stamps);
    append_event(effects, directory, draft, stamps).map(Some)
}
