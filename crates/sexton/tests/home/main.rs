//! The commands that make the program at home on a machine, driven as a person drives them.

#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

mod completions;
mod config;
mod docs;
mod doctor;
mod documents;
mod generated;
mod hooks;
mod leftovers;
mod man;
mod named;
mod resume;
mod support;
