//! The text of `config.toml` as keys, values and places.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One thing that is wrong with the file. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line.
    pub line: usize,
    /// Where in that line.
    pub column: usize,
    /// What is wrong, and what to do.
    pub message: String,
    /// Whether commands can go on: what is only unknown is ignored.
    pub is_warning: bool,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// The file's values by their dotted names, and what could not be read.
pub(super) struct Document<'t> {
    text: &'t str,
    values: BTreeMap<String, (Range<usize>, Spanned<DeValue<'t>>)>,
    pub(super) problems: Vec<Problem>,
}

impl<'t> Document<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        // What follows a mistake is read as well: one of the keys may be the one that matters.
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut document = Self {
            text,
            values: BTreeMap::new(),
            problems: Vec::new(),
        };
        for error in errors {
            document.problem(error.span().unwrap_or_default(), error.message().to_owned(), false);
        }
        document.collect("", table.into_inner());
        document
    }

    fn collect(&mut self, prefix: &str, table: DeTable<'t>) {
        for (key, value) in table {
            let name = format!("{prefix}{}", key.get_ref());
            let place = key.span();
            let (span, value) = (value.span(), value.into_inner());
            match value {
                DeValue::Table(table) => self.collect(&format!("{name}."), table),
                value => drop(self.values.insert(name, (place, Spanned::new(span, value)))),
            }
        }
    }

    /// Takes the value of a key out.
    pub(super) fn take(&mut self, name: &str) -> Option<Spanned<DeValue<'t>>> {
        self.values.remove(name).map(|(_, value)| value)
    }

    /// The names that nobody took, with their places.
    pub(super) fn rest(&mut self) -> Vec<(String, Range<usize>)> {
        let values = std::mem::take(&mut self.values);
        values.into_iter().map(|(name, (place, _))| (name, place)).collect()
    }

    pub(super) fn problem(&mut self, span: Range<usize>, message: String, is_warning: bool) {
        let (line, column) = self.position(span.start);
        self.problems.push(Problem {
            line,
            column,
            message,
            is_warning,
        });
    }

    /// The line, from 1, on which an offset lies.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.position(offset).0
    }

    fn position(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }
}
