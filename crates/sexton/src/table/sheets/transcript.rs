//! A conversation as lines to scroll through.

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;

use anstyle::Style;
use sexton_claude::transcript::{Found, Harness, Item, ItemKind, TranscriptReader};
use sexton_index::texts::{OpenText, Origin};

use crate::render::style::Styles;
use crate::render::text::block;
use crate::render::{Cell, counted, one_line, size};
use crate::table::model::PageLine;

/// So much of a conversation is shown, and so much again after a place in it: what one wants to read on a screen, in memory that has a bound.
const MOST_BYTES: u64 = 4 << 20;

/// Of what tools answered and the model thought, so many lines are shown.
const MOST_ASIDE: usize = 8;

/// Longer lines are broken, so that none is too long to be wrapped at each frame.
const MOST_CHARACTERS: usize = 2000;

/// The end of a conversation, or what is around `line`, counted from 1; `local_time` shows an instant, given in milliseconds since the Unix epoch.
pub(super) fn lines(
    mut open: OpenText,
    line: Option<u64>,
    styles: Styles,
    local_time: &dyn Fn(i64) -> String,
) -> io::Result<Vec<PageLine>> {
    let origin = open.origin();
    let mut conversation = Conversation {
        lines: VecDeque::new(),
        bytes: 0,
        is_cut: false,
        target: line,
        is_in_target: false,
        speaker: None,
        styles,
        local_time,
    };
    // Lines are counted from the beginning; without one, as much is skipped as would be let go.
    let skipped = if line.is_none() {
        open.size()?.saturating_sub(MOST_BYTES)
    } else {
        0
    };
    open.seek_to(skipped)?;
    let mut after = 0;
    let mut reader = TranscriptReader::new();
    reader.read(open, &mut |found| {
        // Damaged lines are counted in the session's details.
        if let Found::Item(item) = found {
            let before = conversation.bytes;
            conversation.take(&item);
            if line.is_some_and(|line| item.line > line) {
                after += conversation.bytes - before;
            } else {
                conversation.forget_beyond(MOST_BYTES);
            }
        }
        if after > MOST_BYTES {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    if conversation.lines.is_empty() {
        conversation.aside("Nothing has been said yet.");
    }
    let mut notes = Vec::new();
    match origin {
        Origin::Archive => notes.push("The session is in the archive.".to_owned()),
        Origin::Vault => notes.push("The transcript is gone; this is the copy that was kept.".to_owned()),
        _ => {}
    }
    if skipped > 0 {
        notes.push(format!(
            "The first {} of the transcript are left out here.",
            size(skipped)
        ));
    } else if conversation.is_cut {
        notes.push("What was said long before is left out here.".to_owned());
    }
    let dim = styles.dim();
    let note = |note: String| PageLine::new(vec![Cell::styled(format!("  ({note})"), dim)]);
    Ok(notes.into_iter().map(note).chain(conversation.lines).collect())
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Person,
    Model,
}

struct Conversation<'a> {
    lines: VecDeque<PageLine>,
    /// How many bytes of text the lines have.
    bytes: u64,
    /// Whether lines were let go at the beginning.
    is_cut: bool,
    /// The line of the file that was asked for.
    target: Option<u64>,
    is_in_target: bool,
    speaker: Option<Speaker>,
    styles: Styles,
    local_time: &'a dyn Fn(i64) -> String,
}

impl Conversation<'_> {
    fn take(&mut self, item: &Item<'_>) {
        self.is_in_target = self.target == Some(item.line);
        // What subagents say to themselves is theirs; in a file of their own it is what was asked for.
        if item.is_sidechain && self.target.is_none() {
            return;
        }
        match &item.kind {
            ItemKind::HumanPrompt => {
                // Two prompts in a row are two.
                self.speaker = None;
                self.speak(Speaker::Person, item);
            }
            ItemKind::AssistantText => self.speak(Speaker::Model, item),
            ItemKind::Thinking if !item.text.trim().is_empty() => self.shortened("thinks", item),
            ItemKind::ToolCall { name, .. } => {
                self.introduce(Speaker::Model, item);
                let call = format!("  {}  {}", one_line(name), one_line(item.text));
                let style = self.styles.hint();
                self.push_text(&call, style, 4);
            }
            ItemKind::ToolResult { .. } => self.shortened("", item),
            ItemKind::Harness(Harness::Interruption) => self.aside("interrupted"),
            ItemKind::Harness(Harness::CompactSummary) => self.shortened("summary of what was said before", item),
            ItemKind::Harness(Harness::OtherOrigin) => self.shortened("from elsewhere", item),
            ItemKind::System if !item.text.trim().is_empty() => self.shortened("note", item),
            _ => {}
        }
    }

    fn speak(&mut self, speaker: Speaker, item: &Item<'_>) {
        if item.text.trim().is_empty() {
            return;
        }
        self.introduce(speaker, item);
        for line in block(item.text.trim_end()).lines() {
            self.push_text(&format!("  {line}"), Style::new(), 2);
        }
    }

    /// A line that says who speaks, where that changes.
    fn introduce(&mut self, speaker: Speaker, item: &Item<'_>) {
        if self.speaker == Some(speaker) {
            return;
        }
        self.speaker = Some(speaker);
        if !self.lines.is_empty() {
            self.push(PageLine::default());
        }
        let (who, style) = match speaker {
            Speaker::Person => ("you", self.styles.warning()),
            Speaker::Model => ("claude", self.styles.header()),
        };
        let when = item.timestamp_ms.map(|ms| format!("  {}", (self.local_time)(ms)));
        self.push(PageLine::new(vec![
            Cell::styled(who, style),
            Cell::styled(when.unwrap_or_default(), self.styles.dim()),
        ]));
    }

    /// The first lines of something that is seldom read whole.
    fn shortened(&mut self, label: &str, item: &Item<'_>) {
        let dim = self.styles.dim();
        if !label.is_empty() {
            self.push_text(&format!("  ({label})"), dim, 4);
        }
        let text = block(item.text.trim_end());
        let mut lines = text.lines();
        for line in lines.by_ref().take(MOST_ASIDE) {
            self.push_text(&format!("    {line}"), dim, 4);
        }
        let left = lines.count();
        if left > 0 {
            self.push_text(&format!("    … {}", counted(left, "more line")), dim, 4);
        }
    }

    fn aside(&mut self, text: &str) {
        let dim = self.styles.dim();
        self.push_text(&format!("  ({text})"), dim, 2);
    }

    fn push(&mut self, line: PageLine) {
        self.bytes += line.cells.iter().map(|cell| cell.text.len() as u64).sum::<u64>();
        self.lines.push_back(line);
    }

    /// Lets lines go at the beginning until the rest has at most so many bytes.
    fn forget_beyond(&mut self, most: u64) {
        while self.bytes > most
            && let Some(line) = self.lines.pop_front()
        {
            self.bytes -= line.cells.iter().map(|cell| cell.text.len() as u64).sum::<u64>();
            self.is_cut = true;
        }
    }

    fn push_text(&mut self, text: &str, style: Style, hang: usize) {
        let mut rest = text;
        loop {
            let end = rest
                .char_indices()
                .nth(MOST_CHARACTERS)
                .map_or(rest.len(), |(at, _)| at);
            self.push(PageLine {
                cells: vec![Cell::styled(&rest[..end], style)],
                hang,
                is_target: self.is_in_target,
            });
            rest = &rest[end..];
            if rest.is_empty() {
                return;
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test arranges files directly")]
mod tests {
    use sexton_index::texts::Texts;
    use sexton_index::vault::Vault;
    use sexton_register::SessionId;

    use super::*;

    fn lines_of(content: &str, line: Option<u64>) -> Vec<PageLine> {
        let directory = tempfile::tempdir().unwrap();
        let session = SessionId::from_u128(1);
        let path = directory.path().join(format!("{session}.jsonl"));
        std::fs::write(&path, content).unwrap();
        let texts = Texts {
            vault: &Vault::new(directory.path().join("vault")),
            archives: &[],
        };
        let open = texts.open(session, &path).unwrap();
        lines(open, line, Styles::new(false), &|ms| format!("at {ms}")).unwrap()
    }

    fn shown(content: &str) -> String {
        let lines = lines_of(content, None);
        lines.iter().map(|line| line.plain() + "\n").collect()
    }

    #[test]
    fn who_said_what_and_what_tools_answered() {
        let long = (1..=12)
            .map(|number| number.to_string())
            .collect::<Vec<_>>()
            .join("\\n");
        let content = [
            r#"{"type":"mode","mode":"default"}"#.to_owned(),
            r#"{"type":"user","timestamp":"1970-01-01T00:00:01Z","message":{"role":"user","content":"Why?\n\u001b[31m"}}"#.to_owned(),
            r#"{"type":"assistant","timestamp":"1970-01-01T00:00:02Z","message":{"role":"assistant","content":[{"type":"text","text":"I'll look."},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}"#.to_owned(),
            format!(r#"{{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":"{long}"}}]}}}}"#),
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"So."}]}}"#.to_owned(),
            "damaged".to_owned(),
        ];
        insta::assert_snapshot!(shown(&content.join("\n")), @r"
        you  at 1000
          Why?
          ␛[31m

        claude  at 2000
          I'll look.
          Bash  command: ls
            1
            2
            3
            4
            5
            6
            7
            8
            … 4 more lines
          So.
        ");
    }

    #[test]
    fn an_empty_transcript_says_so_and_a_long_line_is_broken() {
        assert_eq!(shown(""), "  (Nothing has been said yet.)\n");
        let word = "x".repeat(5000);
        let shown = shown(&format!(
            r#"{{"type":"user","message":{{"role":"user","content":"{word}"}}}}"#
        ));
        assert!(shown.lines().all(|line| line.len() <= MOST_CHARACTERS));
        assert_eq!(shown.matches('x').count(), 5000);
    }

    #[test]
    fn of_a_large_transcript_the_end_is_shown() {
        let record = r#"{"type":"user","message":{"role":"user","content":"again"}}"#;
        let mut content = format!("{record}\n").repeat(100_000);
        content.push_str(&record.replace("again", "the last"));
        let shown = shown(&content);
        assert!(shown.starts_with("  (The first "), "{}", &shown[..80]);
        assert!(shown.ends_with("the last\n"));
    }

    #[test]
    fn around_a_place_what_is_far_is_left_out_on_both_sides() {
        let prompt = |number: u64| {
            format!(
                r#"{{"type":"user","message":{{"role":"user","content":"number {number} {}"}}}}"#,
                "x".repeat(1000)
            )
        };
        let content: Vec<String> = (1..=20_000).map(prompt).collect();
        let lines = lines_of(&content.join("\n"), Some(10_000));
        let target: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].is_target).collect();
        assert_eq!(target.len(), 1);
        assert!(lines[target[0]].plain().contains("number 10000 "));
        let text: String = lines.iter().map(|line| line.plain() + "\n").collect();
        assert!(text.len() < 10_000_000, "{}", text.len());
        assert!(text.starts_with("  (What was said long before is left out here.)"));
        assert!(!text.contains("number 5000 ") && text.contains("number 9000 "));
        assert!(text.contains("number 11000 ") && !text.contains("number 15000 "));
        let near_the_start = lines_of(&content.join("\n"), Some(2));
        assert!(near_the_start[0].plain().contains("you"));
    }
}
