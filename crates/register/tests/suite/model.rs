//! The store against a model: slow, plain, and written from the description alone.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};
use sexton_register::{
    Presence, SeenName, SessionLifecycle, Source, Stamps, append_event, capture_name, derive_state, event_to_json,
    load_all, parse_draft, read_session, summarize, sweep_crashed,
};
use sexton_sys::Effects;

use crate::arrange::{NOW_MS, Store, any_event, session};

/// What a line means to the model: nothing, an event, or damage.
fn model_line(line: &str, is_last_and_open: bool) -> Result<Option<Value>, ()> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(None);
    }
    match serde_json::from_str::<Value>(line) {
        Ok(event) if model_accepts(&event) => Ok(Some(event)),
        Err(_) if is_last_and_open => Ok(None),
        Ok(_) | Err(_) => Err(()),
    }
}

fn model_accepts(event: &Value) -> bool {
    let Value::Object(fields) = event else { return false };
    let full = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    let full_or_null = |value: &Value| value.is_null() || full(value);
    let own = match fields.get("kind").and_then(Value::as_str) {
        Some("started") => "cwd config_dir profile? claude_version? model? permissions? entry transcript? pid?",
        Some("ended") => "outcome reason? detail?",
        Some("named") => "name name_source?",
        Some("mark") => "state? note?",
        Some("moved") => "old_cwd? new_cwd old_transcript new_transcript",
        _ => return false,
    };
    let all: Vec<&str> = "format_version id at session source kind"
        .split(' ')
        .chain(own.split(' '))
        .collect();
    let names: BTreeSet<&str> = all.iter().map(|name| name.trim_end_matches('?')).collect();
    if fields.keys().map(String::as_str).collect::<BTreeSet<_>>() != names {
        return false;
    }
    let words = |words: &str, value: &Value| {
        value
            .as_str()
            .is_some_and(|word| words.split(' ').any(|one| one == word))
    };
    all.iter().all(|name| {
        let value = &fields[name.trim_end_matches('?')];
        match *name {
            "format_version" => *value == json!(1) && value.is_u64(),
            "session" => value
                .as_str()
                .is_some_and(|id| (0..16).any(|number| id == session(number).as_str())),
            "at" => value
                .as_str()
                .is_some_and(|at| at.len() > 19 && at.starts_with("2026-09-21T")),
            "source" => words("hook user sweep", value),
            "entry" => words("startup resume clear compact fork", value),
            "outcome" => words("exited crashed", value),
            "state?" => value.is_null() || words("on-hold blocked done", value),
            "pid?" => value.is_null() || value.is_i64() || value.as_u64().is_some_and(|pid| i64::try_from(pid).is_ok()),
            name if name.ends_with('?') => full_or_null(value),
            _ => full(value),
        }
    })
}

/// The events of a file, or the number of its first damaged line.
fn model_read(content: &str) -> Result<Vec<Value>, usize> {
    let mut events = Vec::new();
    let rows: Vec<&str> = content.split('\n').collect();
    for (index, row) in rows.iter().enumerate() {
        match model_line(row, index + 1 == rows.len()) {
            Ok(event) => events.extend(event),
            Err(()) => return Err(index + 1),
        }
    }
    Ok(events)
}

fn at(event: &Value) -> &str {
    event["at"].as_str().unwrap()
}

/// The summary: everything in its order, then the last of each kind.
fn model_summary(number: u128, events: &[Value]) -> Value {
    let mut ordered = events.to_vec();
    // A stable sort keeps the file's order among equals.
    ordered.sort_by(|a, b| at(a).cmp(at(b)));
    let last = |kind: &str| ordered.iter().rposition(|event| event["kind"] == kind);
    let event = |index: Option<usize>| index.map_or(Value::Null, |index| ordered[index].clone());
    let begun = last("started");
    let since = |index: Option<usize>| index.filter(|index| begun.is_none_or(|begun| *index > begun));
    json!({
        "session": session(number).as_str(),
        "started": event(begun),
        "ended": event(since(last("ended"))),
        "name": event(last("named")),
        "mark": event(last("mark").filter(|index| !ordered[*index]["state"].is_null())),
        "moved": event(since(last("moved"))),
        "last_at": ordered.last().map_or("", at),
    })
}

/// Milliseconds since the epoch; the tests' times all lie within one day.
fn model_ms(at: &str) -> i64 {
    let number = |from: usize| at[from..from + 2].parse::<i64>().unwrap();
    let milliseconds: String = at[19..]
        .strip_prefix('.')
        .unwrap_or("")
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let milliseconds: i64 = format!("{milliseconds:0<3}").parse().unwrap();
    let offset = if at.ends_with("+02:00") { 2 } else { 0 };
    let midnight = 1_789_948_800_000;
    midnight + (((number(11) - offset) * 60 + number(14)) * 60 + number(17)) * 1000 + milliseconds
}

fn model_state(summary: &Value, presence: Presence<'_>, now_ms: i64) -> &'static str {
    match presence {
        Presence::Unverified => return "unverified",
        Presence::Verified { status: Some("busy") } => return "working",
        Presence::Verified { status: Some("shell") } => return "shell",
        Presence::Verified { status: Some("idle") } => return "idle",
        Presence::Verified {
            status: Some("waiting"),
        } => return "waiting",
        Presence::Verified { .. } => return "running",
        Presence::Stale | Presence::Absent => {}
    }
    for (event, field) in [("mark", "state"), ("ended", "outcome")] {
        match summary[event][field].as_str() {
            Some("on-hold") => return "on-hold",
            Some("blocked") => return "blocked",
            Some("done") => return "done",
            Some("exited") => return "exited",
            Some("crashed") => return "crashed",
            _ => {}
        }
    }
    if presence == Presence::Stale {
        "crashed"
    } else if summary["started"].is_null() {
        "exited"
    } else if model_ms(at(&summary["started"])) >= now_ms - 60_000 {
        "starting"
    } else {
        "crashed"
    }
}

fn as_value(summary: &SessionLifecycle) -> Value {
    serde_json::from_str(&summary.to_json()).unwrap()
}

/// A fault that a line may have.
fn damage(line: &str, how: u8, at: usize) -> String {
    let mut at = at % line.len();
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    match how {
        0 => line[..at].to_owned(),
        1 => line[at..].to_owned(),
        2 => line.replace("\"format_version\":1", "\"format_version\":2"),
        3 => line.replace("\"kind\":", "\"knd\":"),
        4 => line.replace(":null", ":\"\""),
        5 => line.replace("\"source\":\"", "\"source\":\"x"),
        6 => format!("{line}{line}"),
        7 => format!("[{line}]"),
        _ => line.to_owned(),
    }
}

fn any_content(number: u128) -> impl Strategy<Value = String> {
    let row = prop_oneof![
        12 => any_event(number).prop_map(|event| event.to_string()),
        1 => Just(String::new()),
        1 => Just(" \t\u{a0}".to_owned()),
        1 => any_event(number).prop_map(|event| format!("{event}\r")),
        1 => (any_event(number), 0..9u8, any::<usize>()).prop_map(|(event, how, at)| damage(&event.to_string(), how, at)),
    ];
    let rows = proptest::collection::vec(row, 0..8);
    let end = prop_oneof![6 => Just(None), 4 => any::<usize>().prop_map(Some)];
    (rows, end).prop_map(|(rows, cut)| {
        let mut content: String = rows.iter().flat_map(|row| [row.as_str(), "\n"]).collect();
        if let Some(cut) = cut {
            // Somewhere in the last hundred bytes, which may be the newline alone.
            let mut to = content.len().saturating_sub(1 + cut % 100);
            while !content.is_char_boundary(to) {
                to -= 1;
            }
            content.truncate(to);
        }
        content
    })
}

fn any_presence() -> impl Strategy<Value = Presence<'static>> {
    let statuses = [
        None,
        Some("busy"),
        Some("shell"),
        Some("idle"),
        Some("waiting"),
        Some("novel"),
        Some(""),
    ];
    prop_oneof![
        4 => proptest::sample::select(statuses.to_vec()).prop_map(|status| Presence::Verified { status }),
        1 => Just(Presence::Unverified),
        4 => Just(Presence::Stale),
        8 => Just(Presence::Absent),
    ]
}

fn any_now() -> impl Strategy<Value = i64> {
    prop_oneof![
        -200_000..400_000_i64,
        proptest::sample::select(vec![-1_i64, 0, 1, 59_999, 60_000, 60_001]).prop_map(|ms| ms - 17_000),
    ]
    .prop_map(|ms| NOW_MS + ms)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn reading_summary_and_state(content in any_content(1), presence in any_presence(), now_ms in any_now()) {
        let store = Store::new();
        let path = store.put(1, &content);
        match (read_session(&path), model_read(&content)) {
            (Ok(events), Ok(expected)) => {
                let values: Vec<Value> = events.iter().map(|event| serde_json::from_str(&event_to_json(event)).unwrap()).collect();
                prop_assert_eq!(&values, &expected);
                let summary = summarize(session(1), events);
                let expected = model_summary(1, &expected);
                prop_assert_eq!(as_value(&summary), expected.clone());
                prop_assert_eq!(derive_state(Some(&summary), presence, now_ms).as_str(), model_state(&expected, presence, now_ms));
                prop_assert_eq!(as_value(&load_all(store.path()).unwrap()[&session(1)]), expected);
            }
            (Err(error), Err(line)) => {
                let message = error.to_string();
                prop_assert!(message.starts_with(&format!("{}:{line}: ", path.display())), "line {} but {}", line, message);
            }
            (ours, model) => prop_assert!(false, "{:?} but the model says {:?}", ours, model),
        }
    }

    #[test]
    fn appending(content in any_content(1), event in any_event(1), is_absent in proptest::bool::weighted(0.1)) {
        let store = Store::new();
        let content = if is_absent { String::new() } else { store.put(1, &content); content };
        let draft = parse_draft(&event.to_string()).unwrap();
        let written = append_event(&Effects::apply(), store.path(), draft, &Stamps::new(&store.clock)).unwrap();
        let lead = if content.is_empty() || content.ends_with('\n') { "" } else { "\n" };
        let expected = format!("{content}{lead}{}\n", written.to_json());
        prop_assert_eq!(std::fs::read_to_string(store.file(1)).unwrap(), expected);
        prop_assert_eq!(serde_json::from_str::<Value>(&written.to_json()).unwrap(), event);
    }

    #[test]
    fn sweeping(
        events in proptest::collection::vec((0..5u128).prop_flat_map(any_event), 0..20),
        live in proptest::collection::btree_set(0..5u128, 0..3),
        now_ms in any_now(),
    ) {
        let store = Store::new();
        let mut files: BTreeMap<u128, Vec<Value>> = (0..5).map(|number| (number, Vec::new())).collect();
        for event in events {
            let number = (0..5).find(|number| event["session"] == session(*number).as_str()).unwrap();
            files.get_mut(&number).unwrap().push(event);
        }
        for (number, events) in &files {
            store.put(*number, crate::arrange::lines(events));
        }
        let overdue = |number: &u128| {
            let summary = model_summary(*number, &files[number]);
            !live.contains(number)
                && summary["ended"].is_null()
                && !summary["started"].is_null()
                && model_ms(at(&summary["started"])) < now_ms - 60_000
        };
        let expected: Vec<_> = files.keys().filter(|number| overdue(number)).map(|number| session(*number)).collect();

        let stamps = Stamps::new(&store.clock);
        let is_live = |id| live.iter().any(|number| session(*number) == id);
        let sweep = |now_ms| sweep_crashed(&Effects::apply(), store.path(), &load_all(store.path()).unwrap(), is_live, now_ms, &stamps);
        let swept = sweep(now_ms);
        prop_assert!(swept.problems.is_empty());
        prop_assert!(sweep(now_ms).written.is_empty(), "whoever is swept stays swept, however the beginning was dated");
        prop_assert_eq!(swept.written.iter().map(|event| event.session).collect::<Vec<_>>(), expected);
        for event in &swept.written {
            let line: Value = serde_json::from_str(&event.to_json()).unwrap();
            prop_assert_eq!(&line["source"], "sweep");
            prop_assert_eq!(&line["outcome"], "crashed");
            prop_assert_eq!(&line["reason"], &Value::Null);
            prop_assert_eq!(&line["detail"], "no live process and no SessionEnd recorded");
            let last = read_session(&store.file(u128::from_str_radix(&event.session.as_str().replace('-', ""), 16).unwrap())).unwrap();
            prop_assert_eq!(last.last().unwrap().to_json(), event.to_json());
        }
    }

    #[test]
    fn capturing_names(events in proptest::collection::vec(any_event(1), 0..6), name in "|a|b", name_source in proptest::option::of("user|auto"), same in any::<bool>()) {
        let store = Store::new();
        store.put(1, crate::arrange::lines(&events));
        let lifecycle = load_all(store.path()).unwrap().remove(&session(1)).unwrap();
        let last = model_summary(1, &events)["name"].clone();
        let (name, name_source) = match last["name"].as_str() {
            Some(last_name) if same => (last_name.to_owned(), last["name_source"].as_str().map(str::to_owned)),
            _ => (name, name_source),
        };
        let is_news = !name.is_empty()
            && (last.is_null() || last["name"] != *name || last["name_source"].as_str() != name_source.as_deref());

        let seen = SeenName { session: session(1), name: &name, name_source: name_source.as_deref() };
        let captured = capture_name(&Effects::apply(), store.path(), Some(&lifecycle), seen, Source::Sweep, &Stamps::new(&store.clock)).unwrap();
        prop_assert_eq!(captured.is_some(), is_news);
        prop_assert_eq!(read_session(&store.file(1)).unwrap().len(), events.len() + usize::from(is_news));

        let now = load_all(store.path()).unwrap().remove(&session(1)).unwrap();
        let again = capture_name(&Effects::apply(), store.path(), Some(&now), seen, Source::Sweep, &Stamps::new(&store.clock)).unwrap();
        prop_assert!(again.is_none(), "what was captured is no news any more, however the last name was dated");
    }
}
