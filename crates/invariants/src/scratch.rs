//! A directory for parsers that only read files, used again by the next input.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

thread_local! {
    // In memory where there is such a place: an input costs microseconds.
    static SCRATCH: TempDir = tempfile::Builder::new()
        .prefix("sexton-invariants-")
        .tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap();
}

/// Calls `act` with an empty directory.
pub(crate) fn with<T>(act: impl FnOnce(&Path) -> T) -> T {
    SCRATCH.with(|scratch| {
        for entry in fs::read_dir(scratch.path()).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                fs::remove_dir_all(entry.path()).unwrap();
            } else {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        act(scratch.path())
    })
}
