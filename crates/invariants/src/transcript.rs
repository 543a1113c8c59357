//! Transcripts.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use sexton_claude::transcript::{
    Ending, Found, ProblemKind, ReadState, TranscriptReader, TranscriptSummary, count_lines, name_in_tail,
    summarize_ends,
};

use crate::scratch;

/// What a reading found, owned.
#[derive(Debug, Default, PartialEq)]
struct Told {
    items: Vec<OwnedItem>,
    problems: Vec<(u64, ProblemKind)>,
}

#[derive(Debug, PartialEq)]
struct OwnedItem {
    line: u64,
    part: u32,
    what: String,
    text: String,
}

impl Told {
    fn read(&mut self, reader: &mut TranscriptReader, bytes: &[u8]) -> Ending {
        let ending = reader.read(bytes, &mut |found| {
            match found {
                Found::Item(item) if item.continues => self.items.last_mut().unwrap().text.push_str(item.text),
                Found::Item(item) => self.items.push(OwnedItem {
                    line: item.line,
                    part: item.part,
                    what: format!(
                        "{:?} {:?} {:?} {:?}",
                        item.record, item.kind, item.timestamp_ms, item.uuid
                    ),
                    text: item.text.to_owned(),
                }),
                Found::Problem(problem) => self.problems.push((problem.line, problem.kind)),
            }
            ControlFlow::Continue(())
        });
        ending.expect("memory has no read errors")
    }

    /// Problems that are no more than a line that isn't complete yet.
    fn forget_torn(&mut self) {
        self.problems.retain(|(_, kind)| *kind != ProblemKind::Torn);
    }
}

fn whole(bytes: &[u8]) -> (Told, TranscriptSummary, Ending) {
    let (mut told, mut reader) = (Told::default(), TranscriptReader::new());
    let ending = told.read(&mut reader, bytes);
    (told, reader.into_state().summary().clone(), ending)
}

/// One record: the lines around it are read whatever it holds, and its place in them changes nothing.
pub fn transcript_record(bytes: &[u8]) {
    const NEIGHBOUR: &[u8] = b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"neighbour\"}}\n";
    let line: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != b'\n').collect();
    let line = [&line[..], b"\n"].concat();
    let (alone, _, ending) = whole(&line);
    assert_eq!(ending, Ending::Complete, "a line with its end is complete");
    assert!(alone.problems.len() <= 1 && alone.items.iter().all(|item| item.line == 1));

    let (between, summary, _) = whole(&[NEIGHBOUR, &line, NEIGHBOUR].concat());
    let texts: Vec<&str> = between.items.iter().map(|item| item.text.as_str()).collect();
    assert_eq!((texts[0], texts[texts.len() - 1]), ("neighbour", "neighbour"));
    assert!(summary.counts.user >= 2);
    // A byte order mark counts only at the very beginning.
    if !line.starts_with(b"\xef\xbb\xbf") {
        let own = &between.items[1..between.items.len() - 1];
        assert_eq!(own.len(), alone.items.len());
        for (own, alone) in own.iter().zip(&alone.items) {
            assert_eq!((own.line, &own.what, &own.text), (2, &alone.what, &alone.text));
        }
    }
    let _ = name_in_tail(&line);
}

/// One file: read at once or while it grows, by way of a stored state or not, it tells the same; its ends agree with the whole.
pub fn transcript_file(bytes: &[u8]) {
    // Where it is cut is part of the input, so that what fails once fails again.
    let (cuts, bytes) = bytes.split_at(bytes.len().min(2));
    let (mut at_once, summary, ending) = whole(bytes);
    assert_eq!(whole(bytes), (whole(bytes).0, summary.clone(), ending));

    let mut in_parts = Told::default();
    let mut state = ReadState::default();
    let cuts = cuts.iter().map(|cut| bytes.len() * usize::from(*cut) / 255);
    let mut cuts: Vec<usize> = cuts.chain([bytes.len()]).collect();
    cuts.sort_unstable();
    for cut in cuts {
        let mut reader = TranscriptReader::resume(state);
        let offset = usize::try_from(reader.state().offset()).unwrap();
        in_parts.read(&mut reader, &bytes[offset..cut.max(offset)]);
        state = reader.into_state();
        let json = state.to_json();
        assert_eq!(ReadState::from_json(&json).as_ref(), Some(&state), "{json}");
    }
    // A client never goes on with a line that was complete.
    let goes_on = in_parts.problems.iter().any(|(_, kind)| *kind == ProblemKind::GoesOn);
    if !goes_on {
        at_once.forget_torn();
        in_parts.forget_torn();
        assert_eq!(in_parts, at_once);
        assert_eq!(state.summary(), &summary);
    }
    scratch::with(|directory| ends(directory, bytes, &summary, ending));
}

fn ends(directory: &Path, bytes: &[u8], summary: &TranscriptSummary, ending: Ending) {
    let path = directory.join("x.jsonl");
    fs::write(&path, bytes).unwrap();
    let ends = summarize_ends(&path).unwrap();
    let counted = count_lines(&path, u64::MAX - 1).unwrap();
    if ending == Ending::Complete {
        assert_eq!(counted, summary.counts.lines);
        // The reader passes over bookkeeping by its first bytes, without a look at what else a damaged line of it holds.
        if ends.is_whole && !holds_bookkeeping(bytes) {
            assert_eq!(&ends.summary, summary);
        }
    }
    assert_eq!(count_lines(&path, 1).unwrap(), counted.min(2));
}

fn holds_bookkeeping(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let words = [
        "api-request",
        "atis-latch",
        "bridge-session",
        "cost-state",
        "file-history-",
        "mode\"",
        "queue-operation",
        "attachment",
    ];
    words.iter().any(|word| text.contains(word))
}
