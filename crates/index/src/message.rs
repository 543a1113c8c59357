//! The kinds of messages, as the index tells them apart.

use sexton_claude::transcript::{Item, ItemKind};

/// What kind of thing was said. The numbers are stored; new ones may be added, none may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Kind {
    /// A title or name of the session.
    Title = 0,
    /// What a person wrote.
    Prompt = 1,
    /// What the model answered.
    Answer = 2,
    /// What the model thought.
    Thinking = 3,
    /// A tool's name and input.
    ToolCall = 4,
    /// What a tool gave back.
    ToolResult = 5,
    /// What the client put into the conversation: summaries, command output, notices.
    Note = 6,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Title,
        Self::Prompt,
        Self::Answer,
        Self::Thinking,
        Self::ToolCall,
        Self::ToolResult,
        Self::Note,
    ];

    /// The number it is stored as.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The kind stored as `number`; one that a newer version wrote reads as a note.
    #[must_use]
    pub fn from_number(number: u8) -> Self {
        Self::ALL.get(usize::from(number)).copied().unwrap_or(Self::Note)
    }
}

/// What an item of a transcript is to the index, with the tool it calls; `None` for what says nothing.
pub(crate) fn kind_of<'i>(item: &'i Item<'_>) -> Option<(Kind, Option<&'i str>)> {
    if let ItemKind::ToolCall { name, .. } = &item.kind {
        return Some((Kind::ToolCall, Some(name)));
    }
    if item.text.is_empty() {
        return None;
    }
    let kind = match &item.kind {
        ItemKind::HumanPrompt => Kind::Prompt,
        ItemKind::AssistantText => Kind::Answer,
        ItemKind::Thinking => Kind::Thinking,
        ItemKind::ToolResult { .. } => Kind::ToolResult,
        ItemKind::Title(_) => Kind::Title,
        ItemKind::Hook | ItemKind::Other => return None,
        // What the client says, and whatever later versions tell apart.
        _ => Kind::Note,
    };
    Some((kind, None))
}
