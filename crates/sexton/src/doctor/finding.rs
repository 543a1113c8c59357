//! One thing that a check found.

use std::path::Path;

use super::Fix;
use crate::render::path::safe;
use crate::render::shell::quoted;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Something is wrong, or will be lost.
    Attention,
    /// Good to know; nothing has to be done.
    Note,
}

/// What mends a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// Nothing has to be done, or nothing can be.
    None,
    /// A person must decide, and then run this.
    Command(String),
    /// `doctor --fix` does it; this does the same alone.
    Fix(Fix, String),
}

/// One thing that a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The check, in one word.
    pub check: &'static str,
    /// How much it matters.
    pub weight: Weight,
    /// What was found, as a sentence without a full stop; safe to look at.
    pub what: String,
    /// Why that matters, likewise.
    pub reason: String,
    /// What mends it.
    pub remedy: Remedy,
}

impl Finding {
    /// Something that needs attention.
    pub(super) fn attention(check: &'static str, what: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            check,
            weight: Weight::Attention,
            what: what.into(),
            reason: reason.into(),
            remedy: Remedy::None,
        }
    }

    /// Something that is good to know.
    pub(super) fn note(check: &'static str, what: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            weight: Weight::Note,
            ..Self::attention(check, what, reason)
        }
    }

    /// The same finding, which a person mends with this command.
    pub(super) fn mended_by(self, command: impl Into<String>) -> Self {
        Self {
            remedy: Remedy::Command(command.into()),
            ..self
        }
    }

    /// The same finding, which `doctor --fix` mends; `command` does the same alone.
    pub(super) fn fixed_by(self, fix: Fix, command: impl Into<String>) -> Self {
        Self {
            remedy: Remedy::Fix(fix, command.into()),
            ..self
        }
    }

    /// The command that mends it.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        match &self.remedy {
            Remedy::None => None,
            Remedy::Command(command) | Remedy::Fix(_, command) => Some(command),
        }
    }

    /// What `doctor --fix` does about it.
    #[must_use]
    pub fn fix(&self) -> Option<&Fix> {
        match &self.remedy {
            Remedy::Fix(fix, _) => Some(fix),
            _ => None,
        }
    }
}

/// A path as a word of a command that is shown.
pub(super) fn word(path: &Path) -> String {
    safe(Path::new(&quoted(path.as_os_str())))
}

/// The first few of many, separated by commas.
pub(super) fn some_of<T: AsRef<str>>(all: &[T]) -> String {
    const SHOWN: usize = 3;
    let first: Vec<&str> = all.iter().take(SHOWN).map(AsRef::as_ref).collect();
    let more = if all.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}
