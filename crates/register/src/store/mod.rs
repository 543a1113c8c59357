//! The files of the store: where they are, how they are read, and how they grow.

mod again;
mod append;
mod content;
mod directory;
mod load;
mod name;
mod names;
mod read;
mod repair;
mod sweep;

pub use append::{append_event, append_events};
pub use directory::{LIFECYCLE_DIRNAME, register_directory, session_file, session_of_file};
pub use load::{
    Lifecycles, Loaded, LoadedAgain, SessionFiles, load_all, load_all_again, load_all_tolerant, session_files,
};
pub use name::{SeenName, capture_name, is_kept_name, is_new_name};
pub use names::{KeptNames, RecordedNames, names_again};
pub use read::{MAX_FILE_BYTES, Reading, read_session, read_session_tolerant};
pub use repair::{MovedLine, Repair, RepairError, Repaired, repair};
pub use sweep::{Sweep, sweep_crashed};
