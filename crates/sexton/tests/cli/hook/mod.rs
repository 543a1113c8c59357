//! `sexton hook`, as Claude Code calls it.

mod failures;
mod recorded;
mod session_end;
mod session_start;

use sexton_testkit::{Object, Run, TestEnv};

use crate::support::SEXTON;

/// Runs a hook with this payload; whatever happens, nothing may go to its standard output.
#[track_caller]
fn hook(env: &TestEnv, event: &str, payload: impl AsRef<[u8]>) -> Run {
    let run = env.run_with_input(SEXTON, ["hook", event], payload);
    assert_eq!(run.stdout, "", "this would go to the model");
    assert!(matches!(run.code, Some(0 | 1)), "2 would block the event: {run:#?}");
    run
}

/// The payload of a `SessionStart`.
fn start_payload(session: &str, source: &str) -> Object {
    Object::new()
        .text("session_id", session)
        .text("transcript_path", "/home/dev/t.jsonl")
        .text("cwd", "/home/dev/sample")
        .text("hook_event_name", "SessionStart")
        .text("source", source)
        .text("model", "claude-opus-5-5")
}

/// The payload of a `SessionEnd`.
fn end_payload(session: &str, transcript: &str, reason: &str) -> Object {
    Object::new()
        .text("session_id", session)
        .text("transcript_path", transcript)
        .text("cwd", "/home/dev/sample")
        .text("hook_event_name", "SessionEnd")
        .text("reason", reason)
}
