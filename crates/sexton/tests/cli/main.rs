//! The `sexton` program as its users meet it: real binary, real files, real processes.
//!
//! One test program for all commands, so that it is linked once. Each command has its file; `support` has what they share.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test arranges files directly, says what it skips and fails by panicking"
)]

mod addressing;
mod archive;
mod delete;
mod demo;
mod dry_run;
mod dry_run_yard;
mod facts;
mod help;
mod hook;
mod json;
mod keep;
mod list;
mod log;
mod mark;
mod name;
mod narrow;
mod oracle;
mod prune;
mod read;
mod real_client;
mod register;
mod restore;
mod routine;
mod search;
mod show;
mod streams;
mod support;
mod sweep;
mod tombstone;
mod trash;
mod undo;
