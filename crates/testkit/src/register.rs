//! Lines of the register, in its canonical spelling, and files of them.
//!
//! Written here a second time on purpose: what `sexton-register` prints is compared with this.

use std::path::{Path, PathBuf};

use crate::json::quoted_ascii;
use crate::registry::write_private;
use crate::time::iso;

/// One event line under construction.
#[derive(Debug, Clone)]
pub struct EventLine(Vec<(&'static str, String)>);

/// A `started` from the hook at `at_ms`, entry `startup`, pid null.
pub fn started(session: &str, at_ms: i64) -> EventLine {
    EventLine::head(session, at_ms, "hook", "started")
        .text("cwd", "/home/dev/sample")
        .text("config_dir", "/home/dev/.claude")
        .null("profile")
        .text("claude_version", "2.1.332")
        .text("model", "claude-opus-5-5")
        .null("permissions")
        .text("entry", "startup")
        .null("transcript")
        .null("pid")
}

/// An `ended` from the hook with this outcome, `exited` or `crashed`; reason `prompt_input_exit` for an exit.
pub fn ended(session: &str, at_ms: i64, outcome: &str) -> EventLine {
    let line = EventLine::head(session, at_ms, "hook", "ended").text("outcome", outcome);
    let line = match outcome {
        "exited" => line.text("reason", "prompt_input_exit"),
        _ => line.null("reason"),
    };
    line.null("detail")
}

/// A `named` from the sweep, name source `derived`.
pub fn named(session: &str, at_ms: i64, name: &str) -> EventLine {
    EventLine::head(session, at_ms, "sweep", "named")
        .text("name", name)
        .text("name_source", "derived")
}

/// A `mark` from the user; `None` clears.
pub fn mark(session: &str, at_ms: i64, state: Option<&str>) -> EventLine {
    let line = EventLine::head(session, at_ms, "user", "mark");
    let line = match state {
        Some(state) => line.text("state", state),
        None => line.null("state"),
    };
    line.null("note")
}

/// A `moved` from the hook.
pub fn moved(session: &str, at_ms: i64, new_cwd: &str, old_transcript: &str, new_transcript: &str) -> EventLine {
    EventLine::head(session, at_ms, "hook", "moved")
        .null("old_cwd")
        .text("new_cwd", new_cwd)
        .text("old_transcript", old_transcript)
        .text("new_transcript", new_transcript)
}

impl EventLine {
    fn head(session: &str, at_ms: i64, source: &str, kind: &str) -> Self {
        // Unix nanoseconds, then what would be random: here digits of the session and the letters of the kind.
        let nanoseconds = i128::from(at_ms) * 1_000_000;
        let session_digits: String = session.chars().filter(char::is_ascii_hexdigit).take(18).collect();
        let kind_digits = kind.bytes().fold(0_u64, |digits, byte| digits << 8 | u64::from(byte));
        let id = format!(
            "{:016x}{session_digits:0>18}{kind_digits:014x}",
            nanoseconds & i128::from(u64::MAX)
        );
        Self(Vec::new())
            .raw("format_version", "1")
            .text("id", &id)
            .text("at", &iso(at_ms))
            .text("session", session)
            .text("source", source)
            .text("kind", kind)
    }

    /// Sets a member to any JSON, in place if it is there, else at the end.
    pub fn raw(mut self, key: &'static str, json: &str) -> Self {
        match self.0.iter_mut().find(|(name, _)| *name == key) {
            Some((_, value)) => json.clone_into(value),
            None => self.0.push((key, json.to_owned())),
        }
        self
    }

    /// Sets a member to a string.
    pub fn text(self, key: &'static str, value: &str) -> Self {
        self.raw(key, &quoted_ascii(value))
    }

    /// Sets a member to null.
    pub fn null(self, key: &'static str) -> Self {
        self.raw(key, "null")
    }

    /// Takes a member away, which makes the line invalid.
    pub fn without(mut self, key: &str) -> Self {
        self.0.retain(|(name, _)| *name != key);
        self
    }

    /// The line, without its newline.
    pub fn line(&self) -> String {
        let members: Vec<String> = self.0.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    }
}

/// Where a session's file lies in a register directory.
pub fn file(register_dir: &Path, session: &str) -> PathBuf {
    register_dir.join(format!("{session}.jsonl"))
}

/// Writes a session's register file with these events, in this order, and returns its path.
pub fn write(register_dir: &Path, session: &str, events: &[EventLine]) -> PathBuf {
    let text: String = events.iter().map(|event| event.line() + "\n").collect();
    let path = file(register_dir, session);
    write_private(&path, text.as_bytes());
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NOW_MS, session_id};

    #[test]
    fn a_line_is_spelled_as_the_store_spells_it() {
        let line = named(&session_id(7), NOW_MS, "büro \"1\"").line();
        assert_eq!(
            line,
            r#"{"format_version":1,"id":"18ecd0dd3a648000000000075e5540008000006e616d6564","at":"2026-11-30T12:00:00.000Z","session":"00000007-5e55-4000-8000-000000000007","source":"sweep","kind":"named","name":"b\u00fcro \"1\"","name_source":"derived"}"#
        );
    }

    #[test]
    fn ids_have_48_digits() {
        for line in [started(&session_id(1), NOW_MS), ended(&session_id(1), NOW_MS, "exited")] {
            let read: serde_json::Value = serde_json::from_str(&line.line()).unwrap();
            assert_eq!(read["id"].as_str().unwrap().len(), 48);
        }
    }
}
