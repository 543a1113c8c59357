//! What people do to sessions: plans, archive, delete, trash, restore, tombstones, journal, recovery.

pub mod filter;
pub mod routine;
pub mod tombstones;

pub use filter::{DeleteOptions, matches_session_id};
pub use routine::{FloorStats, evaluate_floor};
pub use tombstones::{is_tombstoned, load_tombstones, tombstone_ids, tombstone_path};
