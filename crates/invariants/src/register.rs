//! The lifecycle register.

use std::fs;
use std::time::Duration;

use sexton_register::{
    Draft, Event, EventKind, Mark, MarkState, Repair, SessionId, Source, Stamps, append_event, event_to_json, load_all,
    load_all_tolerant, parse_draft, parse_event, read_session, read_session_tolerant, repair, session_file, summarize,
};
use sexton_sys::{Effects, FixedClock};

use crate::scratch;

const NOW_MS: i64 = 1_772_366_400_000;

/// One line: what is read is written canonically, and the canonical line is read as the same event.
pub fn event_line(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let draft = parse_draft(text);
    if let Ok(event) = parse_event(text) {
        assert_canonical(&event);
        assert_eq!(
            draft.as_ref().ok(),
            Some(&Draft::from(event)),
            "a whole event is a draft"
        );
    }
    if let Ok(draft) = draft {
        let clock = FixedClock::at_ms(NOW_MS);
        assert_canonical(&draft.stamp(&Stamps::new(&clock)).unwrap());
    }
}

fn assert_canonical(event: &Event) {
    let line = event_to_json(event);
    assert!(
        line.bytes().all(|byte| matches!(byte, 0x20..=0x7e)),
        "not one ASCII line: {line}"
    );
    let again = parse_event(&line).expect("what we write can be read");
    assert_eq!(&again, event);
    assert_eq!(event_to_json(&again), line);
}

/// One file: both readers agree, an appended event comes back behind what was there, and a repair keeps every event.
pub fn register_file(bytes: &[u8]) {
    scratch::with(|directory| {
        let session = SessionId::from_u128(7);
        let path = session_file(directory, session);
        fs::write(&path, bytes).unwrap();
        let before = tolerant(&path);
        let summary = summarize(session, before.iter().cloned());
        let loaded = load_all_tolerant(directory).unwrap();
        if let Ok(strict) = read_session(&path) {
            assert_eq!(strict, before);
            assert_eq!(*load_all(directory).unwrap()[&session], summary);
            assert_eq!(loaded.sessions.get(&session).map(Box::as_ref), Some(&summary));
        } else {
            load_all(directory).expect_err("one reader is stricter than the other");
            assert!(!loaded.problems.is_empty(), "what is damaged is told");
        }

        let clock = FixedClock::at_ms(NOW_MS);
        let stamps = Stamps::new(&clock);
        let effects = Effects::apply();
        let mark = EventKind::Mark(Mark {
            state: Some(MarkState::Blocked),
            note: None,
        });
        let written = append_event(&effects, directory, Draft::new(session, Source::User, mark), &stamps).unwrap();
        let content = fs::read(&path).unwrap();
        assert!(content.starts_with(bytes), "an append changed what was there");
        let mut expected = before;
        expected.push(written);
        assert_eq!(tolerant(&path), expected);

        let request = Repair {
            file: &path,
            is_live: false,
            now_ms: NOW_MS,
            settle: Duration::ZERO,
        };
        repair(&effects, &request).unwrap();
        assert_eq!(read_session(&path).expect("repaired"), expected);
        let again = repair(&effects, &request).unwrap();
        assert!(again.moved.is_empty() && again.carried == 0, "{again:?}");
    });
}

fn tolerant(path: &std::path::Path) -> Vec<Event> {
    read_session_tolerant(path).unwrap().events
}
