//! What was said in a transcript, piece by piece.

use std::borrow::Cow;

/// One piece of a record: a prompt, an answer's text, a tool call and so on.
///
/// Every user, assistant and system record and every hook's attachment gives at least one item, if need be with an empty text, so that
/// counting items of [`part`](Self::part) 0 counts records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<'a> {
    /// The line, from 1.
    pub line: u64,
    /// Where the line begins, in bytes.
    pub offset: u64,
    /// Which item of its line this is, from 0.
    pub part: u32,
    /// The kind of record it stands in.
    pub record: RecordKind,
    /// What it is.
    pub kind: ItemKind<'a>,
    /// Its text, with broken characters as U+FFFD; not made safe for a terminal. A text of more than 1 MiB comes in several items.
    pub text: &'a str,
    /// Whether the text goes on where the item before ended; all but `part` is the same as there.
    pub continues: bool,
    /// The record's time, in milliseconds since the Unix epoch.
    pub timestamp_ms: Option<i64>,
    /// The record's `uuid`; copies of one record in several files share it.
    pub uuid: Option<Cow<'a, str>>,
    /// The API's id of the answer this belongs to; the lines of one answer share it.
    pub message_id: Option<Cow<'a, str>>,
    /// Whether it was said to or by a subagent.
    pub is_sidechain: bool,
}

/// The kinds of records that hold a conversation, by the record's `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordKind {
    /// What is sent to the model: prompts, tool results, and what the client adds.
    User,
    /// What the model answers.
    Assistant,
    /// What the client notes for the person.
    System,
    /// What the client attaches to a prompt.
    Attachment,
    /// A title, label or name.
    Title,
    /// Bookkeeping, and whatever we don't know.
    Other,
}

/// What a piece of a conversation is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ItemKind<'a> {
    /// A person wrote it.
    HumanPrompt,
    /// It stands where a prompt stands, and no person wrote it.
    Harness(Harness),
    /// The model's prose.
    AssistantText,
    /// The model's reasoning.
    Thinking,
    /// A call of a tool; the text is its input, a line `key: value` for each value.
    ToolCall {
        /// The tool's name.
        name: Cow<'a, str>,
        /// The call's id, by which its result names it.
        id: Option<Cow<'a, str>>,
    },
    /// What a tool answered.
    ToolResult {
        /// The id of the call.
        call: Option<Cow<'a, str>>,
    },
    /// A note of the client's.
    System,
    /// A title, label or name.
    Title(TitleKind),
    /// A hook ran.
    Hook,
    /// A record without text, such as one that holds only an image.
    Other,
}

/// Why text in a user record is not a person's prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Harness {
    /// The record is marked as the client's own (`isMeta`).
    Meta,
    /// The summary that replaced a compacted conversation.
    CompactSummary,
    /// The record says that it came from elsewhere (`origin.kind`): a task, a peer, a channel.
    OtherOrigin,
    /// The notice that a person interrupted the model.
    Interruption,
    /// It begins with a tag of the client's, such as `<command-name>`.
    Tag,
    /// It stands beside a tool's result.
    BesideToolResult,
    /// The task that a subagent was given.
    AgentPrompt,
}

/// Which record a title comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TitleKind {
    /// `custom-title`: given by a person.
    Custom,
    /// `ai-title`: made up by the client.
    Ai,
    /// `summary`: older clients' title.
    Summary,
    /// `agent-name`.
    AgentName,
    /// `tag`.
    Tag,
}

/// The tags with which the client begins what it puts among a person's prompts. The closing `>` is left out, since some carry
/// attributes.
const HARNESS_TAGS: [&str; 24] = [
    "<command-name",
    "<command-message",
    "<command-args",
    "<command-contents",
    "<local-command-",
    "<system-reminder",
    "<task-notification",
    "<bash-input",
    "<bash-stdout",
    "<bash-stderr",
    "<ide_opened_file",
    "<ide_selection",
    "<ide_diagnostics",
    "<new-diagnostics",
    "<user-prompt-submit-hook",
    "<session-start-hook",
    "<user-memory-input",
    "<persisted-output",
    "<teammate-message",
    "<cross-session-message",
    "<background-task",
    "<fork-boilerplate",
    "<channel",
    "<tick",
];

/// Whether `text` begins with a tag that the client, not a person, writes.
#[must_use]
pub fn begins_with_harness_tag(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('<')
        && HARNESS_TAGS.iter().any(|tag| {
            text.strip_prefix(tag)
                // `<channel` must not take `<channels>` along; the families end in a hyphen.
                .is_some_and(|rest| tag.ends_with('-') || !rest.starts_with(|next: char| next.is_ascii_alphanumeric()))
        })
}

/// Whether `text` is the notice that a person interrupted the model.
#[must_use]
pub fn is_interruption(text: &str) -> bool {
    text.trim_start().starts_with("[Request interrupted by user")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_the_client() {
        for text in [
            "<command-name>/clear</command-name>",
            "  \n<local-command-stdout></local-command-stdout>",
            "<system-reminder>\nx",
            "<channel source=\"x\">",
        ] {
            assert!(begins_with_harness_tag(text), "{text}");
        }
        for text in [
            "<div>",
            "fix <system-reminder>",
            "<channels>",
            "",
            "<",
            "[Image #1] fix this",
        ] {
            assert!(!begins_with_harness_tag(text), "{text}");
        }
    }

    #[test]
    fn interruptions() {
        assert!(is_interruption("[Request interrupted by user]"));
        assert!(is_interruption("[Request interrupted by user for tool use]"));
        assert!(!is_interruption("why was [Request interrupted by user] shown?"));
    }
}
