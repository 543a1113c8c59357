//! The routine floor of a transcript on disk.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use sexton_claude::transcript::{Found, Item, ItemKind, ReadError, RecordKind, TranscriptReader};

use super::low_signal::is_low_signal;
use super::{FloorMessage, FloorStats};

/// Puts the pieces of each record together again, so that every record counts once.
#[derive(Debug, Default)]
pub struct FloorCounter {
    stats: FloorStats,
    open: Option<OpenRecord>,
}

/// A record of which pieces may still come.
#[derive(Debug)]
struct OpenRecord {
    line: u64,
    kind: RecordKind,
    /// Whether a person's text was among its pieces, and whether one of them says something.
    human: Option<bool>,
    prose_bytes: u64,
}

impl FloorCounter {
    /// Goes on from the figures of what was read before.
    #[must_use]
    pub fn going_on(stats: FloorStats) -> Self {
        Self { stats, open: None }
    }

    /// Takes in the next piece of the transcript.
    pub fn take(&mut self, item: &Item<'_>) {
        let counts = match item.record {
            RecordKind::User | RecordKind::Assistant | RecordKind::System => true,
            RecordKind::Attachment => item.kind == ItemKind::Hook,
            _ => false,
        };
        if !counts {
            return;
        }
        if self.open.as_ref().is_none_or(|open| open.line != item.line) {
            self.close();
            self.open = Some(OpenRecord {
                line: item.line,
                kind: item.record,
                human: None,
                prose_bytes: 0,
            });
        }
        let Some(open) = &mut self.open else { return };
        match item.kind {
            // A long text's beginning has told what it is.
            ItemKind::HumanPrompt if !item.continues => {
                open.human = Some(open.human == Some(true) || !is_low_signal(item.text));
            }
            ItemKind::AssistantText => open.prose_bytes = open.prose_bytes.saturating_add(item.text.len() as u64),
            _ => {}
        }
    }

    /// Whether what was read so far can't become routine any more.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        !self.stats.is_routine()
    }

    /// The figures, once everything has been taken in.
    #[must_use]
    pub fn finish(mut self) -> FloorStats {
        self.close();
        self.stats
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        self.stats.add(match (open.kind, open.human) {
            (RecordKind::Assistant, _) => FloorMessage::Assistant {
                prose_bytes: open.prose_bytes,
            },
            // Only whether a turn says something matters here.
            (RecordKind::User, Some(true)) => FloorMessage::Human("something"),
            _ => FloorMessage::Bookkeeping,
        });
    }
}

/// Whether the session in the transcript at `path` is routine; stops reading as soon as it can't be.
pub fn is_routine(path: &Path) -> io::Result<bool> {
    let mut counter = FloorCounter::default();
    let mut receive = |found: Found<'_>| {
        if let Found::Item(item) = found {
            counter.take(&item);
        }
        if counter.is_decided() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    match TranscriptReader::new().read_file(path, &mut receive) {
        Ok(_) => Ok(counter.finish().is_routine()),
        Err(ReadError::Io { source, .. }) => Err(source),
        Err(other) => Err(io::Error::other(other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use sexton_testkit::Transcript;

    use super::*;

    fn routine(transcript: &Transcript) -> bool {
        let directory = tempfile::tempdir().unwrap();
        let path = transcript.write(directory.path());
        is_routine(&path).unwrap()
    }

    fn new() -> Transcript {
        Transcript::new("01234567-89ab-4def-8123-456789abcdef")
    }

    #[test]
    fn transcripts_of_each_side_of_the_floor() {
        assert!(routine(&new()));
        assert!(routine(
            &new()
                .opening()
                .snapshots(200_000)
                .prompt("Which day is it?")
                .answer("Tuesday")
        ));
        assert!(routine(&new().prompt("/exit").answer("Goodbye")));
        assert!(!routine(&new().prompt("why?").answer(&"x".repeat(401))));
        assert!(!routine(
            &new().prompt("why?").answer("so").prompt("and then?").answer("this")
        ));
        let busy = new()
            .prompt("fix the build")
            .tool("Bash", "{}", "ok")
            .tool("Bash", "{}", "ok");
        assert!(!routine(&busy.answer("done")));
        assert!(routine(&new().prompt("hi").answer("Hello.").meta("a note")));
    }

    #[test]
    fn reading_stops_when_it_is_decided() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.jsonl");
        let mut long = new();
        for _ in 0..5 {
            long = long.conversation("why?", "so");
        }
        long.write_to(&path);
        assert!(!is_routine(&path).unwrap());
        is_routine(&directory.path().join("absent")).unwrap_err();
    }
}
