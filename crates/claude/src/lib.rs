//! Claude Code's own files, read-only: config directories, live registry, transcripts, footprints, hook payloads.
//!
//! There is no published schema and the client changes weekly, so that unknown records, fields, statuses and files are normal here:
//! parsing gives what it understood plus problems. What to do with any of it is decided by the crates above.

mod json;
mod lines;

pub mod cleanup;
pub mod config_dirs;
pub mod footprint;
pub mod hook_payload;
pub mod projects;
pub mod registry;
pub mod settings;
pub mod transcript;
