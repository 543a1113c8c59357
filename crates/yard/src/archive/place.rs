//! Where what lies in an archive.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use sexton_register::SessionId;

/// `<archive>/<id>.jsonl`.
pub(crate) fn transcript_path(archive: &Path, session: &SessionId) -> PathBuf {
    archive.join(format!("{session}.jsonl"))
}

/// `<archive>/<id>.sexton`.
fn rest_directory(archive: &Path, session: &SessionId) -> PathBuf {
    archive.join(format!("{session}.sexton"))
}

/// `<archive>/<id>.sexton/manifest.json`.
pub(crate) fn manifest_path(archive: &Path, session: &SessionId) -> PathBuf {
    rest_directory(archive, session).join("manifest.json")
}

/// Where `path`, a part of `session` below `config_dir`, goes, relative to the archive.
///
/// `main` is the one transcript that becomes `<id>.jsonl`; the session's directory beside it becomes `<id>/`.
pub(crate) fn stored(session: &SessionId, config_dir: &Path, main: &Path, path: &Path) -> PathBuf {
    if path == main {
        return PathBuf::from(format!("{session}.jsonl"));
    }
    if path.parent() == main.parent() && path.file_name() == Some(OsStr::new(session.as_str())) {
        return PathBuf::from(session.as_str());
    }
    let rest = PathBuf::from(format!("{session}.sexton"));
    match path.strip_prefix(config_dir) {
        Ok(relative) => rest.join(relative),
        // A part in another config directory that shares the projects.
        Err(_) => rest.join("elsewhere").join(path.strip_prefix("/").unwrap_or(path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout() {
        let session = SessionId::from_u128(7);
        let config_dir = Path::new("/c");
        let main = PathBuf::from(format!("/c/projects/-a/{session}.jsonl"));
        for (path, expected) in [
            ("/c/projects/-a/ID.jsonl", "ID.jsonl"),
            ("/c/projects/-a/ID", "ID"),
            ("/c/projects/-b/ID", "ID.sexton/projects/-b/ID"),
            ("/c/projects/-b/ID.jsonl", "ID.sexton/projects/-b/ID.jsonl"),
            ("/c/file-history/ID", "ID.sexton/file-history/ID"),
            ("/d/tasks/ID", "ID.sexton/elsewhere/d/tasks/ID"),
        ] {
            let [path, expected] = [path, expected].map(|text| PathBuf::from(text.replace("ID", session.as_str())));
            assert_eq!(stored(&session, config_dir, &main, &path), expected);
        }
    }
}
