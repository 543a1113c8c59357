//! What of a session is copied.

use std::path::PathBuf;

use sexton_register::SessionId;

/// A session's footprint as a pass found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The session.
    pub session: SessionId,
    /// The config directory, absolute.
    pub config_dir: PathBuf,
    /// Files, directories and links, each relative to the config directory; a directory does not stand for what is in it.
    pub names: Vec<PathBuf>,
}
