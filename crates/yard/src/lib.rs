//! What people do to sessions: plans, archive, delete, trash, restore, tombstones, journal, recovery.

pub mod filter;
pub mod gate;
pub mod item;
pub mod journal;
pub mod manifest;
pub mod recovery;
pub mod routine;
pub mod stored_path;
pub mod tombstones;
mod transfer;
pub mod tree;
mod yard;

pub use filter::{DeleteOptions, matches_session_id};
pub use routine::{FloorStats, evaluate_floor};
pub use tombstones::{is_tombstoned, load_tombstones, tombstone_ids, tombstone_path};
pub use yard::{Yard, YardError};
