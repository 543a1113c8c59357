//! The sample machine: a throw-away home with sessions in every state, live ones backed by real processes.
//!
//! Everything lies below one temporary directory that is removed at the end; nothing of the user's is read or written. The processes are
//! this same program as a client that does nothing, and each ends when the pipe to its stdin closes, so that none is left however the
//! demo ends.

mod client;
mod machine;
mod story;
mod transcript;

pub use client::idle_until_released;
pub use machine::{MachineError, SampleMachine};
pub use story::{Fate, STORIES, Story};
