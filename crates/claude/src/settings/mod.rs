//! The hooks in Claude Code's `settings.json`: the one file of Claude Code's that we write.
//!
//! An edit is a function from text to text that keeps every byte which isn't part of an entry of ours: order, indentation, unknown keys,
//! line ends. [`install`] and [`uninstall`] are each other's inverse over every JSON document, the absent one included, without anything
//! being remembered elsewhere. [`SettingsFile`] carries an edit to the file while a running client may rewrite it.

mod command;
mod document;
mod entries;
mod error;
mod file;
mod install;
mod layout;
mod removal;
mod status;

#[cfg(test)]
mod tests;

pub use command::{HookEvent, HookProgram, ProgramError};
pub use error::SettingsError;
pub use file::{Change, Edit, SettingsFile, SettingsFileError};
pub use install::install;
pub use removal::uninstall;
pub use status::Status;
