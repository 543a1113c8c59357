//! The observation pass: writing down what would be lost when the processes are gone.

use std::collections::BTreeSet;

use sexton_claude::registry::{StaleRecord, by_session};
use sexton_register::{
    Draft, Ended, Event, LifecycleError, Lifecycles, Loaded, Named, Outcome, SeenName, SessionId, SessionLifecycle,
    Source, Stamps, Sweep, Text, append_event, capture_name, is_kept_name, read_session, session_file, summarize,
    sweep_crashed,
};
use sexton_sys::Effects;

use super::Sources;
use crate::context::Context;

/// What an observation pass wrote, or, in a dry run, would have written.
#[derive(Debug, Default)]
pub struct Pass {
    /// Ends of sessions that died without a word.
    pub sweep: Sweep,
    /// Names that were new.
    pub named: Vec<Event<Named>>,
    /// The sessions whose names could not be written: their records are all that knows them.
    pub unnamed: BTreeSet<SessionId>,
    /// What could not be written.
    pub problems: Vec<LifecycleError>,
}

/// Records names that were seen and the ends of sessions that died, and brings `sources` up to date with it.
///
/// Names first: a crash that is recorded must not hide what the session was called.
pub fn record(context: &Context, sources: &mut Sources, effects: &Effects) -> Pass {
    let register = &context.places.register;
    let stamps = Stamps::new(context.clock.as_ref());
    let mut pass = Pass::default();
    for (session, name, source) in names(sources) {
        let lifecycle = sources.register.sessions.get(&session).map(Box::as_ref);
        let seen = SeenName {
            session,
            name: &name,
            name_source: source.as_deref(),
        };
        match capture_name(effects, register, lifecycle, seen, Source::Sweep, &stamps) {
            Ok(event) => pass.named.extend(event),
            Err(problem) => {
                pass.unnamed.insert(session);
                pass.problems.push(problem);
            }
        }
    }
    let live = sources
        .observation
        .live_sessions(sources.register.sessions.values().map(Box::as_ref));
    pass.sweep = sweep_crashed(
        effects,
        register,
        &sources.register.sessions,
        |session| live.contains(&session),
        context.now_ms(),
        &stamps,
    );
    refresh(&mut sources.register, &pass);
    sources.keep_summaries(context, effects);
    pass
}

/// What [`record_crashes`] wrote and could not write.
#[derive(Debug, Default)]
pub struct Crashes {
    /// What could not be written.
    pub problems: Vec<LifecycleError>,
    /// The sessions whose records must stay, since they are all that is left of the knowledge.
    pub unrecorded: BTreeSet<SessionId>,
}

/// Records a crash for every session of a stale registry record that nothing else explains: not live elsewhere, no end recorded.
///
/// Without that, removing the record would turn a crash into a quiet exit. The sweep covers sessions with a recorded beginning; this
/// covers those that the register has never heard of, too.
pub fn record_crashes(context: &Context, sources: &mut Sources, stale: &[StaleRecord], effects: &Effects) -> Crashes {
    let register = &context.places.register;
    let stamps = Stamps::new(context.clock.as_ref());
    let live = sources
        .observation
        .live_sessions(sources.register.sessions.values().map(Box::as_ref));
    let mut crashes = Crashes::default();
    // A helper is no session and has no end.
    let sessions: BTreeSet<SessionId> = stale
        .iter()
        .filter(|stale| !stale.record.spare)
        .map(|stale| stale.record.session)
        .collect();
    for session in sessions.into_iter().filter(|session| !live.contains(session)) {
        if sources.register.damaged.contains_key(&session) {
            // The end may stand in the damaged line; the record stays until the file is mended.
            crashes.unrecorded.insert(session);
            continue;
        }
        // Read again: a hook may have recorded the end since the register was loaded, and a crash must not follow it.
        let current = match read_session(&session_file(register, session)) {
            Ok(events) => summarize(session, events),
            Err(problem) => {
                crashes.problems.push(problem);
                crashes.unrecorded.insert(session);
                continue;
            }
        };
        if current.ended.is_some() {
            continue;
        }
        let ended = Ended {
            outcome: Outcome::Crashed,
            reason: None,
            detail: Text::new("its registry file was left by a dead process"),
        };
        let mut draft = Draft::new(session, Source::Sweep, ended);
        if let Some(started) = &current.started {
            draft = draft.not_before(&started.at, &stamps);
        }
        match append_event(effects, register, draft, &stamps) {
            Ok(event) => {
                let lifecycle = sources.register.sessions.entry(session);
                lifecycle
                    .or_insert_with(|| Box::new(SessionLifecycle::nothing(session)))
                    .ended = Some(event);
            }
            Err(problem) => {
                crashes.problems.push(problem);
                crashes.unrecorded.insert(session);
            }
        }
    }
    crashes
}

/// The name of each session as its newest process shows it, where it may be recorded.
///
/// One record a session: two processes may hold one id and would make the name flap.
fn names(sources: &Sources) -> Vec<(SessionId, String, Option<String>)> {
    let Loaded { sessions, damaged, .. } = &sources.register;
    let shown = by_session(&sources.observation.observed)
        .into_iter()
        .filter_map(|(session, processes)| {
            let record = processes.newest();
            let name = record.name.clone().filter(|name| !name.is_empty())?;
            let source = record.name_source.clone();
            let kept = is_kept_name(sessions.get(&session).map(Box::as_ref), source.as_deref())
                || damaged.contains_key(&session);
            (!kept).then_some((session, name, source))
        });
    shown.collect()
}

/// Puts what was written into the summaries, without reading the files again: each event is the newest of its kind by now.
fn refresh(register: &mut Loaded, pass: &Pass) {
    let sessions: &mut Lifecycles = &mut register.sessions;
    for event in &pass.named {
        sessions
            .entry(event.session)
            .or_insert_with(|| Box::new(SessionLifecycle::nothing(event.session)))
            .name = Some(Box::new(event.clone()));
    }
    for event in &pass.sweep.written {
        if let Some(lifecycle) = sessions.get_mut(&event.session) {
            lifecycle.ended = Some(event.clone());
        }
    }
}
