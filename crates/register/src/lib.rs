//! The lifecycle register: an append-only record of every Claude Code session that outlives its process.
//!
//! One file a session, one line an event. The format is shared with other programs, so a line is written in exactly
//! one spelling and read strictly. Everything here is deterministic: time, randomness, the environment and every
//! change to the file system come in as values.

mod error;
mod event;
mod excerpt;
mod kept;
mod line;
mod schema;
mod session_id;
mod state;
mod store;
mod summary;
mod text;
mod timestamp;

pub use error::LifecycleError;
pub use event::{
    Draft, Ended, EntryPoint, Event, EventId, EventKind, FORMAT_VERSION, Kind, Mark, MarkState, Moved, Named, Outcome,
    Source, Stamps, Started, event_to_json, new_event_id, parse_draft, parse_event,
};
pub use kept::{MAX_KEPT_BYTES, recall_all};
pub use line::{Fault, InvalidLine};
pub use schema::event_schema;
pub use session_id::{InvalidSessionId, SESSION_UUID_PATTERN, SessionId};
pub use state::{Presence, SWEEP_GRACE_MS, State, derive_state};
pub use store::{
    KeptNames, LIFECYCLE_DIRNAME, Lifecycles, Loaded, LoadedAgain, MAX_FILE_BYTES, MovedLine, Reading, RecordedNames,
    Repair, RepairError, Repaired, SeenName, SessionFiles, Sweep, append_event, append_events, capture_name,
    is_kept_name, is_new_name, load_all, load_all_again, load_all_tolerant, names_again, read_session,
    read_session_tolerant, register_directory, repair, session_file, session_files, session_of_file, sweep_crashed,
};
pub use summary::{SessionLifecycle, summarize};
pub use text::Text;
pub use timestamp::{InvalidTimestamp, Timestamp, now_timestamp, parse_timestamp_ms};
