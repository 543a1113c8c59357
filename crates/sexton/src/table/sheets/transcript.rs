//! A conversation as lines to scroll through.

use std::io::{self, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;

use anstyle::Style;
use sexton_claude::transcript::{Found, Harness, Item, ItemKind, TranscriptReader};
use sexton_sys::read::open_regular;

use crate::render::style::Styles;
use crate::render::text::block;
use crate::render::{Cell, one_line, size};
use crate::table::model::PageLine;

/// This much is read from the end of a transcript: what one wants to read on a screen, in memory that has a bound.
const MOST_BYTES: u64 = 4 << 20;

/// Of what tools answered and the model thought, so many lines are shown.
const MOST_ASIDE: usize = 8;

/// Longer lines are broken, so that none is too long to be wrapped at each frame.
const MOST_CHARACTERS: usize = 2000;

/// The end of the conversation in the transcript at `path`; `local_time` shows an instant, given in milliseconds since the Unix epoch.
pub(super) fn lines(path: &Path, styles: Styles, local_time: &dyn Fn(i64) -> String) -> io::Result<Vec<PageLine>> {
    let (mut file, metadata) = open_regular(path)?;
    let skipped = metadata.len().saturating_sub(MOST_BYTES);
    file.seek(SeekFrom::Start(skipped))?;
    let mut conversation = Conversation {
        lines: Vec::new(),
        speaker: None,
        styles,
        local_time,
    };
    if skipped > 0 {
        let note = format!("The first {} of the transcript are left out here.", size(skipped));
        conversation.aside(&note);
    }
    let mut reader = TranscriptReader::new();
    reader.read(file, &mut |found| {
        if let Found::Item(item) = found {
            conversation.take(&item);
        }
        // Damaged lines are counted in the session's details.
        ControlFlow::Continue(())
    })?;
    if conversation.lines.is_empty() {
        conversation.aside("Nothing has been said yet.");
    }
    Ok(conversation.lines)
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Person,
    Model,
}

struct Conversation<'a> {
    lines: Vec<PageLine>,
    speaker: Option<Speaker>,
    styles: Styles,
    local_time: &'a dyn Fn(i64) -> String,
}

impl Conversation<'_> {
    fn take(&mut self, item: &Item<'_>) {
        // What subagents say to themselves is theirs.
        if item.is_sidechain {
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
            ItemKind::ToolCall { name } => {
                self.introduce(Speaker::Model, item);
                let call = format!("  {}  {}", one_line(name), one_line(item.text));
                let style = self.styles.hint();
                self.push_text(&call, style, 4);
            }
            ItemKind::ToolResult => self.shortened("", item),
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
            self.lines.push(PageLine::default());
        }
        let (who, style) = match speaker {
            Speaker::Person => ("you", self.styles.warning()),
            Speaker::Model => ("claude", self.styles.header()),
        };
        let when = item.timestamp_ms.map(|ms| format!("  {}", (self.local_time)(ms)));
        self.lines.push(PageLine::new(vec![
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
            self.push_text(&format!("    … {left} more lines"), dim, 4);
        }
    }

    fn aside(&mut self, text: &str) {
        let dim = self.styles.dim();
        self.push_text(&format!("  ({text})"), dim, 2);
    }

    fn push_text(&mut self, text: &str, style: Style, hang: usize) {
        let mut rest = text;
        loop {
            let end = rest
                .char_indices()
                .nth(MOST_CHARACTERS)
                .map_or(rest.len(), |(at, _)| at);
            self.lines.push(PageLine {
                cells: vec![Cell::styled(&rest[..end], style)],
                hang,
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
    use super::*;

    fn shown(content: &str) -> String {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        let lines = lines(file.path(), Styles::new(false), &|ms| format!("at {ms}")).unwrap();
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
}
