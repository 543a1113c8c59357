//! From a hook's payload to the register.

use std::path::{Path, PathBuf};

use sexton_claude::config_dirs;
use sexton_claude::hook_payload::HookPayload;
use sexton_claude::registry::{HookRecord, find_for_hook};
use sexton_claude::transcript::{END_LENGTH, name_in_tail};
use sexton_register::{
    Draft, Ended, EntryPoint, EventKind, Named, Outcome, Source, Stamps, Started, Text, append_events, is_new_name,
    read_session_tolerant, register_directory, session_file, summarize,
};
use sexton_sys::{Clock, Effects, Environment, process, read};

use super::HookError;
use crate::configuration::{self, Configuration, Options};

/// The reasons for an end that the register has words for; others become null.
const REASONS: [&str; 5] = ["clear", "resume", "logout", "prompt_input_exit", "other"];

/// Records that a session began; a mere compaction is none.
pub(super) fn session_start(
    payload: &HookPayload,
    environment: &Environment,
    clock: &dyn Clock,
    effects: &Effects,
) -> Result<(), HookError> {
    let source = payload.source.as_deref().ok_or(HookError::Missing("source"))?;
    let entry = match EntryPoint::from_word(source) {
        Some(EntryPoint::Compact) => return Ok(()),
        Some(entry) => entry,
        None => return Err(HookError::UnknownSource(source.to_owned())),
    };
    let cwd = payload
        .cwd
        .as_deref()
        .and_then(Text::new)
        .ok_or(HookError::Missing("cwd"))?;
    let config_dir = config_dirs::current(environment).ok_or(HookError::Homeless)?;
    let found = find_client(payload, environment, &config_dir);
    let launch = |name: &str| environment.text(name).and_then(Text::new);
    let started = Started {
        cwd,
        config_dir: Text::new(config_dir.to_string_lossy()).ok_or(HookError::Homeless)?,
        profile: launch("CLAUDEWHEEL_LAUNCH_PROFILE"),
        claude_version: launch("CLAUDEWHEEL_LAUNCH_VERSION")
            .or_else(|| found.as_ref()?.record.version.as_deref().and_then(Text::new)),
        model: launch("CLAUDEWHEEL_LAUNCH_MODEL").or_else(|| payload.model.as_deref().and_then(Text::new)),
        permissions: launch("CLAUDEWHEEL_LAUNCH_PERMISSIONS"),
        entry,
        transcript: payload
            .transcript_path
            .as_ref()
            .and_then(|path| Text::new(path.to_string_lossy())),
        pid: found.as_ref().map(|found| i64::from(found.record.pid)),
    };
    let mut kinds: Vec<EventKind> = vec![started.into()];
    kinds.extend(shown_name(found.as_ref()).map(EventKind::from));
    write(payload, kinds, environment, clock, effects)
}

/// Records that a session ended, and its name if that can still be seen.
pub(super) fn session_end(
    payload: &HookPayload,
    environment: &Environment,
    clock: &dyn Clock,
    effects: &Effects,
) -> Result<(), HookError> {
    let config_dir = config_dirs::current(environment).ok_or(HookError::Homeless)?;
    let found = find_client(payload, environment, &config_dir);
    let name = shown_name(found.as_ref())
        .map(Ok)
        .or_else(|| titled_name(payload, environment).transpose())
        .transpose()?;
    let reason = payload.reason.as_deref().filter(|reason| REASONS.contains(reason));
    let ended = Ended {
        outcome: Outcome::Exited,
        reason: reason.and_then(Text::new),
        detail: None,
    };
    let mut kinds: Vec<EventKind> = name.into_iter().map(EventKind::from).collect();
    kinds.push(ended.into());
    write(payload, kinds, environment, clock, effects)
}

fn find_client(payload: &HookPayload, environment: &Environment, config_dir: &Path) -> Option<HookRecord> {
    let client = environment.text("CLAUDE_PID").and_then(|pid| pid.parse().ok());
    find_for_hook(
        config_dir,
        &payload.session,
        client,
        process::ancestors(),
        process::own_pid_domain,
    )
}

fn shown_name(found: Option<&HookRecord>) -> Option<Named> {
    let (name, source) = found?.name()?;
    Some(Named {
        name: Text::new(name)?,
        name_source: source.and_then(Text::new),
    })
}

/// The register: as the environment says, or a configuration file if there is one, or where it is by default.
fn register(environment: &Environment) -> Result<PathBuf, HookError> {
    // A file that can't be read must not cost a session its record.
    let configured = configuration::read(environment)
        .ok()
        .flatten()
        .and_then(|text| Configuration::resolve(&text, environment, &Options::default()).register_dir);
    match configured {
        Some(directory) => Ok(directory),
        None => Ok(register_directory(None, environment)?),
    }
}

/// The name that the transcript's last title records give, if it is news: newer clients have removed their registry record by now.
fn titled_name(payload: &HookPayload, environment: &Environment) -> Result<Option<Named>, HookError> {
    let Some(name) = payload.transcript_path.as_deref().and_then(name_at_end) else {
        return Ok(None);
    };
    let file = session_file(&register(environment)?, payload.session);
    // A damaged file still takes the end; what its good lines say is enough to tell whether a name is new.
    let events = read_session_tolerant(&file)
        .map(|reading| reading.events)
        .unwrap_or_default();
    let recorded = summarize(payload.session, events);
    let last_source = recorded.name.as_ref().and_then(|last| last.kind.name_source.clone());
    let is_news = is_new_name(Some(&recorded), &name, last_source.as_deref());
    Ok(Text::new(name).filter(|_| is_news).map(|name| Named {
        name,
        name_source: None,
    }))
}

fn name_at_end(transcript: &Path) -> Option<String> {
    let (mut file, metadata) = read::open_regular(transcript).ok()?;
    let from = metadata.len().saturating_sub(END_LENGTH);
    let tail = read::part(&mut file, from, END_LENGTH).ok()?;
    name_in_tail(&tail)
}

fn write(
    payload: &HookPayload,
    kinds: Vec<EventKind>,
    environment: &Environment,
    clock: &dyn Clock,
    effects: &Effects,
) -> Result<(), HookError> {
    let directory = register(environment)?;
    let drafts = kinds
        .into_iter()
        .map(|kind| Draft::new(payload.session, Source::Hook, kind))
        .collect();
    append_events(effects, &directory, drafts, &Stamps::new(clock))?;
    Ok(())
}
