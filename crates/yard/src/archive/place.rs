//! Where what lies in an archive.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use sexton_register::SessionId;
use sexton_sys::listing::{self, EntryKind};

use crate::item::ItemError;

/// Below it lies what was in another config directory, by its absolute path.
const ELSEWHERE: &str = "elsewhere";

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
        Err(_) => rest.join(ELSEWHERE).join(path.strip_prefix("/").unwrap_or(path)),
    }
}

/// What lies in `archive` of `session` beside its transcript, relative to the archive, and where it was: [`stored`] the other way round, where no
/// manifest tells.
///
/// A part is what is named after the session, as every part of a footprint is; `main` is where its transcript was.
pub(crate) fn unlisted(
    archive: &Path,
    session: &SessionId,
    config_dir: &Path,
    main: &Path,
) -> Result<Vec<(PathBuf, PathBuf)>, ItemError> {
    let mut found = Vec::new();
    let own = PathBuf::from(session.as_str());
    if archive.join(&own).symlink_metadata().is_ok() {
        found.push((own, main.with_extension("")));
    }
    let rest = rest_directory(archive, session);
    let mut left = vec![PathBuf::new()];
    while let Some(directory) = left.pop() {
        let at = rest.join(&directory);
        for entry in listing::list_if_present(&at).map_err(ItemError::look(&at))? {
            let path = directory.join(&entry.name);
            if entry.name.as_encoded_bytes().starts_with(session.as_str().as_bytes()) {
                let origin = match path.strip_prefix(ELSEWHERE) {
                    Ok(absolute) => Path::new("/").join(absolute),
                    Err(_) => config_dir.join(&path),
                };
                found.push((Path::new(&format!("{session}.sexton")).join(path), origin));
            } else if entry.kind == EntryKind::Directory {
                left.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
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

    #[test]
    fn what_no_manifest_lists_is_found_where_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let (archive, session) = (directory.path(), SessionId::from_u128(7));
        let config_dir = Path::new("/c");
        let main = PathBuf::from(format!("/c/projects/-a/{session}.jsonl"));
        let effects = sexton_sys::Effects::apply();
        let parts = [
            "projects/-a/ID",
            "projects/-b/ID",
            "projects/-b/ID.jsonl",
            "todos/ID-agent-1.json",
        ];
        let paths = parts.map(|part| config_dir.join(part.replace("ID", session.as_str())));
        let elsewhere = PathBuf::from(format!("/d/tasks/{session}"));
        for path in paths.iter().chain([&elsewhere]) {
            let to = archive.join(stored(&session, config_dir, &main, path));
            effects.create_directory(to.parent().unwrap()).unwrap();
            effects.create_file(&to, b"").unwrap();
        }
        effects.create_file(&manifest_path(archive, &session), b"").unwrap();
        let found = unlisted(archive, &session, config_dir, &main).unwrap();
        let mut origins: Vec<&PathBuf> = found.iter().map(|(_, origin)| origin).collect();
        origins.sort();
        assert_eq!(origins, paths.iter().chain([&elsewhere]).collect::<Vec<_>>());
        assert!(found.iter().all(|(stored, _)| archive.join(stored).exists()));
    }
}
