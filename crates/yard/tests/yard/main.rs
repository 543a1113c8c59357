//! What people do to sessions, on real directories.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test arranges files directly and fails by panicking"
)]

mod basics;
mod blank;
mod copies;
mod crash;
mod devices;
mod filters;
mod kill;
mod meanwhile;
mod named;
mod processes;
mod refusals;
mod round_trip;
mod scale;
mod scenarios;
mod shared;
mod slow;
mod support;
mod swapped;
mod trash;
mod turned_back;
mod undo;
