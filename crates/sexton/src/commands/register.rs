//! `sexton register …`: the store for other programs, one line in, lines out.

mod arguments;
mod repair;

use std::fmt::Write;
use std::io::Read;
use std::path::Path;

use rayon::prelude::*;
use sexton_register::{
    Event, Kind, LifecycleError, Lifecycles, Presence, SeenName, SessionId, Stamps, append_event, capture_name,
    derive_state, load_all, load_all_tolerant, parse_draft, read_session, session_file, summarize, sweep_crashed,
};

pub use arguments::Arguments;
use arguments::{Name, Plumbing, StateFlags};

use crate::context::Context;
use crate::error::CommandError;
use crate::render;
use crate::report::Report;

/// Longer events are refused: a line of the store has some hundred bytes.
const LARGEST_EVENT: u64 = 16 * 1024 * 1024;

/// Runs the command.
pub fn run(arguments: Arguments, context: &Context) -> Result<Report, CommandError> {
    match arguments.plumbing {
        Plumbing::Append { dry_run } => append(context, &dry_run.effects()),
        Plumbing::Read { file } => read_session(&file).map(|events| lines(&events)).map_err(refused),
        Plumbing::Summary { file } => {
            let events = read_session(&file).map_err(refused)?;
            Ok(Report::text(summary_line(&file, events)))
        }
        Plumbing::Load { strict: true } => load_all(&context.places.register)
            .map(|sessions| summaries(&sessions))
            .map_err(refused),
        Plumbing::Load { strict: false } => {
            let loaded = load_all_tolerant(&context.places.register).map_err(refused)?;
            Ok(summaries(&loaded.sessions).with_problems(loaded.problems.iter().map(ToString::to_string)))
        }
        Plumbing::Sweep { now_ms, live, dry_run } => {
            let register = &context.places.register;
            let sessions = load_all_tolerant(register).map_err(refused)?;
            let stamps = Stamps::new(context.clock.as_ref());
            let sweep = sweep_crashed(
                &dry_run.effects(),
                register,
                &sessions.sessions,
                |id| live.contains(&id),
                now_ms,
                &stamps,
            );
            let problems = sessions.problems.iter().chain(&sweep.problems).map(ToString::to_string);
            Ok(lines(&sweep.written).with_problems(problems))
        }
        Plumbing::Name(name) => record_name(&name, context),
        Plumbing::State { file, now_ms, seen } => state(&file, now_ms, &seen),
        Plumbing::Repair { file, dry_run } => repair::run(&file, &dry_run.effects(), context),
    }
}

/// The store's errors begin with the file, as compilers' do, and need nothing before them.
fn refused(error: LifecycleError) -> CommandError {
    CommandError::refused(error)
}

fn append(context: &Context, effects: &sexton_sys::Effects) -> Result<Report, CommandError> {
    let mut text = Vec::new();
    std::io::stdin()
        .lock()
        .take(LARGEST_EVENT + 1)
        .read_to_end(&mut text)
        .map_err(|error| CommandError::refused(format_args!("read stdin: {error}")))?;
    if text.len() as u64 > LARGEST_EVENT {
        return Err(CommandError::refused(format_args!(
            "read an event: it is longer than {LARGEST_EVENT} bytes"
        )));
    }
    let text = String::from_utf8(text).map_err(|_| CommandError::refused("read an event: stdin is not UTF-8"))?;
    let draft = parse_draft(&text).map_err(|error| CommandError::refused(format_args!("read an event: {error}")))?;
    let event = append_event(
        effects,
        &context.places.register,
        draft,
        &Stamps::new(context.clock.as_ref()),
    )
    .map_err(refused)?;
    Ok(lines(&[event]))
}

fn record_name(name: &Name, context: &Context) -> Result<Report, CommandError> {
    let register = &context.places.register;
    let events = read_session(&session_file(register, name.session)).map_err(refused)?;
    let lifecycle = summarize(name.session, events);
    let stamps = Stamps::new(context.clock.as_ref());
    let seen = SeenName {
        session: name.session,
        name: &name.name,
        name_source: name.name_source.as_deref(),
    };
    let written = capture_name(
        &name.dry_run.effects(),
        register,
        Some(&lifecycle),
        seen,
        name.source.into(),
        &stamps,
    );
    Ok(lines(written.map_err(refused)?.as_slice()))
}

fn state(file: &Path, now_ms: i64, seen: &StateFlags) -> Result<Report, CommandError> {
    let events = read_session(file).map_err(refused)?;
    // The state does not depend on whose file it is.
    let lifecycle = (!events.is_empty()).then(|| summarize(SessionId::from_u128(0), events));
    let presence = match seen {
        StateFlags {
            live: true,
            verified: true,
            status,
            ..
        } => Presence::Verified {
            status: status.as_deref(),
        },
        StateFlags { live: true, .. } => Presence::Unverified,
        StateFlags {
            registry_present: true, ..
        } => Presence::Stale,
        _ => Presence::Absent,
    };
    Ok(Report::text(format!(
        "{}\n",
        derive_state(lifecycle.as_ref(), presence, now_ms)
    )))
}

fn lines<K: Kind>(events: &[Event<K>]) -> Report {
    Report::text(render::lines(events.iter().map(Event::to_json)))
}

fn summaries(sessions: &Lifecycles) -> Report {
    let lines = sessions.par_iter().map(|(_, lifecycle)| lifecycle.to_json() + "\n");
    Report::text(lines.collect::<String>())
}

/// The summary with the file's stem as its session, which for this one command may be any text.
fn summary_line(file: &Path, events: Vec<Event>) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if let Ok(session) = SessionId::parse(&stem) {
        return summarize(session, events).to_json() + "\n";
    }
    let nobody = SessionId::from_u128(0);
    let summary = summarize(nobody, events).to_json();
    let rest = summary
        .strip_prefix(&format!("{{\"session\":\"{nobody}\""))
        .unwrap_or_default();
    let mut line = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(line, "{{\"session\":{}{rest}", serde_json::Value::String(stem));
    line
}
