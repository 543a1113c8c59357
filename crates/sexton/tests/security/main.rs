//! What docs/security.md promises.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

mod links;
mod manifests;
mod modes;
mod shared;
mod source;
mod terminal;
mod users;

use sexton_testkit::{Run, TestEnv};

const SEXTON: &str = env!("CARGO_BIN_EXE_sexton");

/// What only a file outside holds.
const SECRET: &str = "thesecretoutside";

fn sexton(env: &TestEnv, arguments: &[&str]) -> Run {
    env.run(SEXTON, arguments)
}
