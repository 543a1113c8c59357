//! A command's failure, as a person reads it.

use std::fmt;

use crate::exit::Exit;

/// What went wrong and what to do next.
///
/// The message is a lowercase fragment that fits after "failed to" or stands alone, with literals in backticks; each hint is a sentence
/// that says what to do.
#[derive(Debug)]
pub struct CommandError {
    exit: Exit,
    message: String,
    hints: Vec<String>,
}

impl CommandError {
    /// Not found, declined, or failed: exit 1.
    pub fn refused(message: impl fmt::Display) -> Self {
        Self {
            exit: Exit::Refused,
            message: message.to_string(),
            hints: Vec::new(),
        }
    }

    /// The command line is wrong: exit 2.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self {
            exit: Exit::Usage,
            ..Self::refused(message)
        }
    }

    /// A file of the store can't be read: exit 3.
    pub fn unreadable(message: impl fmt::Display) -> Self {
        Self {
            exit: Exit::Partial,
            ..Self::refused(message)
        }
    }

    /// The same error with one more hint.
    #[must_use]
    pub fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.hints.push(hint.to_string());
        self
    }

    /// The exit status it asks for.
    #[must_use]
    pub fn exit(&self) -> Exit {
        self.exit
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.hints.is_empty() {
            f.write_str("\n")?;
        }
        for hint in &self.hints {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for CommandError {}

impl From<sexton_sys::EffectError> for CommandError {
    fn from(error: sexton_sys::EffectError) -> Self {
        Self::refused(error)
    }
}
