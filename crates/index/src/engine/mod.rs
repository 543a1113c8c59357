//! The full-text engine behind one boundary: it maps tokens to message numbers and knows nothing else.
//!
//! Texts, times, sessions and ranks are the catalogue's. What the engine gives is exact: all messages that have the tokens, highest
//! number first. A message also carries marks ([`Mark`]) for its kind and tool, so that filters narrow inside the engine; sessions are
//! ranges of numbers ([`MessageRanges`]). It lives in the catalogue's own file, so that one transaction covers both.

mod block;
mod cursor;
mod find;
mod invert;
mod merge;
mod policy;
mod postings;
mod removed;
mod segments;
mod stored;
#[cfg(test)]
mod tests;
pub(crate) mod varint;

use std::ops::RangeInclusive;

use rusqlite::{Connection, ffi};

pub use block::Entries;
pub use invert::{Inverted, Inverter};
pub use postings::Postings;
pub use segments::TABLES;

use crate::message::Kind;
use crate::query::Plan;

/// The number of a message in the catalogue, from 1.
pub type MessageNumber = i64;

/// A token that no text can contain, by which filters narrow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// The kind of message.
    Kind(Kind),
    /// The tool that was called or that answered.
    Tool(String),
}

impl Mark {
    /// The mark as a token: it begins with a joiner, and tokens of texts never do.
    #[must_use]
    pub fn token(&self) -> String {
        match self {
            Self::Kind(kind) => format!("=k{}", kind.number()),
            Self::Tool(name) => {
                let mut token = String::from("=t");
                for character in name.chars().filter(|character| character.is_alphanumeric()).take(60) {
                    crate::tokens::fold(character, &mut token);
                }
                token
            }
        }
    }
}

/// Ranges of message numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageRanges {
    /// In order, without overlap.
    ranges: Vec<(u64, u64)>,
}

impl MessageRanges {
    /// The messages in any of `ranges`, each from its first to its last.
    #[must_use]
    pub fn of(ranges: impl IntoIterator<Item = (MessageNumber, MessageNumber)>) -> Self {
        let mut ranges: Vec<(u64, u64)> = ranges
            .into_iter()
            .filter(|(first, last)| 0 <= *first && first <= last)
            .map(|(first, last)| (first.cast_unsigned(), last.cast_unsigned()))
            .collect();
        ranges.sort_unstable();
        ranges.dedup_by(|next, before| {
            let touches = next.0 <= before.1.saturating_add(1);
            if touches {
                before.1 = before.1.max(next.1);
            }
            touches
        });
        Self { ranges }
    }

    /// Each range, from its first to its last.
    pub(crate) fn iter(&self) -> impl Iterator<Item = RangeInclusive<MessageNumber>> {
        self.ranges.iter().map(|(first, last)| number(*first)..=number(*last))
    }

    /// The highest message in them that is at most `most`.
    fn highest(&self, most: u64) -> Option<u64> {
        let after = self.ranges.partition_point(|(first, _)| *first <= most);
        let (_, last) = self.ranges.get(after.checked_sub(1)?)?;
        Some(most.min(*last))
    }
}

/// What the engine is asked for: the plan, of each list of marks at least one (an empty list asks for nothing), within some ranges.
#[derive(Debug, Clone, Copy, Default)]
pub struct Question<'q> {
    /// Tokens that a message has and has not; its verification is not the engine's work. `None`: the rest decides.
    pub plan: Option<&'q Plan>,
    /// Lists of alternatives.
    pub marks: &'q [Vec<Mark>],
    /// Only these messages.
    pub within: Option<&'q MessageRanges>,
}

/// The engine in an open catalogue.
///
/// Its methods that write belong into a transaction; finding does as well if others may write.
#[derive(Debug, Clone, Copy)]
pub struct Engine<'c> {
    connection: &'c Connection,
}

impl<'c> Engine<'c> {
    /// The engine in the catalogue that `connection` has open.
    #[must_use]
    pub fn new(connection: &'c Connection) -> Self {
        Self { connection }
    }

    /// Stores messages, of which the first gets the number `first`; all that are stored must have lower ones.
    pub fn append(&self, first: MessageNumber, units: &[&Inverted]) -> rusqlite::Result<()> {
        segments::append(self.connection, first.cast_unsigned(), units)
    }

    /// Forgets messages.
    pub fn remove(&self, messages: RangeInclusive<MessageNumber>) -> rusqlite::Result<()> {
        let messages = messages.start().cast_unsigned()..=messages.end().cast_unsigned();
        removed::Removed::add(self.connection, messages)
    }

    /// The messages that fulfil the question, highest number first, at most `most`.
    pub fn find(&self, question: Question<'_>, most: usize) -> rusqlite::Result<Vec<MessageNumber>> {
        find::find(self.connection, question, most)
    }
}

/// Stored bytes are not what this program writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a block of the full text is damaged")]
pub struct Corrupt;

/// To the rest of the program it is one damage whether SQLite or we notice it: the catalogue is set aside and made anew.
impl From<Corrupt> for rusqlite::Error {
    fn from(corrupt: Corrupt) -> Self {
        Self::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), Some(corrupt.to_string()))
    }
}

/// Message numbers as SQLite has them.
fn number(message: u64) -> i64 {
    i64::try_from(message).unwrap_or(i64::MAX)
}
