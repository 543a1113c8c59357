//! Counts a transcript's records for the routine floor, from the pieces they fall into.

use sexton_claude::transcript::{Item, ItemKind, RecordKind};
use sexton_yard::FloorStats;
use sexton_yard::routine::{FloorMessage, is_low_signal};

/// Puts the pieces of each record together again.
#[derive(Debug)]
pub(super) struct FloorCounter {
    stats: FloorStats,
    open: Option<OpenRecord>,
}

/// A record of which pieces may still come.
#[derive(Debug)]
struct OpenRecord {
    line: u64,
    kind: RecordKind,
    /// A person's text, if there was one; one that says something wins.
    human: Option<String>,
    prose: u64,
}

impl FloorCounter {
    pub(super) fn new(stats: FloorStats) -> Self {
        Self { stats, open: None }
    }

    pub(super) fn take(&mut self, item: &Item<'_>) {
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
                prose: 0,
            });
        }
        let Some(open) = &mut self.open else { return };
        match item.kind {
            ItemKind::HumanPrompt if open.human.as_ref().is_none_or(|text| is_low_signal(text)) => {
                // Only whether it says something matters, and its beginning tells.
                let end = item.text.floor_char_boundary(4096);
                open.human = Some(item.text[..end].to_owned());
            }
            ItemKind::AssistantText => open.prose = open.prose.saturating_add(item.text.len() as u64),
            _ => {}
        }
    }

    pub(super) fn finish(mut self) -> FloorStats {
        self.close();
        self.stats
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        self.stats.add(match (open.kind, &open.human) {
            (RecordKind::Assistant, _) => FloorMessage::Assistant {
                prose_bytes: open.prose,
            },
            (RecordKind::User, Some(text)) => FloorMessage::Human(text),
            _ => FloorMessage::Bookkeeping,
        });
    }
}
