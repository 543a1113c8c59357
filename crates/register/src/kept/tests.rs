use super::*;
use crate::{parse_event, summarize};

fn summary() -> SessionLifecycle {
    const STARTED: &str = r#"{"format_version":1,"id":"e1","at":"2026-01-02T03:04:05.006Z","session":"00000000-0000-0000-0000-000000000001","source":"hook","kind":"started","cwd":"/w","config_dir":"/c","profile":null,"claude_version":"2.1.0","model":null,"permissions":null,"entry":"resume","transcript":"/t","pid":-7}"#;
    const ENDED: &str = r#"{"format_version":1,"id":"e2","at":"2026-01-02T03:04:06+01:00","session":"00000000-0000-0000-0000-000000000002","source":"sweep","kind":"ended","outcome":"crashed","reason":null,"detail":"x"}"#;
    const NAMED: &str = r#"{"format_version":1,"id":"e3","at":"2026-01-02T03:04:07.000Z","session":"00000000-0000-0000-0000-000000000001","source":"user","kind":"named","name":"né\n","name_source":"user"}"#;
    const MARK: &str = r#"{"format_version":1,"id":"e4","at":"2026-01-02T03:04:08.000Z","session":"00000000-0000-0000-0000-000000000001","source":"user","kind":"mark","state":"on-hold","note":null}"#;
    const MOVED: &str = r#"{"format_version":1,"id":"e5","at":"2026-01-02T03:04:09.000Z","session":"00000000-0000-0000-0000-000000000001","source":"hook","kind":"moved","old_cwd":null,"new_cwd":"/v","old_transcript":"/t","new_transcript":"/u"}"#;
    let events = [STARTED, ENDED, NAMED, MARK, MOVED].map(|line| parse_event(line).unwrap());
    summarize(SessionId::from_u128(1), events)
}

fn stamp(size: u64) -> FileStamp {
    FileStamp {
        identity: FileIdentity {
            device: u64::MAX,
            inode: 1 << 63,
            size,
            modified: FileTime {
                seconds: -1,
                nanoseconds: 999_999_999,
            },
        },
        changed: FileTime {
            seconds: 1_767_258_000,
            nanoseconds: 5,
        },
    }
}

fn kept() -> Vec<u8> {
    let mut kept = begin(SUMMARIES);
    add(&mut kept, SessionId::from_u128(1), &stamp(1), &summary());
    add(
        &mut kept,
        SessionId::from_u128(2),
        &stamp(2),
        &SessionLifecycle::nothing(SessionId::from_u128(2)),
    );
    kept
}

#[test]
fn what_was_kept_is_recalled_for_a_file_that_looks_the_same() {
    let bytes = Bytes::from(kept());
    let entries = KeptEntry::all(&bytes, SUMMARIES);
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].summary(&stamp(1)), Some(summary()));
    assert_eq!(
        entries[1].summary(&stamp(2)),
        Some(SessionLifecycle::nothing(SessionId::from_u128(2)))
    );
    assert_eq!(entries[0].summary(&stamp(2)), None);
    let mut touched = stamp(1);
    touched.changed.nanoseconds += 1;
    assert_eq!(entries[0].summary(&touched), None);
}

#[test]
fn all_that_was_kept_is_recalled_whatever_the_files_say() {
    let kept = kept();
    assert_eq!(
        recall_all(kept.clone()),
        [summary(), SessionLifecycle::nothing(SessionId::from_u128(2))]
    );
    assert_eq!(recall_all(kept[..kept.len() - 1].to_vec()), [summary()]);
    assert_eq!(recall_all(b"nothing of ours".to_vec()), []);
}

#[test]
fn the_bytes_are_those_of_version_1() {
    let kept = kept();
    let lines: Vec<String> = kept[SUMMARIES.len()..]
        .chunks(32)
        .map(|bytes| bytes.escape_ascii().to_string())
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn another_version_holds_nothing() {
    let mut newer = kept();
    newer[SUMMARIES.len() - 2] = b'2';
    assert!(KeptEntry::all(&newer.into(), SUMMARIES).is_empty());
    assert!(KeptEntry::all(&Bytes::new(), SUMMARIES).is_empty());
}

#[test]
fn no_damage_is_taken_for_a_summary() {
    let good = kept();
    let stamps = [stamp(1), stamp(2)];
    let expected = [
        Some(summary()),
        Some(SessionLifecycle::nothing(SessionId::from_u128(2))),
    ];
    let check = |damaged: &[u8]| {
        for entry in KeptEntry::all(&Bytes::copy_from_slice(damaged), SUMMARIES) {
            for stamp in &stamps {
                let summary = entry.summary(stamp);
                assert!(summary.is_none() || expected.contains(&summary), "{summary:?}");
            }
        }
    };
    for length in 0..good.len() {
        check(&good[..length]);
        let mut zeroed = good.clone();
        zeroed[length..].fill(0);
        check(&zeroed);
        for bit in 0..8 {
            let mut flipped = good.clone();
            flipped[length] ^= 1 << bit;
            check(&flipped);
        }
    }
}

#[test]
fn a_file_that_was_just_written_is_not_settled() {
    let at = stamp(1).changed.as_ms();
    assert!(!stamp(1).is_settled(at));
    assert!(!stamp(1).is_settled(at + SETTLED_MS));
    assert!(stamp(1).is_settled(at + SETTLED_MS + 1));
    // A clock that was set back.
    assert!(!stamp(1).is_settled(at - 1_000_000));
}
