//! The full-text engine behind one boundary: it maps tokens to message numbers and knows nothing else.
//!
//! Texts, times, sessions and ranks are the catalogue's. What an engine must give is exact: all messages that have the tokens, highest
//! number first. A message also carries marks ([`Mark`]) for its session, kind and tool, so that filters narrow inside the engine.

mod expression;
pub(crate) mod fts5;

pub use fts5::Fts5;

use crate::message::Kind;
use crate::query::Plan;

/// The number of a message in the catalogue.
pub type MessageNumber = i64;

/// A token that no text can contain, by which filters narrow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// The number of the session in the catalogue.
    Session(i64),
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
            Self::Session(number) => format!("=s{number}"),
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

/// What the engine is asked for: the plan, and of each list of marks at least one (an empty list asks for nothing).
#[derive(Debug, Clone, Copy)]
pub struct Question<'q> {
    /// Tokens that a message has and has not; its verification is not the engine's work. `None`: the marks alone decide.
    pub plan: Option<&'q Plan>,
    /// Lists of alternatives.
    pub marks: &'q [Vec<Mark>],
}

/// A full-text engine.
pub trait Engine {
    /// Stores a message's distinct tokens, separated by blanks. Numbers should rise within a transaction, else it is slow.
    fn add(&mut self, number: MessageNumber, tokens: &str) -> rusqlite::Result<()>;

    /// Forgets a message.
    fn remove(&mut self, number: MessageNumber) -> rusqlite::Result<()>;

    /// The messages that fulfil the question, highest number first, at most `most`.
    fn find(&self, question: Question<'_>, most: usize) -> rusqlite::Result<Vec<MessageNumber>>;
}
