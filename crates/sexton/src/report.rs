//! What a command has to say, before anything is printed.

use serde::Serialize;

use crate::error::CommandError;
use crate::exit::Exit;

/// A command's whole answer: data for stdout, remarks for stderr, and the exit status.
#[derive(Debug)]
pub struct Report {
    /// Goes to stdout as it stands; already safe for a terminal, or JSON.
    pub stdout: String,
    /// Remarks, one line each, for stderr.
    pub notes: Vec<String>,
    /// Warnings, one line each, for stderr.
    pub warnings: Vec<String>,
    /// Files that can't be read and items that failed, one line each, for stderr. They make the exit status 3.
    pub problems: Vec<String>,
    exit: Exit,
    is_exact: bool,
}

impl Report {
    /// A report of this text.
    pub fn text(stdout: impl Into<String>) -> Self {
        Self {
            stdout: stdout.into(),
            notes: Vec::new(),
            warnings: Vec::new(),
            problems: Vec::new(),
            exit: Exit::Done,
            is_exact: false,
        }
    }

    /// A report of one JSON document.
    pub fn json(document: &impl Serialize) -> Result<Self, CommandError> {
        let mut text = serde_json::to_string_pretty(document).map_err(CommandError::refused)?;
        text.push('\n');
        Ok(Self::text(text))
    }

    /// The same report with these remarks.
    #[must_use]
    pub fn with_notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// The same report with these problems.
    #[must_use]
    pub fn with_problems(mut self, problems: impl IntoIterator<Item = String>) -> Self {
        self.problems.extend(problems);
        self
    }

    /// The same report with these warnings.
    #[must_use]
    pub fn with_warnings(mut self, warnings: impl IntoIterator<Item = String>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    /// The same report with this exit status, unless problems ask for a graver one.
    #[must_use]
    pub fn with_exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// The same report with this exit status, whatever its problems.
    #[must_use]
    pub fn exactly(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self.is_exact = true;
        self
    }

    /// The exit status.
    #[must_use]
    pub fn exit(&self) -> Exit {
        if self.is_exact || self.problems.is_empty() {
            self.exit
        } else {
            self.exit.max(Exit::Partial)
        }
    }
}
