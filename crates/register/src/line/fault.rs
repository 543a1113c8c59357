//! What can be wrong with a line.

use std::fmt;

use crate::{FORMAT_VERSION, InvalidSessionId, InvalidTimestamp};

/// One thing that is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The bytes are not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// The text is not JSON.
    #[error("malformed JSON: {what} at column {column}")]
    Malformed {
        /// What the parser missed.
        what: String,
        /// Where, as a 1-based byte number in the line without surrounding white space.
        column: usize,
    },
    /// The JSON is something else than an object.
    #[error("not a JSON object but {found}")]
    NotAnObject {
        /// An excerpt of what it is.
        found: String,
    },
    /// The line was written under another version of the format.
    #[error("`format_version` is {found}, and only {FORMAT_VERSION} can be read")]
    FormatVersion {
        /// An excerpt of the version given.
        found: String,
    },
    /// A key that every such line has is not there.
    #[error("`{key}` is missing")]
    Missing {
        /// The key.
        key: &'static str,
    },
    /// A key that no such line has.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// An excerpt of the key.
        key: String,
    },
    /// A key is given more than once, so that its value depends on who reads.
    #[error("`{key}` is given twice")]
    Duplicate {
        /// The key.
        key: String,
    },
    /// A value has another type than its key asks for.
    #[error("`{key}` is {found}, not {expected}{}", or_null(*.nullable))]
    WrongType {
        /// The key.
        key: &'static str,
        /// What is asked for, with its article.
        expected: &'static str,
        /// Whether `null` would do, too.
        nullable: bool,
        /// An excerpt of the value.
        found: String,
    },
    /// An integer is too large or too small.
    #[error("`{key}` is {found}, which does not fit 64 bits")]
    OutOfRange {
        /// The key.
        key: &'static str,
        /// An excerpt of the value.
        found: String,
    },
    /// A string that must say something is empty.
    #[error("`{key}` is empty")]
    Empty {
        /// The key.
        key: &'static str,
    },
    /// A value is none of the words its key allows.
    #[error("`{key}` is {found}, not one of {}{}", listed(.expected), or_null(*.nullable))]
    UnknownWord {
        /// The key.
        key: &'static str,
        /// The words it allows.
        expected: &'static [&'static str],
        /// Whether `null` would do, too.
        nullable: bool,
        /// An excerpt of the value.
        found: String,
    },
    /// The session is not a session id.
    #[error("`session`: {0}")]
    Session(#[source] InvalidSessionId),
    /// A point in time is not one.
    #[error("`{key}` is {found}, which {what}")]
    Timestamp {
        /// The key.
        key: &'static str,
        /// What is wrong with it.
        what: InvalidTimestamp,
        /// An excerpt of the value.
        found: String,
    },
}

impl Fault {
    pub(super) fn malformed(error: &serde_json::Error) -> Self {
        let message = error.to_string();
        let what = message
            .rsplit_once(" at line ")
            .map_or(message.as_str(), |(what, _)| what);
        Self::Malformed {
            what: what.to_owned(),
            column: error.column(),
        }
    }

    /// The same fault of a field that may be `null`.
    pub(crate) fn or_null(mut self) -> Self {
        if let Self::WrongType { nullable, .. } | Self::UnknownWord { nullable, .. } = &mut self {
            *nullable = true;
        }
        self
    }
}

fn or_null(nullable: bool) -> &'static str {
    if nullable { " or null" } else { "" }
}

fn listed(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The beginning of a piece of the line, fit for a message.
pub(super) fn excerpt(json: &str) -> String {
    crate::excerpt::excerpt(json, 60)
}

/// A line that is not an event, with everything that is wrong with it, up to [`InvalidLine::MOST`] faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidLine {
    faults: Vec<Fault>,
}

impl InvalidLine {
    /// How many faults of one line are told at most.
    pub const MOST: usize = 8;

    /// The faults, never none, in the order of the format's fields.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    pub(super) fn new(faults: Vec<Fault>) -> Self {
        Self { faults }
    }
}

impl From<Fault> for InvalidLine {
    fn from(fault: Fault) -> Self {
        Self { faults: vec![fault] }
    }
}

impl fmt::Display for InvalidLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(formatter, "{separator}{fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidLine {}
