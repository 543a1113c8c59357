//! One command, one file: arguments and context in, a report out.

pub mod config;
pub mod demo;
pub mod list;
pub mod log;
pub mod mark;
pub mod name;
pub mod prune;
pub mod register;
pub mod show;
pub mod sweep;

mod changes;
