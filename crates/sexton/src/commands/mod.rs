//! One command, one file: arguments and context in, a report out.

pub mod archive;
pub mod completions;
pub mod config;
pub mod delete;
pub mod demo;
pub mod doctor;
pub mod hooks;
pub mod keep;
pub mod list;
pub mod log;
pub mod man;
pub mod mark;
pub mod name;
pub mod prune;
pub mod read;
pub mod register;
pub mod restore;
pub mod resume;
pub mod routine;
pub mod search;
pub mod show;
pub mod sweep;
pub mod tombstone;
pub mod trash;
pub mod undo;

pub(crate) mod yard;

mod changes;

/// Leaves memory to the system, which takes it back as a whole when the process ends, in a moment. To give it back value by value, of ten
/// thousand rows, is a tenth of what a list takes.
pub(crate) fn leave<T>(value: T) {
    std::mem::forget(value);
}
