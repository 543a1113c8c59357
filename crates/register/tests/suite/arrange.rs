//! Stores and events for the other tests.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::{Value, json};
use sexton_register::{SessionId, session_file};
use sexton_sys::FixedClock;

/// The moment at which the tests take place, in milliseconds since the Unix epoch.
pub(crate) const NOW_MS: i64 = 1_790_000_000_123;

/// A store in a directory of its own, with a clock that stands still.
pub(crate) struct Store {
    directory: tempfile::TempDir,
    pub(crate) clock: FixedClock,
}

impl Store {
    pub(crate) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            clock: FixedClock::at_ms(NOW_MS),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn file(&self, number: u128) -> PathBuf {
        session_file(self.path(), session(number))
    }

    /// Writes a session's file as it stands and returns its path.
    pub(crate) fn put(&self, number: u128, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.file(number);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Everything in the directory: names and contents.
    pub(crate) fn everything(&self) -> Vec<(String, Vec<u8>)> {
        let mut all: Vec<_> = std::fs::read_dir(self.path())
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| {
                let name = entry.file_name().into_string().unwrap();
                (name, std::fs::read(entry.path()).unwrap())
            })
            .collect();
        all.sort();
        all
    }
}

pub(crate) fn session(number: u128) -> SessionId {
    SessionId::from_u128(number)
}

/// An event as a JSON object, keys in the format's order only by accident.
pub(crate) fn event(number: u128, at: &str, kind: &str, own: Value) -> Value {
    let mut event = json!({
        "format_version": 1,
        "id": format!("{number}/{at}/{kind}"),
        "at": at,
        "session": session(number).as_str(),
        "source": "hook",
        "kind": kind,
    });
    merge(&mut event, own);
    event
}

pub(crate) fn started(number: u128, at: &str) -> Value {
    let own = json!({
        "cwd": "/w", "config_dir": "/c", "profile": null, "claude_version": null, "model": null,
        "permissions": null, "entry": "startup", "transcript": null, "pid": null,
    });
    event(number, at, "started", own)
}

pub(crate) fn ended(number: u128, at: &str, outcome: &str) -> Value {
    event(
        number,
        at,
        "ended",
        json!({ "outcome": outcome, "reason": null, "detail": null }),
    )
}

pub(crate) fn named(number: u128, at: &str, name: &str) -> Value {
    event(number, at, "named", json!({ "name": name, "name_source": null }))
}

fn merge(event: &mut Value, own: Value) {
    let Value::Object(own) = own else {
        panic!("own fields are an object")
    };
    event.as_object_mut().unwrap().extend(own);
}

/// The lines of these events, each with its newline.
pub(crate) fn lines(events: &[Value]) -> String {
    events
        .iter()
        .flat_map(|event| [event.to_string(), "\n".to_owned()])
        .collect()
}

fn any_text() -> BoxedStrategy<String> {
    prop_oneof![
        Just("a".to_owned()),
        Just("näme\twith \"tabs\" and \\".to_owned()),
        Just("日本語 😀 \u{2028}\u{7f}\u{0}".to_owned()),
        ".{1,12}",
    ]
    .boxed()
}

fn text_or_null() -> impl Strategy<Value = Value> {
    prop_oneof![2 => any_text().prop_map(Value::from), 1 => Just(Value::Null)]
}

/// A time out of few, so that ties are frequent; not always in the spelling that we write.
fn any_at() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (0..6u32).prop_map(|second| format!("2026-09-21T14:13:{second:02}.123Z")),
        4 => (0..6u32).prop_map(|minute| format!("2026-09-21T14:{:02}:20.123Z", minute + 10)),
        1 => Just("2026-09-21T14:13:03+00:00".to_owned()),
        1 => Just("2026-09-21T16:13:03.5+02:00".to_owned()),
    ]
}

/// Any valid event of session `number`.
pub(crate) fn any_event(number: u128) -> BoxedStrategy<Value> {
    let word = |words: &'static [&'static str]| proptest::sample::select(words).prop_map(Value::from);
    let own = prop_oneof![
        (
            (any_text(), any_text(), text_or_null(), text_or_null(), text_or_null(), text_or_null()),
            word(&["startup", "resume", "clear", "compact", "fork"]),
            text_or_null(),
            prop_oneof![any::<i64>().prop_map(Value::from), Just(Value::Null)],
        )
            .prop_map(|((cwd, config_dir, profile, version, model, permissions), entry, transcript, pid)| (
                "started",
                json!({
                    "cwd": cwd, "config_dir": config_dir, "profile": profile, "claude_version": version, "model": model,
                    "permissions": permissions, "entry": entry, "transcript": transcript, "pid": pid,
                })
            )),
        (word(&["exited", "crashed"]), text_or_null(), text_or_null())
            .prop_map(|(outcome, reason, detail)| ("ended", json!({ "outcome": outcome, "reason": reason, "detail": detail }))),
        (any_text(), text_or_null()).prop_map(|(name, source)| ("named", json!({ "name": name, "name_source": source }))),
        (prop_oneof![word(&["on-hold", "blocked", "done"]), Just(Value::Null)], text_or_null())
            .prop_map(|(state, note)| ("mark", json!({ "state": state, "note": note }))),
        (text_or_null(), any_text(), any_text(), any_text()).prop_map(|(old_cwd, new_cwd, old, new)| (
            "moved",
            json!({ "old_cwd": old_cwd, "new_cwd": new_cwd, "old_transcript": old, "new_transcript": new })
        )),
    ];
    (any_text(), any_at(), word(&["hook", "user", "sweep"]), own)
        .prop_map(move |(id, at, source, (kind, own))| {
            let mut event = event(number, &at, kind, own);
            event["id"] = id.into();
            event["source"] = source;
            event
        })
        .boxed()
}
