//! The published fixtures, if they lie beside the workspace.

use std::path::{Path, PathBuf};

/// The files of one folder of the fixtures; none, with a note, where there are no fixtures.
pub(crate) fn fixtures(folder: &str) -> Vec<PathBuf> {
    let shared = match std::env::vars_os().find(|(name, _)| name == "SEXTON_SHARED") {
        Some((_, path)) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    let directory = shared.join("fixtures").join(folder);
    let Ok(entries) = std::fs::read_dir(&directory) else {
        println!("note: no fixtures in {}, skipped", directory.display());
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}
