//! The roll: one row per session, joined from the register, the live registry and the transcripts.
//!
//! [`look`] looks once at everything, [`record`] writes down what would be lost, [`Roll::join`] joins it; [`Row`] is what came of it for one session, with how its state is known. Titles, models and
//! activity come from transcripts and are only read for rows that are asked for: see [`Roll::read_transcripts`].

mod address;
mod evidence;
mod filter;
mod gather;
mod join;
mod observation;
mod order;
mod pass;
mod row;
mod short_ids;

pub use address::{Address, AddressError, find};
pub use evidence::Evidence;
pub use filter::{Filter, Hidden};
pub use gather::{Roll, Sources, gather, look};
pub use observation::{Observation, Registry, observe};
pub use order::{Group, Sort};
pub use pass::{Crashes, Pass, record, record_crashes};
pub use row::{Disposal, Process, Row};
pub use short_ids::ShortIds;
