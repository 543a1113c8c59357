//! Which sessions and messages a search is about, and in which order it answers.

use std::collections::BTreeSet;
use std::path::PathBuf;

use sexton_register::SessionId;

use super::Query;
use crate::message::Kind;

/// Whose words are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Role {
    /// What people wrote.
    User,
    /// What the model answered.
    Assistant,
    /// What the model thought.
    Thinking,
    /// Calls of tools and their results.
    Tool,
    /// What the client added: summaries, command output, notices.
    System,
    /// Titles and names.
    Title,
}

impl Role {
    /// Every role, in the order users read them.
    pub const ALL: [Self; 6] = [
        Self::User,
        Self::Assistant,
        Self::Thinking,
        Self::Tool,
        Self::System,
        Self::Title,
    ];

    /// Its name on command lines and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Thinking => "thinking",
            Self::Tool => "tool",
            Self::System => "system",
            Self::Title => "title",
        }
    }

    /// The role with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Whose words a kind of message are.
    #[must_use]
    pub fn of(kind: Kind) -> Self {
        match kind {
            Kind::Title => Self::Title,
            Kind::Prompt => Self::User,
            Kind::Answer => Self::Assistant,
            Kind::Thinking => Self::Thinking,
            Kind::ToolCall | Kind::ToolResult => Self::Tool,
            Kind::Note => Self::System,
        }
    }
}

/// Which sessions and messages are looked at; everything that is set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Part of the name of the directory that holds the transcript, case-sensitive.
    pub project: Option<String>,
    /// The session's working directory, or one above it.
    pub cwd: Option<PathBuf>,
    /// Messages at or after this, in milliseconds since the Unix epoch. One without a time counts by its session's activity.
    pub since_ms: Option<i64>,
    /// Messages strictly before this, in milliseconds since the Unix epoch.
    pub before_ms: Option<i64>,
    /// Any of these; empty for all.
    pub roles: BTreeSet<Role>,
    /// Calls of any of these tools and their results, compared without case; empty for all messages.
    pub tools: BTreeSet<String>,
    /// Only these sessions: how a filter by state or prefix, which other crates know, comes in.
    pub sessions: Option<BTreeSet<SessionId>>,
}

/// In which order hits come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sort {
    /// What most likely is meant comes first: who said it, how recently, how often; routine sessions last.
    #[default]
    Relevance,
    /// By time of the session's newest hit, newest first.
    Newest,
    /// The reverse.
    Oldest,
}

/// What is counted and listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum View {
    /// One hit a session, its best.
    #[default]
    Sessions,
    /// Every message.
    Messages,
}

/// A whole question to the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRequest {
    /// What to find.
    pub query: Query,
    /// Where.
    pub filter: Filter,
    /// In which order.
    pub sort: Sort,
    /// Sessions or messages.
    pub view: View,
    /// At most so many.
    pub limit: usize,
    /// The time that ages are measured from, in milliseconds since the Unix epoch.
    pub now_ms: i64,
}
