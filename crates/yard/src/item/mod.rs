//! What an operation is done to, and what came of it, item by item.

mod error;

use std::fmt;
use std::path::PathBuf;

use sexton_register::SessionId;

pub use error::ItemError;

/// One thing that can be put away: a session, or a transcript-like file under another name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemId {
    /// A session.
    Session(SessionId),
    /// The stem of a `.jsonl` file in a project directory that is no session id. Met by no filter, only named whole.
    Foreign(String),
}

impl ItemId {
    /// The id that a transcript's stem is.
    #[must_use]
    pub fn of_stem(stem: &str) -> Self {
        SessionId::parse(stem).map_or_else(|_| Self::Foreign(stem.to_owned()), Self::Session)
    }

    /// The id as it stands in file names and in the tombstone file.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Session(id) => id.as_str(),
            Self::Foreign(stem) => stem,
        }
    }

    /// The session id, if it is one.
    #[must_use]
    pub fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Session(id) => Some(id),
            Self::Foreign(_) => None,
        }
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<SessionId> for ItemId {
    fn from(id: SessionId) -> Self {
        Self::Session(id)
    }
}

/// What became of one item.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// It is where it should go, whole.
    Done,
    /// It was there before.
    AlreadyDone,
    /// It is where it was, whole, and nothing of it was touched.
    LeftAlone(ItemError),
    /// Something failed on the way, and it is back where it was, whole.
    RolledBack(ItemError),
    /// It is half way, and both ways failed. Its intent is in the journal: the next yard command takes it up.
    Unfinished(ItemError),
}

impl Outcome {
    /// Whether the item is where the operation was to bring it.
    #[must_use]
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Done | Self::AlreadyDone)
    }

    /// The word for it in JSON.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::AlreadyDone => "already-done",
            Self::LeftAlone(_) => "left-alone",
            Self::RolledBack(_) => "rolled-back",
            Self::Unfinished(_) => "unfinished",
        }
    }

    /// Why it is not done, if it isn't.
    #[must_use]
    pub fn error(&self) -> Option<&ItemError> {
        match self {
            Self::Done | Self::AlreadyDone => None,
            Self::LeftAlone(error) | Self::RolledBack(error) | Self::Unfinished(error) => Some(error),
        }
    }
}

/// One item's result.
#[derive(Debug)]
pub struct ItemResult {
    /// Which item.
    pub id: ItemId,
    /// What became of it.
    pub outcome: Outcome,
    /// Where its main file lies now, where that means something: the archived transcript, the restored transcript.
    pub path: Option<PathBuf>,
    /// What else there is to say, each a sentence: new files that were left alone, times that were refreshed.
    pub notes: Vec<String>,
}

/// What an applied plan did: a result for every item of the plan, whatever happened to the others.
#[derive(Debug, Default)]
pub struct Applied {
    /// The operation's name in the journal; `None` if there was nothing to do.
    pub operation: Option<crate::journal::OperationId>,
    /// One result an item, in the plan's order.
    pub items: Vec<ItemResult>,
    /// What went wrong beside the items: the journal could not be closed, a directory could not be tidied. Each a sentence.
    pub problems: Vec<String>,
    /// What was left from an interrupted operation and has been settled before this one began.
    pub recovered: Vec<crate::recovery::Recovered>,
}

impl Applied {
    /// Whether every item is where it should be.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.items.iter().all(|item| item.outcome.is_success())
    }
}
