//! One line: its bytes, and the message for each thing that can be wrong with it.

use proptest::prelude::*;
use serde_json::Value;
use sexton_register::{
    Draft, Ended, EntryPoint, Event, EventId, Mark, MarkState, Moved, Named, Outcome, SessionId, Source, Stamps,
    Started, Text, event_to_json, now_timestamp, parse_draft, parse_event,
};
use sexton_sys::FixedClock;

use crate::arrange::{NOW_MS, any_event, started};

fn text(text: &str) -> Text {
    Text::new(text).unwrap()
}

fn with<K>(source: Source, kind: K) -> Event<K> {
    Event {
        id: EventId::new("18d5d8a1c0ffee0018d5d8a1c0ffee004abc8def0123456789").unwrap(),
        at: now_timestamp(NOW_MS),
        session: SessionId::parse("01234567-89ab-cdef-0123-456789abcdef").unwrap(),
        source,
        kind,
    }
}

/// The lines of these tests but for `moved` are what the reference implementation (claudewheel 0.33.0) printed.
#[test]
fn every_kind_has_its_bytes() {
    let head = concat!(
        r#"{"format_version":1,"id":"18d5d8a1c0ffee0018d5d8a1c0ffee004abc8def0123456789","#,
        r#""at":"2026-09-21T14:13:20.123Z","session":"01234567-89ab-cdef-0123-456789abcdef","#
    );
    let started = with(
        Source::Hook,
        Started {
            cwd: text("/home/a/wörk"),
            config_dir: text("/home/a/.claude"),
            profile: None,
            claude_version: Text::new("2.1.332"),
            model: Text::new("opus"),
            permissions: None,
            entry: EntryPoint::Startup,
            transcript: Text::new("/t.jsonl"),
            pid: Some(4711),
        },
    );
    let ended = with(
        Source::Sweep,
        Ended {
            outcome: Outcome::Crashed,
            reason: None,
            detail: Text::new("no live process and no SessionEnd recorded"),
        },
    );
    let named = with(
        Source::Hook,
        Named {
            name: text("a\0\u{8}\t\n\u{b}\u{c}\r\u{1f} ~\u{7f}\"\\/é\u{2028}日\u{fffd}😀"),
            name_source: Text::new("auto"),
        },
    );
    let mark = with(
        Source::User,
        Mark {
            state: Some(MarkState::OnHold),
            note: Text::new("back on Monday"),
        },
    );
    let cleared = with(
        Source::User,
        Mark {
            state: None,
            note: None,
        },
    );
    let moved = with(
        Source::User,
        Moved {
            old_cwd: None,
            new_cwd: text("/b"),
            old_transcript: text("/t/1"),
            new_transcript: text("/t/2"),
        },
    );
    for (event, tail) in [
        (
            Event::from(started),
            r#""source":"hook","kind":"started","cwd":"/home/a/w\u00f6rk","config_dir":"/home/a/.claude","profile":null,"claude_version":"2.1.332","model":"opus","permissions":null,"entry":"startup","transcript":"/t.jsonl","pid":4711}"#,
        ),
        (
            ended.into(),
            r#""source":"sweep","kind":"ended","outcome":"crashed","reason":null,"detail":"no live process and no SessionEnd recorded"}"#,
        ),
        (
            named.into(),
            r#""source":"hook","kind":"named","name":"a\u0000\b\t\n\u000b\f\r\u001f ~\u007f\"\\/\u00e9\u2028\u65e5\ufffd\ud83d\ude00","name_source":"auto"}"#,
        ),
        (
            mark.into(),
            r#""source":"user","kind":"mark","state":"on-hold","note":"back on Monday"}"#,
        ),
        (
            cleared.into(),
            r#""source":"user","kind":"mark","state":null,"note":null}"#,
        ),
        (
            moved.into(),
            r#""source":"user","kind":"moved","old_cwd":null,"new_cwd":"/b","old_transcript":"/t/1","new_transcript":"/t/2"}"#,
        ),
    ] {
        let line = format!("{head}{tail}");
        assert_eq!(event_to_json(&event), line);
        assert_eq!(parse_event(&line), Ok(event));
    }
}

const MARK: &str = r#"{"format_version":1,"id":"x","at":"2026-01-01T00:00:00Z","session":"01234567-89ab-cdef-0123-456789abcdef","source":"user","kind":"mark","state":null,"note":null}"#;

fn message(line: &str) -> String {
    parse_event(line).unwrap_err().to_string()
}

#[test]
fn any_spelling_of_the_object_is_read() {
    let spelled = concat!(
        "\u{3000} \t{ \"note\" : null,\t\"st\\u0061te\":null, \"kind\":\"m\\u0061rk\", \"source\":\"user\",\r",
        "\"session\":\"01234567-89ab-cdef-0123-456789abcdef\" , \"at\":\"2026-01-01T00:00:00Z\",\"id\":\"x\",\"format_version\":1 }\r"
    );
    assert_eq!(parse_event(spelled), parse_event(MARK));
    let raw = MARK.replace("\"note\":null", "\"note\":\"日😀\"");
    let escaped = MARK.replace("\"note\":null", r#""note":"\u65E5\ud83d\uDE00""#);
    assert_eq!(parse_event(&raw), parse_event(&escaped));
    parse_event(&raw).unwrap();
}

#[test]
fn names_that_were_cut_in_the_middle_of_an_emoji_are_read() {
    let event = parse_event(&MARK.replace("\"note\":null", r#""note":"half \ud83d""#)).unwrap();
    let line = event_to_json(&event);
    assert!(line.ends_with(r#""note":"half \ufffd"}"#), "{line}");
}

#[test]
fn each_fault_is_told_by_name() {
    for (from, to, expected) in [
        ("", "", ""),
        ("\"note\":null", "\"note\":null,\"zz\":[1]", "unknown key `zz`"),
        (
            "\"note\":null",
            "\"note\":null,\"a\\u001b\\nb\":1",
            "unknown key `a\\u{1b}\\nb`",
        ),
        (",\"note\":null", "", "`note` is missing"),
        ("\"id\":\"x\",", "", "`id` is missing"),
        ("\"note\":null", "\"note\":7", "`note` is 7, not a string or null"),
        ("\"note\":null", "\"note\":\"\"", "`note` is empty"),
        ("\"id\":\"x\"", "\"id\":\"\"", "`id` is empty"),
        ("\"id\":\"x\"", "\"id\":null", "`id` is null, not a string"),
        (
            "\"state\":null",
            "\"state\":\"later\"",
            "`state` is \"later\", not one of `on-hold` `blocked` `done` or null",
        ),
        (
            "\"user\"",
            "\"robot\"",
            "`source` is \"robot\", not one of `hook` `user` `sweep`",
        ),
        (
            "\"mark\"",
            "\"begun\"",
            "`kind` is \"begun\", not one of `started` `ended` `named` `mark` `moved`",
        ),
        ("\"mark\"", "null", "`kind` is null, not a string"),
        ("\"note\":null", "\"note\":null,\"note\":null", "`note` is given twice"),
        ("\"id\":\"x\"", "\"id\":\"x\",\"i\\u0064\":\"y\"", "`id` is given twice"),
        (
            "01234567-",
            "../34567-",
            "`session`: `../34567-89ab-cdef-0123-456789abcdef` is not a session id (a lowercase UUID such as `01234567-89ab-cdef-0123-456789abcdef`)",
        ),
        (
            "00:00Z",
            "00:00",
            "`at` is \"2026-01-01T00:00:00\", which has no offset from UTC",
        ),
        (
            "-01-01T",
            "-02-30T",
            "`at` is \"2026-02-30T00:00:00Z\", which names a date or time that does not exist",
        ),
        (
            "2026-01-01T00:00:00Z",
            "yesterday",
            "`at` is \"yesterday\", which is not an RFC 3339 date-time such as `2026-01-31T23:59:59.000Z`",
        ),
        ("\"format_version\":1,", "", "`format_version` is missing"),
        (
            "\"format_version\":1",
            "\"format_version\":1.0",
            "`format_version` is 1.0, and only 1 can be read",
        ),
        (
            "\"format_version\":1",
            "\"format_version\":true",
            "`format_version` is true, and only 1 can be read",
        ),
    ] {
        let line = MARK.replace(from, to);
        if expected.is_empty() {
            parse_event(&line).unwrap();
        } else {
            assert_eq!(message(&line), expected, "{line}");
        }
    }
    let pid = |pid: &str| {
        started(1, "2026-01-01T00:00:00Z")
            .to_string()
            .replace("\"pid\":null", &format!("\"pid\":{pid}"))
    };
    parse_event(&pid("-9223372036854775808")).unwrap();
    assert_eq!(message(&pid("1.0")), "`pid` is 1.0, not an integer or null");
    assert_eq!(message(&pid("1e2")), "`pid` is 1e2, not an integer or null");
    assert_eq!(message(&pid("true")), "`pid` is true, not an integer or null");
    assert_eq!(
        message(&pid("9223372036854775808")),
        "`pid` is 9223372036854775808, which does not fit 64 bits"
    );
}

#[test]
fn what_is_no_object_is_told_as_such() {
    assert_eq!(message("[]"), "not a JSON object but []");
    assert_eq!(message("null"), "not a JSON object but null");
    assert_eq!(message("NaN"), "malformed JSON: expected value at column 1");
    assert_eq!(message("{}x"), "malformed JSON: trailing characters at column 3");
    assert_eq!(message("{\"a\":1,}"), "malformed JSON: trailing comma at column 8");
    assert!(message(&MARK.replace("null}", "\"a\tb\"}")).starts_with("malformed JSON: control character"));
    assert!(message(&MARK[..MARK.len() - 1]).starts_with("malformed JSON: EOF while parsing an object at column"));
    // Deep enough to overflow the stack of a parser that recurses.
    assert!(message(&"[".repeat(1 << 20)).starts_with("malformed JSON"));
    assert!(message(&MARK.replace("null}", &format!("{}}}", "[".repeat(1 << 20)))).starts_with("malformed JSON"));
}

#[test]
fn several_faults_are_told_at_once_and_not_without_end() {
    let line = MARK
        .replace("\"id\":\"x\",", "")
        .replace("\"user\"", "3")
        .replace("\"note\":null", "\"note\":\"\"");
    assert_eq!(
        message(&line),
        "`id` is missing; `source` is 3, not a string; `note` is empty"
    );
    let keys = (0..10_000)
        .map(|number| format!("\"k{number}\":0,"))
        .collect::<Vec<_>>()
        .concat();
    assert!(message(&MARK.replace("{\"", &format!("{{{keys}\""))).len() < 1000);
    assert!(message(&MARK.replace("\"user\"", &format!("\"{}\"", "x".repeat(1 << 20)))).len() < 1000);
}

#[test]
fn a_line_of_a_newer_format_is_refused_for_its_version_alone() {
    let newer = r#"{"format_version":2,"id":7,"kind":"rested","until":"tomorrow"}"#;
    assert_eq!(message(newer), "`format_version` is 2, and only 1 can be read");
}

#[test]
fn a_draft_may_leave_version_id_and_time_open() {
    let clock = FixedClock::at_ms(NOW_MS);
    let counter = std::sync::atomic::AtomicU64::new(0);
    let stamps = Stamps::counted(&clock, &counter);
    for open in [
        MARK.replace("\"format_version\":1,\"id\":\"x\",\"at\":\"2026-01-01T00:00:00Z\",", ""),
        MARK.replace("\"x\"", "\"\"").replace("2026-01-01T00:00:00Z", ""),
    ] {
        let event = parse_draft(&open).unwrap().stamp(&stamps).unwrap();
        assert_eq!(event.at.as_str(), "2026-09-21T14:13:20.123Z");
        assert!(event.id.as_str().starts_with("18d75b842b47d4c0"), "{}", event.id);
    }
    let given: Draft = parse_event(MARK).unwrap().into();
    assert_eq!(parse_draft(MARK), Ok(given));
    for (from, to, expected) in [
        ("\"x\"", "7", "`id` is 7, not a string"),
        (
            "2026",
            "year 2026",
            "`at` is \"year 2026-01-01T00:00:00Z\", which is not an RFC 3339 date-time such as `2026-01-31T23:59:59.000Z`",
        ),
        (
            "\"format_version\":1",
            "\"format_version\":2",
            "`format_version` is 2, and only 1 can be read",
        ),
        (
            "\"note\":null",
            "\"node\":null",
            "`note` is missing; unknown key `node`",
        ),
    ] {
        assert_eq!(parse_draft(&MARK.replace(from, to)).unwrap_err().to_string(), expected);
    }
}

proptest! {
    #[test]
    fn every_event_survives_being_written(event in any_event(1)) {
        let parsed = parse_event(&event.to_string()).unwrap();
        let line = event_to_json(&parsed);
        prop_assert!(line.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{}", line);
        prop_assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), event);
        prop_assert_eq!(parse_event(&line), Ok(parsed));
    }

    #[test]
    fn no_text_makes_it_fall_over(event in any_event(1), at in 0.0..1.0, replacement in ".{0,3}|[\"\\\\{}:,u0-9d]{0,6}", text in ".*") {
        let _ = parse_event(&text);
        let line = event.to_string();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a short line")]
        let mut at = (line.len() as f64 * at) as usize;
        while !line.is_char_boundary(at) {
            at -= 1;
        }
        let mut mutated = line.clone();
        mutated.insert_str(at, &replacement);
        if let Ok(event) = parse_event(&mutated) {
            // Whatever is let through is an event that can be written and read again.
            prop_assert_eq!(parse_event(&event_to_json(&event)), Ok(event));
        }
    }
}
