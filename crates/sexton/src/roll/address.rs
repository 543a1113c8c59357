//! From what a person typed to the session that is meant.

use sexton_register::SessionId;

use super::{Roll, Row};
use crate::error::CommandError;
use crate::render::{counted, one_line, truncate, visible};

/// A prefix shorter than this names nothing: three characters that quietly mean many sessions are how accidents happen.
const LEAST_PREFIX: usize = 8;

/// How a session may be addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// By id or prefix, for what destroys.
    IdOnly,
    /// Also by exact display name.
    IdOrName,
}

/// Why no single session is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddressError {
    /// Nothing answers to it.
    Unknown {
        /// What was typed.
        text: String,
        /// Ids that are near it, each with its label.
        near: Vec<String>,
    },
    /// It is a prefix, and too short for one.
    TooShort(String),
    /// Several answer to it.
    Ambiguous {
        /// What was typed.
        text: String,
        /// All that it could mean, each with its label.
        matches: Vec<String>,
    },
}

/// So much of what was typed is said again.
const SHOWN: usize = 80;

impl From<AddressError> for CommandError {
    fn from(error: AddressError) -> Self {
        match error {
            AddressError::Unknown { text, near } => {
                let error = Self::refused(format_args!(
                    "no session is called `{}`",
                    visible(&truncate(&text, SHOWN))
                ));
                let error = near
                    .iter()
                    .fold(error, |error, near| error.hint(format_args!("there is {near}")));
                error.hint("`sexton list --all` shows every session")
            }
            AddressError::TooShort(text) => Self::refused(format_args!(
                "`{}` is too short to name a session",
                visible(&truncate(&text, SHOWN))
            ))
            .hint(format_args!(
                "give at least {LEAST_PREFIX} characters of its id, or its exact name"
            )),
            AddressError::Ambiguous { text, matches } => {
                let error = Self::refused(format_args!(
                    "`{}` could be {}",
                    visible(&truncate(&text, SHOWN)),
                    counted(matches.len(), "session")
                ));
                let error = matches
                    .iter()
                    .fold(error, |error, one| error.hint(format_args!("it could be {one}")));
                error.hint("give more of the id")
            }
        }
    }
}

/// The one session that `text` addresses.
///
/// A full id of which anything is known; else a prefix of an id, at least eight characters; else, where `address` allows it, an exact
/// display name. Case does not matter in ids, and does in names.
pub fn find(roll: &mut Roll, text: &str, address: Address) -> Result<SessionId, AddressError> {
    let lower = text.to_ascii_lowercase();
    if let Ok(session) = SessionId::parse(&lower)
        && roll.rows.iter().any(|row| row.session == session)
    {
        return Ok(session);
    }
    let by_prefix = |row: &&Row| lower.chars().count() >= LEAST_PREFIX && row.session.to_string().starts_with(&lower);
    let mut matches: Vec<&Row> = roll.rows.iter().filter(by_prefix).collect();
    if matches.is_empty() && address == Address::IdOrName {
        matches = roll
            .rows
            .iter()
            .filter(|row| row.name.as_deref() == Some(text))
            .collect();
    }
    if matches.is_empty() && address == Address::IdOrName {
        // Titles stand in transcripts, which are only read when nothing cheaper answers.
        roll.read_transcripts();
        matches = roll
            .rows
            .iter()
            .filter(|row| row.label().is_some_and(|label| label == one_line(text)))
            .collect();
    }
    match matches.as_slice() {
        [one] => Ok(one.session),
        [] if is_short_prefix(&lower) => Err(AddressError::TooShort(text.to_owned())),
        [] => Err(AddressError::Unknown {
            text: text.to_owned(),
            near: near(&roll.rows, &lower),
        }),
        several => Err(AddressError::Ambiguous {
            text: text.to_owned(),
            matches: several.iter().map(|row| describe(row)).collect(),
        }),
    }
}

fn is_short_prefix(text: &str) -> bool {
    text.chars().count() < LEAST_PREFIX && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

/// At most three sessions whose ids begin alike, or whose names contain the text.
fn near(rows: &[Row], text: &str) -> Vec<String> {
    let alike = |row: &Row| {
        row.session
            .to_string()
            .bytes()
            .zip(text.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    let named = |row: &Row| !text.is_empty() && row.label().is_some_and(|label| label.to_lowercase().contains(text));
    let mut ranked: Vec<(usize, &Row)> = rows
        .iter()
        .map(|row| (if named(row) { usize::MAX } else { alike(row) }, row))
        .collect();
    ranked.retain(|(rank, _)| *rank >= 4);
    ranked.sort_by_key(|(rank, row)| (std::cmp::Reverse(*rank), row.session));
    ranked.into_iter().take(3).map(|(_, row)| describe(row)).collect()
}

fn describe(row: &Row) -> String {
    match row.label() {
        Some(label) => format!("{} ({label})", row.session),
        None => row.session.to_string(),
    }
}
