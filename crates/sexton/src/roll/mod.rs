//! The roll: one row per session, joined from the register, the live registry and the transcripts.
//!
//! [`look`] looks once at everything, [`record`] writes down what would be lost, [`Roll::join`] joins it; [`Row`] is what came of it for one session, with how its state is known. Titles, models and
//! activity come from transcripts and are only read for rows that are asked for: see [`Roll::read_transcripts`].

mod address;
mod evidence;
mod facts;
mod filter;
mod gather;
mod glance;
mod join;
mod known;
mod names;
mod observation;
mod order;
mod pass;
mod row;
mod short_ids;

pub use address::{Address, AddressError, find};
pub use evidence::Evidence;
pub use facts::{Counted, Facts};
pub use filter::{Filter, Hidden};
pub(crate) use gather::archive_places;
pub use gather::{Recorded, Roll, Sources, archived, gather, look};
pub use known::{find_known, gather_known, look_thoroughly};
pub use names::{Names, NamesAhead};
pub use observation::{Observation, Registry, observe, registry_directories};
pub use order::{Group, Sort};
pub use pass::{Crashes, Pass, record, record_crashes};
pub use row::{Disposal, Process, Row};
pub use short_ids::ShortIds;
