//! A session's title, from the many records that may name it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::item::TitleKind;
use super::raw;

/// Longer titles are cut; they are for one line of a table.
const LONGEST: usize = 1000;

/// Every name a transcript gives its session, the last of each kind.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Titles {
    /// `custom-title`; a person may have cleared it.
    pub custom: Option<String>,
    /// `ai-title`.
    pub ai: Option<String>,
    /// `summary`.
    pub summary: Option<String>,
    /// `agent-name`.
    pub agent_name: Option<String>,
    /// `last-prompt`.
    pub last_prompt: Option<String>,
    /// The first prompt of a person's.
    pub first_prompt: Option<String>,
}

/// Where a title comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TitleSource {
    /// A person gave it.
    Custom,
    /// The client made it up.
    Ai,
    /// An older client made it up.
    Summary,
    /// It is the last prompt.
    LastPrompt,
    /// It is the first prompt.
    FirstPrompt,
}

impl Titles {
    /// The title: a person's own, else the client's, else a prompt.
    #[must_use]
    pub fn title(&self) -> Option<(&str, TitleSource)> {
        [
            (&self.custom, TitleSource::Custom),
            (&self.ai, TitleSource::Ai),
            (&self.summary, TitleSource::Summary),
            (&self.last_prompt, TitleSource::LastPrompt),
            (&self.first_prompt, TitleSource::FirstPrompt),
        ]
        .into_iter()
        .find_map(|(title, source)| Some((title.as_deref()?, source)))
    }

    /// The display name as the client shows it: a person's title, else the name of the agent.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.custom.as_deref().or(self.agent_name.as_deref())
    }

    pub(super) fn set(&mut self, kind: TitleKind, text: &str) {
        let clipped = clip(text);
        match kind {
            TitleKind::Custom => self.custom = clipped,
            // Only a person's title can be cleared.
            TitleKind::Ai => self.ai = clipped.or(self.ai.take()),
            TitleKind::Summary => self.summary = clipped.or(self.summary.take()),
            TitleKind::AgentName => self.agent_name = clipped.or(self.agent_name.take()),
            TitleKind::Tag => {}
        }
    }

    pub(super) fn set_last_prompt(&mut self, text: &str) {
        self.last_prompt = clip(text).or(self.last_prompt.take());
    }

    pub(super) fn offer_first_prompt(&mut self, text: &str) {
        if self.first_prompt.is_none() {
            self.first_prompt = clip(text);
        }
    }
}

/// The last name that title records in `tail` give, the end of a transcript: the last `custom-title`, else the last `agent-name`.
///
/// For the hook at a session's end, which has no time for more.
#[must_use]
pub fn name_in_tail(tail: &[u8]) -> Option<String> {
    let mut titles = Titles::default();
    for line in tail.split(|byte| *byte == b'\n') {
        // Both kinds name themselves in their first field; a record that mentions them elsewhere is parsed, and is none.
        if memchr::memmem::find(line, b"-title\"").is_none() && memchr::memmem::find(line, b"agent-name\"").is_none() {
            continue;
        }
        let Ok(record) = super::record::Record::parse(line) else {
            continue;
        };
        if record.kind == super::RecordKind::Title {
            let (kind, text) = record.title();
            titles.set(kind, &text_of(text));
        }
    }
    titles.name().map(str::to_owned)
}

fn text_of(raw: Option<&RawValue>) -> Cow<'_, str> {
    raw::text(raw).unwrap_or_default()
}

/// `text` without blanks around it and not too long, or nothing.
fn clip(text: &str) -> Option<String> {
    let text = text.trim();
    let end = text.floor_char_boundary(LONGEST);
    (!text.is_empty()).then(|| text[..end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence() {
        let mut titles = Titles::default();
        assert_eq!(titles.title(), None);
        titles.offer_first_prompt(" \n ");
        titles.offer_first_prompt(" first ");
        titles.offer_first_prompt("second");
        assert_eq!(titles.title(), Some(("first", TitleSource::FirstPrompt)));
        titles.set_last_prompt("last");
        assert_eq!(titles.title(), Some(("last", TitleSource::LastPrompt)));
        titles.set(TitleKind::Summary, "sum");
        assert_eq!(titles.title(), Some(("sum", TitleSource::Summary)));
        titles.set(TitleKind::Ai, "ai");
        titles.set(TitleKind::Ai, "");
        assert_eq!(titles.title(), Some(("ai", TitleSource::Ai)));
        titles.set(TitleKind::AgentName, "agent");
        titles.set(TitleKind::Tag, "tag");
        assert_eq!(
            (titles.title(), titles.name()),
            (Some(("ai", TitleSource::Ai)), Some("agent"))
        );
        titles.set(TitleKind::Custom, "mine");
        assert_eq!(
            (titles.title(), titles.name()),
            (Some(("mine", TitleSource::Custom)), Some("mine"))
        );
        titles.set(TitleKind::Custom, "");
        assert_eq!(
            (titles.title(), titles.name()),
            (Some(("ai", TitleSource::Ai)), Some("agent"))
        );
    }

    #[test]
    fn a_long_title_is_cut_between_characters() {
        let mut titles = Titles::default();
        titles.set(TitleKind::Custom, &"é".repeat(600).replacen('é', "e", 1));
        let title = titles.custom.unwrap();
        assert_eq!((title.len(), title.chars().count()), (999, 500));
    }

    #[test]
    fn the_name_in_a_transcripts_tail() {
        let name = |tail: &str| name_in_tail(tail.as_bytes());
        assert_eq!(
            name(
                "torn\"customTitle\":\"x\"}\n{\"type\":\"custom-title\",\"customTitle\":\"a\"}\n{\"type\":\"agent-name\",\"agentName\":\"b\"}\n\
                 {\"type\":\"custom-title\",\"customTitle\":\"tab\\there \\ud83d\\ude00\"}\n{\"type\":\"user\",\"x\":\"custom-title\\\"\"}\n{\"type\":\"custom-ti"
            )
            .as_deref(),
            Some("tab\there \u{1f600}")
        );
        assert_eq!(
            name("{\"type\":\"agent-name\",\"agentName\":\"b\"}\n").as_deref(),
            Some("b")
        );
        assert_eq!(name("{\"type\":\"ai-title\",\"aiTitle\":\"b\"}\n"), None);
        assert_eq!(name(""), None);
    }
}
