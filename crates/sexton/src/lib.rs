//! What the `sexton` program is made of.
//!
//! `roll` joins register, registry and transcripts into one row per session; `commands` has a file for each command, which turns arguments
//! and a [`Context`] into a [`Report`]; `render` turns values into text that is safe to look at; `table` is the screen on which all of it is live; `documents` are the published JSON types;
//! `hook` is what Claude Code calls.

pub mod arguments;
pub mod columns;
pub mod commands;
pub mod configuration;
pub mod context;
pub mod demo;
pub mod doctor;
pub mod documents;
mod due;
pub mod error;
pub mod exit;
pub mod hook;
pub mod indexing;
pub mod places;
pub mod program;
pub mod recording;
pub mod render;
pub mod report;
pub mod resume;
pub mod roll;
pub mod screen;
pub mod shell;
pub mod states;
pub mod table;

pub use context::Context;
pub use error::CommandError;
pub use exit::Exit;
pub use report::Report;
