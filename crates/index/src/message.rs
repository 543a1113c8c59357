//! One searchable piece of a conversation, as a pass takes it in.

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

/// One message: a block of a transcript's line. Several can come from one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message<'t> {
    /// The line it stands in, counted from 1.
    pub line: u64,
    /// Where that line begins, in bytes from the start of the file.
    pub offset: u64,
    /// What kind of thing it is.
    pub kind: Kind,
    /// The text, decoded.
    pub text: std::borrow::Cow<'t, str>,
    /// When, in milliseconds since the Unix epoch, if the record says.
    pub at_ms: Option<i64>,
    /// The tool's name, for calls and results where it is known.
    pub tool: Option<String>,
}
