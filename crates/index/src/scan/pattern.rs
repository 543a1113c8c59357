//! What is looked for, as matchers for decoded text and for raw bytes.

use std::fmt::Write;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use crate::error::IndexError;

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pattern {
    /// Exactly this text.
    Substring {
        /// The text.
        text: String,
        /// Whether letters match whatever their case.
        ignore_case: bool,
    },
    /// A regular expression, in the language of ripgrep; `^` and `$` stand at lines of a message.
    Regex {
        /// The expression.
        expression: String,
        /// Whether letters match whatever their case.
        ignore_case: bool,
    },
}

/// The pattern, ready.
pub(super) struct Matchers {
    /// For the text of a message.
    pub(super) text: RegexMatcher,
    /// For a line of a transcript: without a match there, the text has none. `None` if raw bytes can't tell.
    pub(super) raw: Option<RegexMatcher>,
}

impl Matchers {
    pub(super) fn new(pattern: &Pattern) -> Result<Self, IndexError> {
        let bad = |error: grep_regex::Error| IndexError::Pattern(error.to_string());
        let mut builder = RegexMatcherBuilder::new();
        match pattern {
            Pattern::Substring { text, .. } if text.is_empty() => Err(IndexError::Pattern("it is empty".to_owned())),
            Pattern::Substring { text, ignore_case } => {
                builder.case_insensitive(*ignore_case);
                let raw = is_plain(text)
                    .then(|| builder.build(&raw_expression(text)))
                    .transpose()
                    .map_err(bad)?;
                let text = builder.fixed_strings(true).build(text).map_err(bad)?;
                Ok(Self { text, raw })
            }
            Pattern::Regex {
                expression,
                ignore_case,
            } => {
                builder.case_insensitive(*ignore_case).multi_line(true);
                let text = builder.build(expression).map_err(bad)?;
                Ok(Self { text, raw: None })
            }
        }
    }
}

/// Whether JSON spells `text` as it is, unless it goes out of its way with `\u`.
///
/// A tool's input is shown as lines of `key: value`, which the raw bytes don't have.
fn is_plain(text: &str) -> bool {
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) && !matches!(byte, b'"' | b'\\' | b'/');
    text.bytes().all(is_plain) && !text.contains(": ")
}

/// Matches `text` or any escape of a printable ASCII character.
fn raw_expression(text: &str) -> String {
    let mut expression = String::from(r"\\u00[2-7][0-9A-Fa-f]|");
    for character in text.chars() {
        // Writing to a String does not fail.
        let _ = write!(expression, "\\x{{{:X}}}", character as u32);
    }
    expression
}
