//! Free space.

use std::io;
use std::path::Path;

/// Bytes an ordinary user may still write to the file system that holds `path`.
pub fn available_bytes(path: &Path) -> io::Result<u64> {
    let facts = rustix::fs::statvfs(path)?;
    Ok(facts.f_bavail.saturating_mul(facts.f_frsize))
}
