//! The table: every session on one screen, live.
//!
//! [`model`] is what is known and shown, as plain values; [`view`] draws it; [`keys`] says what a key means. Around this pure core, `run`
//! waits for keys, signals and news; `clerk` looks at the machine and does what is asked; `reader` reads transcripts for the rows that need
//! it; `scout` is told by the kernel what changed; `terminal` enters and leaves the screen, whatever happens.

pub mod action;
pub mod keys;
pub mod model;
pub mod view;

mod clerk;
mod help;
mod message;
mod pulse;
mod reader;
mod resume;
mod run;
mod schedule;
mod scout;
mod sheets;
mod terminal;
#[cfg(test)]
pub(crate) mod testing;

pub use run::{Left, run};
