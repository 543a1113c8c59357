//! What real processes do to each other and to themselves: killed at any instant, many at once, on a full disk.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test arranges files directly and fails by panicking"
)]

mod actions;
mod full;
mod kill;
mod machine;
mod observed;
mod soak;
