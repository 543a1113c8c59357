//! Test support: a hermetic environment, real-shaped data, real processes. Never shipped.
//!
//! Everything here arranges files directly and fails by panicking, as a test does. It depends on nothing that it helps to test but
//! `sexton-sys`, so that its picture of Claude Code's files and of the register is a second opinion and not an echo.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    reason = "test support arranges files directly, says what it skips and fails by panicking"
)]

mod environment;
mod footprint;
mod ids;
mod json;
mod process;
mod random;
mod registry;
mod small_filesystem;
mod time;
mod transcript;
mod trap;
mod tree;

pub mod corpus;
pub mod crash;
pub mod damage;
pub mod register;
pub mod settings;

pub use environment::{NOWHERE, Run, TestEnv};
pub use footprint::Footprint;
pub use ids::{session_id, slug};
pub use json::{Object, quoted};
pub use process::{LiveProcess, Zombie, dead_pid};
pub use random::Random;
pub use registry::RegistryRecord;
pub use small_filesystem::SmallFilesystem;
pub use time::{NOW_MS, iso};
pub use transcript::Transcript;
pub use trap::{Swap, Trap};
pub use tree::TreePicture;
