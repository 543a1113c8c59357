//! The routine floor of a transcript on disk.

use std::io;
use std::path::Path;

/// Whether the session in the transcript at `path` is routine; stops reading as soon as it is not.
pub fn is_routine(path: &Path) -> io::Result<bool> {
    let _ = path;
    Ok(false)
}
