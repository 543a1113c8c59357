//! What people do to sessions, on real directories.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

mod basics;
mod crash;
mod support;
