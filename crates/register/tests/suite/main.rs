//! The register from outside: its bytes, its answers, and what stays of it when things go wrong.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests arrange files directly, start processes of their own and fail by panicking"
)]

mod again;
mod arrange;
mod line;
mod load;
mod model;
mod processes;
mod read;
mod repair;
mod schema;
mod slow;
mod sweep;
