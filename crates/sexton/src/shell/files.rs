//! The files that packages install, as they are checked in.

use std::path::PathBuf;

use super::completion::{Shell, script};
use super::manual;
use crate::error::CommandError;

/// A file and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path below the repository's root.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// The directories that hold these files, and beside them only pages for people (`README.md`).
pub const DIRECTORIES: [&str; 2] = ["completions", "man"];

/// Completions for each shell, under the names by which the shells find them, and a manual page for each command.
pub fn generated() -> Result<Vec<File>, CommandError> {
    let mut files = Vec::new();
    for (shell, name) in [
        (Shell::Bash, "sexton.bash"),
        (Shell::Zsh, "_sexton"),
        (Shell::Fish, "sexton.fish"),
    ] {
        files.push(File {
            path: PathBuf::from("completions").join(name),
            text: script(shell)?,
        });
    }
    let pages = manual::pages().map_err(CommandError::refused)?;
    files.extend(pages.into_iter().map(|page| File {
        path: PathBuf::from("man").join(format!("{}.1", page.name)),
        text: page.text,
    }));
    Ok(files)
}
