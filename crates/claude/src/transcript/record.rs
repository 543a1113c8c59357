//! One record, understood: what kind it is, who says it, and the pieces it falls into.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::item::{self, Harness, ItemKind, RecordKind, TitleKind};
use super::raw::{self, Raw, RawAttachment, RawBlock, RawMessage, RawRecord};
use super::text::{self, Chunk};

/// A record of a transcript, borrowed from its line.
#[derive(Debug)]
pub(crate) struct Record<'a> {
    pub(crate) raw: RawRecord<'a>,
    pub(crate) message: RawMessage<'a>,
    pub(crate) kind: RecordKind,
    pub(crate) type_name: Cow<'a, str>,
    pub(crate) is_sidechain: bool,
    pub(crate) timestamp_ms: Option<i64>,
}

/// A piece of a record and its text, or a part of its text.
pub(crate) struct Piece<'p> {
    pub(crate) kind: ItemKind<'p>,
    pub(crate) chunk: Chunk<'p>,
}

/// Receives pieces.
type Act<'r> = &'r mut dyn FnMut(Piece<'_>);

impl<'a> Record<'a> {
    /// The record in `line`, one JSON object.
    pub(crate) fn parse(line: &'a [u8]) -> Result<Self, serde_json::Error> {
        let mut raw: RawRecord<'a> = serde_json::from_slice(line)?;
        let message = std::mem::take(&mut raw.message).0;
        // Records without a type have been seen; the message's role says as much.
        let type_name = raw::text(raw.record_type)
            .or_else(|| raw::text(message.role))
            .unwrap_or_default();
        Ok(Self {
            kind: kind_of(&type_name),
            is_sidechain: raw::is_true(raw.is_sidechain),
            timestamp_ms: raw::text(raw.timestamp).and_then(|text| timestamp_ms(&text)),
            raw,
            message,
            type_name,
        })
    }

    /// Calls `act` with each piece; `scratch` is where texts are put together.
    pub(crate) fn each_piece(&self, scratch: &mut String, act: Act<'_>) {
        match self.kind {
            RecordKind::User => self.each_user_piece(scratch, act),
            RecordKind::Assistant => self.each_assistant_piece(scratch, act),
            RecordKind::System => text::plain(self.raw.content, scratch, &mut of_kind(&ItemKind::System, act)),
            RecordKind::Attachment => self.each_attachment_piece(scratch, act),
            RecordKind::Title => {
                let (kind, raw) = self.title();
                if raw::non_empty(raw).is_some() {
                    text::plain(raw, scratch, &mut of_kind(&ItemKind::Title(kind), act));
                }
            }
            RecordKind::Other => {}
        }
    }

    /// Which title a title record holds, and where.
    pub(crate) fn title(&self) -> (TitleKind, Raw<'a>) {
        match &*self.type_name {
            "custom-title" => (TitleKind::Custom, self.raw.custom_title),
            "ai-title" => (TitleKind::Ai, self.raw.ai_title),
            "agent-name" => (TitleKind::AgentName, self.raw.agent_name),
            "tag" => (TitleKind::Tag, self.raw.tag),
            _ => (TitleKind::Summary, self.raw.summary),
        }
    }

    fn each_user_piece(&self, scratch: &mut String, act: Act<'_>) {
        let Some(content) = self.message.content else {
            return without_text(&ItemKind::Other, act);
        };
        if raw::quoted(content).is_some() {
            return text::plain(Some(content), scratch, &mut self.of_prompt(false, act));
        }
        // Looked for only where there is a text beside it to judge: results are long.
        let mut beside = None;
        let mut any = false;
        raw::each_block(content, &mut |block| {
            let block_type = raw::text(block.block_type).unwrap_or_default();
            if is_tool_result(&block_type) {
                text::of_content(block.content, scratch, &mut of_kind(&result_of(&block), act));
            } else if block.text.is_some() {
                let beside = *beside.get_or_insert_with(|| has_tool_result(content));
                text::plain(block.text, scratch, &mut self.of_prompt(beside, act));
            } else {
                return;
            }
            any = true;
        });
        if !any {
            without_text(&ItemKind::Other, act);
        }
    }

    fn each_assistant_piece(&self, scratch: &mut String, act: Act<'_>) {
        let Some(content) = self.message.content else {
            return without_text(&ItemKind::Other, act);
        };
        if raw::quoted(content).is_some() {
            return text::plain(Some(content), scratch, &mut of_kind(&ItemKind::AssistantText, act));
        }
        let mut any = false;
        raw::each_block(content, &mut |block| {
            let block_type = raw::text(block.block_type).unwrap_or_default();
            if block_type.ends_with("tool_use") {
                let name = raw::text(block.name).unwrap_or_default();
                let id = raw::text(block.id);
                text::of_input(
                    block.input,
                    scratch,
                    &mut of_kind(&ItemKind::ToolCall { name, id }, act),
                );
            } else if is_tool_result(&block_type) {
                text::of_content(block.content, scratch, &mut of_kind(&result_of(&block), act));
            } else if block.thinking.is_some() {
                text::plain(block.thinking, scratch, &mut of_kind(&ItemKind::Thinking, act));
            } else if block.text.is_some() {
                text::plain(block.text, scratch, &mut of_kind(&ItemKind::AssistantText, act));
            } else {
                return;
            }
            any = true;
        });
        if !any {
            without_text(&ItemKind::Other, act);
        }
    }

    fn each_attachment_piece(&self, scratch: &mut String, act: Act<'_>) {
        let attachment: RawAttachment<'_> = raw::object(self.raw.attachment);
        let attachment_type = raw::text(attachment.attachment_type).unwrap_or_default();
        if attachment_type.starts_with("hook_") {
            without_text(&ItemKind::Hook, act);
        } else if attachment_type == "queued_command" {
            // What a person typed while the model was at work reaches it as an attachment.
            let typed = raw::text(attachment.command_mode).is_none_or(|mode| mode == "prompt");
            let harness = if raw::is_true(attachment.is_meta) {
                Harness::Meta
            } else if !typed || !is_human(attachment.origin) {
                Harness::OtherOrigin
            } else {
                return text::of_content(attachment.prompt, scratch, &mut self.of_prompt(false, act));
            };
            text::of_content(
                attachment.prompt,
                scratch,
                &mut of_kind(&ItemKind::Harness(harness), act),
            );
        }
    }

    /// Makes pieces of a prompt's chunks; its beginning tells who wrote it.
    fn of_prompt<'f>(&'f self, beside_tool_result: bool, act: Act<'f>) -> impl FnMut(Chunk<'_>) + 'f {
        let mut kind = ItemKind::Other;
        move |chunk| {
            if !chunk.continues {
                kind = self.prompt_kind(chunk.text, beside_tool_result);
            }
            act(Piece {
                kind: kind.clone(),
                chunk,
            });
        }
    }

    /// Who wrote `prompt`, a text of this user record.
    fn prompt_kind(&self, prompt: &str, beside_tool_result: bool) -> ItemKind<'static> {
        let harness = if raw::is_true(self.raw.is_compact_summary) {
            Harness::CompactSummary
        } else if raw::is_true(self.raw.is_meta) {
            Harness::Meta
        } else if !is_human(self.raw.origin) {
            Harness::OtherOrigin
        } else if item::is_interruption(prompt) {
            Harness::Interruption
        } else if item::begins_with_harness_tag(prompt) {
            Harness::Tag
        } else if beside_tool_result {
            Harness::BesideToolResult
        } else if self.is_sidechain {
            Harness::AgentPrompt
        } else {
            return ItemKind::HumanPrompt;
        };
        ItemKind::Harness(harness)
    }
}

fn result_of<'a>(block: &RawBlock<'a>) -> ItemKind<'a> {
    ItemKind::ToolResult {
        call: raw::text(block.tool_use_id),
    }
}

/// Makes pieces of one kind.
fn of_kind<'f>(kind: &'f ItemKind<'_>, act: Act<'f>) -> impl FnMut(Chunk<'_>) + 'f {
    move |chunk| {
        act(Piece {
            kind: kind.clone(),
            chunk,
        });
    }
}

fn without_text(kind: &ItemKind<'_>, act: Act<'_>) {
    of_kind(kind, act)(Chunk {
        text: "",
        continues: false,
    });
}

fn kind_of(type_name: &str) -> RecordKind {
    match type_name {
        "user" => RecordKind::User,
        "assistant" => RecordKind::Assistant,
        "system" => RecordKind::System,
        "attachment" => RecordKind::Attachment,
        "summary" | "custom-title" | "ai-title" | "agent-name" | "tag" => RecordKind::Title,
        _ => RecordKind::Other,
    }
}

/// Whether `origin`, an object with a `kind`, says that a person is the author; so does its absence.
fn is_human(origin: Raw<'_>) -> bool {
    raw::text(raw::field(origin, "kind")).is_none_or(|kind| kind == "human")
}

/// `tool_result`, `web_search_tool_result` and the like.
fn is_tool_result(block_type: &str) -> bool {
    block_type.ends_with("tool_result")
}

fn has_tool_result(content: &RawValue) -> bool {
    let mut found = false;
    raw::each_block(content, &mut |block| {
        found = found || raw::text(block.block_type).is_some_and(|name| is_tool_result(&name));
    });
    found
}

/// A record's `timestamp`, an RFC 3339 time, in milliseconds since the Unix epoch.
pub(crate) fn timestamp_ms(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>()
        .ok()
        .map(jiff::Timestamp::as_millisecond)
}
