//! The lifecycle register: an append-only record of every Claude Code session that outlives its process.

mod session_id;

pub use session_id::{InvalidSessionId, SESSION_UUID_PATTERN, SessionId};
