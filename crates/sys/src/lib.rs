//! What sexton asks of the operating system.
//!
//! Every change to the file system goes through one [`Effects`] value, which applies it, records it for a dry run, or, in tests, fails
//! at a chosen step. Reading, locking, listing, processes, time and the environment have one door each, so that everything above this
//! crate can be given other facts. Nothing here knows what a session is.

mod abandoned;
mod clock;
mod deadline;
mod effects;
mod environment;
mod file_time;
mod identity;
mod lock;
mod random;
mod signal;
mod space;

pub mod entry;
pub mod listing;
pub mod process;
pub mod read;
pub mod watch;

pub use abandoned::{abandoned_files, is_abandoned, is_temporary};
pub use clock::{Clock, FixedClock, SystemClock};
pub use deadline::DeadlineReader;
pub use effects::{Durability, Effect, EffectError, Effects, Fault, FaultPlan, Step};
pub use environment::Environment;
pub use file_time::FileTime;
pub use identity::FileIdentity;
pub use lock::{Lock, LockError};
pub use random::random_u128;
pub use signal::{Signal, Signals, suspend_this_process};
pub use space::available_bytes;
