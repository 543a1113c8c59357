//! What people do to sessions: archive, delete, restore, undo, empty the trash; tombstones, journal and recovery under it.
//!
//! Everything is a plan first: a value that shows what will happen and is applied once. Plans are made from a [`Survey`], which the
//! caller has taken; nothing is scanned twice. All moving goes through one engine that journals before it acts, so that a process
//! killed at any instant leaves each session where it was or where it was going, after the next command at the latest.

mod address;
mod belongings;
mod survey;
mod transfer;
mod yard;

pub mod archive;
pub mod delete;
pub mod facts;
pub mod filter;
pub mod gate;
pub mod item;
pub mod journal;
pub mod manifest;
pub mod recovery;
pub mod restore;
pub mod routine;
pub mod stored_path;
pub mod stub;
pub mod tombstones;
pub mod trash;
pub mod tree;
pub mod undo;

pub use archive::{ArchivePlan, plan_archive};
pub use delete::{DeleteError, DeletePlan, PlanItem, plan_delete};
pub use filter::{DeleteOptions, matches_session_id};
pub use routine::{FloorStats, evaluate_floor};
pub use survey::{Retained, Survey};
pub use tombstones::{is_tombstoned, load_tombstones, tombstone_ids, tombstone_path};
pub use yard::{Yard, YardError};
