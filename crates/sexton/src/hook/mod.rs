//! What Claude Code calls: `sexton hook session-start` and `session-end`.
//!
//! Dispatched before the argument parser and kept apart from everything else: the client waits for it. Nothing goes to stdout, ever, since the
//! client puts a `SessionStart` hook's stdout into the model's context. Failure is one line on stderr and exit 1, never 2, which would block the
//! event. Nothing is created before every check has passed.

mod record;

use std::ffi::OsString;
use std::io::Write;

use sexton_claude::hook_payload::{HookPayload, PATIENCE, PayloadError};
use sexton_register::LifecycleError;
use sexton_sys::{DeadlineReader, Effects, Environment, SystemClock};

use crate::exit::Exit;
use crate::render::one_line;

/// Why a hook recorded nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HookError {
    /// The event is none that is recorded.
    #[error("hook: expected `session-start` or `session-end`, got `{0}`")]
    UnknownEvent(String),
    /// Nothing says which event.
    #[error("hook: expected `session-start` or `session-end`")]
    NoEvent,
    /// The payload can't be used.
    #[error("hook: {0}")]
    Payload(#[from] PayloadError),
    /// The payload lacks something that the register must have.
    #[error("hook: the payload has no `{0}`")]
    Missing(&'static str),
    /// The format's words for a beginning are closed, and this is none of them.
    #[error("hook: `{0}` is no way to enter a session that the register knows")]
    UnknownSource(String),
    /// The environment doesn't say where Claude Code's files are.
    #[error("hook: neither `CLAUDE_CONFIG_DIR` nor `HOME` is set")]
    Homeless,
    /// The register could not be found or written.
    #[error("hook: {0}")]
    Register(#[from] LifecycleError),
}

/// Runs a hook on this process's stdin; `arguments` are those after `hook`.
#[must_use]
pub fn main(arguments: &[OsString]) -> Exit {
    match run(arguments) {
        Ok(()) => Exit::Done,
        Err(error) => {
            // Nobody is left to be told if stderr is gone.
            let _ = writeln!(std::io::stderr().lock(), "sexton: {}", one_line(&error.to_string()));
            Exit::Refused
        }
    }
}

fn run(arguments: &[OsString]) -> Result<(), HookError> {
    let event = arguments.first().ok_or(HookError::NoEvent)?;
    let record = match event.to_str() {
        Some("session-start") => record::session_start,
        Some("session-end") => record::session_end,
        _ => return Err(HookError::UnknownEvent(event.to_string_lossy().into_owned())),
    };
    let payload = HookPayload::read(&mut DeadlineReader::new(std::io::stdin(), PATIENCE))?;
    record(
        &payload,
        &Environment::of_this_process(),
        &SystemClock,
        &Effects::apply(),
    )
}
