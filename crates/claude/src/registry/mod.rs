//! The live registry, `<config directory>/sessions/<pid>.json`: what Claude Code says about its running processes.
//!
//! The client writes one file a process, not atomically, and leaves it for ever when it is killed; so a record is only a claim, and
//! what the kernel says about its pid decides ([`judge`]). Files named `<pid>.<64 hex digits>.key` hold a secret and are never opened.

mod find;
mod liveness;
mod read;
mod record;
mod session;
mod stale;
#[cfg(test)]
mod testing;

pub use find::{HookRecord, find_for_hook};
pub use liveness::{Death, Liveness, Unjudgeable, judge, observe};
pub use read::{RegistryError, RegistryScan, SkipReason, SkippedFile, read_record, read_registry};
pub use record::{ProcessKind, RegistryRecord};
pub use session::{Observed, SessionProcesses, ThisSession, by_session, observe_all, this_session};
pub use stale::{Kept, Removal, StaleRecord, remove_stale, stale_records};
