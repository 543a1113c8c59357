//! `search` and `read`.

use schemars::JsonSchema;
use serde::Serialize;
use sexton_index::message::Kind;
use sexton_index::query::Role;
use sexton_index::search::Hit;
use sexton_index::texts::Origin;
use sexton_index::window::{Window, WindowMessage};
use sexton_register::SessionId;

use super::{SCHEMA_VERSION, path, time};

/// What `search --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HitsDocument {
    /// The version of this document.
    pub schema_version: u32,
    /// The hits, best or newest first.
    pub hits: Vec<HitDocument>,
    /// How many there are in all: sessions, or messages with `--messages`.
    pub total: usize,
    /// Whether `total` is exact; else there are at least so many.
    pub exact: bool,
    /// Whether everything was searched; else transcripts were still being read when the answer was given.
    pub complete: bool,
    /// Files that could not be read, each as a sentence.
    pub problems: Vec<String>,
}

/// One message that was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HitDocument {
    /// What `sexton read` takes: `ID:LINE`, or `ID/AGENT:LINE` for a subagent's.
    pub reference: String,
    /// The session; the parent's for a subagent's.
    pub session: String,
    /// The subagent, if it was said to or by one.
    pub agent: Option<String>,
    /// The session's title.
    pub title: Option<String>,
    /// The session's directory.
    pub directory: Option<String>,
    /// The session's last activity.
    pub last_activity: Option<String>,
    /// The file.
    pub path: String,
    /// The line in it, from 1; 0 for a name that stands in no file.
    pub line: u64,
    /// `user assistant thinking tool system title`.
    pub role: String,
    /// When it was said.
    pub at: Option<String>,
    /// How many messages of the session match.
    pub matches: usize,
    /// The text around the match, on one line.
    pub snippet: Option<SnippetDocument>,
    /// Where the text was found: `projects`, `archive` or `vault`.
    pub origin: Option<String>,
    /// Since when the session's transcript is missed.
    pub missing_since: Option<String>,
    /// Whether the session is routine.
    pub routine: bool,
}

/// Text around a match.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SnippetDocument {
    /// The text.
    pub text: String,
    /// Where it matches: pairs of byte offsets, the second behind the end.
    pub marks: Vec<[usize; 2]>,
}

/// What `read --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MessagesDocument {
    /// The version of this document.
    pub schema_version: u32,
    /// The session.
    pub session: String,
    /// The subagent, if its conversation is read.
    pub agent: Option<String>,
    /// Where the text was found: `projects`, `archive` or `vault`.
    pub origin: String,
    /// The messages, in the order of the file.
    pub messages: Vec<MessageDocument>,
    /// Whether there are messages before these.
    pub more_before: bool,
    /// Whether there are messages after these.
    pub more_after: bool,
    /// What could not be read, each as a sentence.
    pub problems: Vec<String>,
}

/// One message.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MessageDocument {
    /// The line in the transcript, from 1.
    pub line: u64,
    /// `user assistant thinking tool system title`.
    pub role: String,
    /// The tool that is called, or whose result it is.
    pub tool: Option<String>,
    /// When it was said.
    pub at: Option<String>,
    /// What it says.
    pub text: String,
    /// How many bytes were cut off its end.
    pub cut_bytes: usize,
}

/// One word for where a text was found.
#[must_use]
pub fn origin_word(origin: Origin) -> &'static str {
    match origin {
        Origin::Archive => "archive",
        Origin::Vault => "vault",
        _ => "projects",
    }
}

/// The reference that `sexton read` takes, with `id` as the session is to be written.
#[must_use]
pub fn reference(id: &str, agent: Option<&str>, line: u64) -> String {
    let agent = agent.map(|agent| format!("/{agent}")).unwrap_or_default();
    let line = if line == 0 { String::new() } else { format!(":{line}") };
    format!("{id}{agent}{line}")
}

fn role(kind: Kind) -> String {
    Role::of(kind).name().to_owned()
}

impl From<&Hit> for HitDocument {
    fn from(hit: &Hit) -> Self {
        Self {
            reference: reference(hit.session.as_str(), hit.agent.as_deref(), hit.line),
            session: hit.session.to_string(),
            agent: hit.agent.clone(),
            title: hit.title.clone(),
            directory: hit.directory.as_deref().map(path),
            last_activity: hit.last_ms.map(time),
            path: path(&hit.path),
            line: hit.line,
            role: role(hit.kind),
            at: hit.at_ms.map(time),
            matches: hit.matches,
            snippet: hit.snippet.as_ref().map(|snippet| SnippetDocument {
                text: snippet.text.clone(),
                marks: snippet.marks.iter().map(|mark| [mark.start, mark.end]).collect(),
            }),
            origin: hit.origin.map(|origin| origin_word(origin).to_owned()),
            missing_since: hit.missing_since_ms.map(time),
            routine: hit.is_routine,
        }
    }
}

impl MessagesDocument {
    /// The document of this part of a conversation.
    #[must_use]
    pub fn new(session: SessionId, agent: Option<&str>, window: &Window) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            session: session.to_string(),
            agent: agent.map(str::to_owned),
            origin: origin_word(window.origin).to_owned(),
            messages: window.messages.iter().map(MessageDocument::from).collect(),
            more_before: window.more_before,
            more_after: window.more_after,
            problems: Vec::new(),
        }
    }
}

impl From<&WindowMessage> for MessageDocument {
    fn from(message: &WindowMessage) -> Self {
        Self {
            line: message.line,
            role: role(message.kind),
            tool: message.tool.clone(),
            at: message.at_ms.map(time),
            text: message.text.clone(),
            cut_bytes: message.cut,
        }
    }
}
