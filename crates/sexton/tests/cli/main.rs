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
mod demo;
mod dry_run;
mod help;
mod hook;
mod json;
mod list;
mod log;
mod mark;
mod name;
mod oracle;
mod prune;
mod real_client;
mod register;
mod show;
mod support;
mod sweep;
