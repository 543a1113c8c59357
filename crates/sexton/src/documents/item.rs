//! `log`, and what the commands print that change something.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use sexton_register::SessionId;
use sexton_sys::Effect;
use sexton_yard::facts::SessionFacts;

use super::{SCHEMA_VERSION, path, time};

/// What `log --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventsDocument {
    /// The version of this document.
    pub schema_version: u32,
    /// The events of the session, in the order of its file; each as `schemas/lifecycle-event.schema.json` describes.
    pub events: Vec<serde_json::Value>,
    /// Lines that could not be read, each as a sentence.
    pub problems: Vec<String>,
}

/// What commands that change something print: one item for each thing they looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ItemsDocument {
    /// The version of this document.
    pub schema_version: u32,
    /// Whether nothing was changed because only the plan was asked for.
    pub dry_run: bool,
    /// The things, in the order they were dealt with.
    pub items: Vec<Item>,
    /// Each change to the file system that a dry run would have made, as a sentence; empty otherwise.
    pub effects: Vec<String>,
    /// What went wrong, each as a sentence.
    pub problems: Vec<String>,
}

/// One thing and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Item {
    /// The session it belongs to, if it belongs to one.
    pub session: Option<String>,
    /// The file it is about, if it is about one.
    pub path: Option<String>,
    /// What became of it.
    pub outcome: Outcome,
    /// More about that, as a sentence.
    pub detail: Option<String>,
    /// The session's title, where the command looked for it.
    pub title: Option<String>,
    /// The session's directory, where the command looked for it.
    pub directory: Option<String>,
    /// When it was last active, where the command looked for it.
    pub last_activity: Option<String>,
    /// Messages: lines of the transcript that are not blank, where they were counted.
    pub messages: Option<u64>,
    /// Bytes of all its files.
    pub bytes: Option<u64>,
}

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Done, or in a dry run: would be done.
    Done,
    /// It was so before.
    AlreadyDone,
    /// Left as it was, on purpose.
    Kept,
    /// Failed.
    Failed,
}

impl ItemsDocument {
    /// The document of these items; `recorded` is what a dry run recorded.
    #[must_use]
    pub fn new(dry_run: bool, items: Vec<Item>, recorded: &[Effect], problems: &[String]) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            dry_run,
            items,
            effects: recorded.iter().map(ToString::to_string).collect(),
            problems: problems.to_vec(),
        }
    }
}

impl Item {
    /// An item about a session.
    #[must_use]
    pub fn of_session(session: SessionId, outcome: Outcome) -> Self {
        Self::named(session.as_str(), outcome)
    }

    /// An item about a session, or about what is none and goes by this name.
    #[must_use]
    pub fn named(name: &str, outcome: Outcome) -> Self {
        Self {
            session: Some(name.to_owned()),
            path: None,
            outcome,
            detail: None,
            title: None,
            directory: None,
            last_activity: None,
            messages: None,
            bytes: None,
        }
    }

    /// An item about a file that belongs to no session.
    #[must_use]
    pub fn of_file(file: &Path, outcome: Outcome) -> Self {
        Self {
            session: None,
            path: Some(path(file)),
            ..Self::named("", outcome)
        }
    }

    /// The same item with the file it is about.
    #[must_use]
    pub fn at(mut self, file: &Path) -> Self {
        self.path = Some(path(file));
        self
    }

    /// The same item with what is known of the session.
    #[must_use]
    pub fn with_facts(mut self, facts: &SessionFacts, bytes: u64) -> Self {
        self.title.clone_from(&facts.title);
        self.directory = facts.directory.as_deref().map(path);
        self.last_activity = facts.last_activity_ms.map(time);
        self.messages = facts.messages;
        self.bytes = Some(bytes);
        self
    }

    /// The same item with more about it.
    #[must_use]
    pub fn saying(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }
}
