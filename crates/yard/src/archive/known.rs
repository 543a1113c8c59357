//! The archives that sessions were put into by name, so that they are found there without naming it again.
//!
//! `<data>/archives.json` beside the journal: a version and the directories. The journal holds them, too, and the list is made of it
//! where there is none; but a journal is long, and everybody who lists sessions asks.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sexton_sys::{EffectError, Effects, read};

use crate::journal::{History, Intent, Journal, JournalError, OperationKind};
use crate::stored_path::StoredPath;

/// The version of the list.
const VERSION: u64 = 1;

/// A longer list is none of ours.
const LONGEST: u64 = 1024 * 1024;

/// Why it can't be told which archives there are.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchivesError {
    /// The list can't be read.
    #[error("read the list of archives `{}`: {source}", .path.display())]
    Unreadable {
        /// The list.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A newer sexton has written it, and what else it says would be lost.
    #[error("add to the list of archives `{}`: a newer sexton wrote it (version {version}, this one knows {VERSION})", .path.display())]
    Newer {
        /// The list.
        path: PathBuf,
        /// Its version.
        version: u64,
    },
    /// There is no list, and the journal can't be read either.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// It could not be put into JSON.
    #[error("write the list of archives: {0}")]
    Json(#[from] serde_json::Error),
    /// It could not be written.
    #[error(transparent)]
    Effect(#[from] EffectError),
}

#[derive(Debug, Serialize, Deserialize)]
struct List {
    archives_version: u64,
    archives: Vec<StoredPath>,
}

/// The archives that were named, and whether the list of them had to be made.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct KnownArchives {
    /// The directories, some of which may be gone.
    pub directories: BTreeSet<PathBuf>,
    /// Whether [`KnownArchives::keep`] would spare the next one the journal.
    pub is_new: bool,
    version: u64,
}

impl KnownArchives {
    /// The list in `data`; where there is none, or it is damaged, what the journal tells.
    pub fn of(data: &Path) -> Result<Self, ArchivesError> {
        let path = place(data);
        let bytes = read::read_limited_if_present(&path, LONGEST);
        let bytes = bytes.map_err(|source| ArchivesError::Unreadable { path, source })?;
        let list = bytes.and_then(|bytes| serde_json::from_slice::<List>(&bytes).ok());
        if let Some(list) = list {
            let directories = list.archives.into_iter().map(|stored| stored.0);
            return Ok(Self {
                directories: directories.filter(|path| path.is_absolute()).collect(),
                is_new: false,
                version: list.archives_version,
            });
        }
        let history = Journal::below(data).read()?;
        Ok(Self {
            is_new: !history.operations.is_empty(),
            directories: named(&history),
            version: VERSION,
        })
    }

    /// Writes the list, if there is none: one that was written meanwhile may know more.
    pub fn keep(&self, data: &Path, effects: &Effects) -> Result<(), ArchivesError> {
        Ok(effects.create_file(&place(data), &self.bytes(data)?)?)
    }

    fn bytes(&self, data: &Path) -> Result<Vec<u8>, ArchivesError> {
        if self.version > VERSION {
            let (path, version) = (place(data), self.version);
            return Err(ArchivesError::Newer { path, version });
        }
        let list = List {
            archives_version: VERSION,
            archives: self.directories.iter().cloned().map(StoredPath).collect(),
        };
        let mut bytes = serde_json::to_vec(&list)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

/// Puts `archive` on the list. Whoever calls this holds the lock of operations.
pub(crate) fn remember(data: &Path, archive: &Path, effects: &Effects) -> Result<(), ArchivesError> {
    let mut known = KnownArchives::of(data)?;
    if known.directories.insert(archive.to_path_buf()) {
        effects.replace_file(&place(data), &known.bytes(data)?)?;
    }
    Ok(())
}

fn place(data: &Path) -> PathBuf {
    data.join("archives.json")
}

/// The archives that the journal tells of and that are not their configuration directory's own.
fn named(history: &History) -> BTreeSet<PathBuf> {
    let intents = history
        .operations
        .iter()
        .flat_map(|operation| operation.items.values())
        .map(|item| &item.intent);
    intents
        .filter(|intent| intent.kind == OperationKind::Archive)
        .filter_map(archive_of)
        .map(Path::to_path_buf)
        .collect()
}

fn archive_of(intent: &Intent) -> Option<&Path> {
    // `<archive>/<id>.sexton/manifest.json`.
    let archive = intent.manifest.as_ref()?.0.parent()?.parent()?;
    let projects = archive.parent()?.join("projects");
    let is_own = archive.ends_with("archive") && intent.moves.iter().any(|mv| mv.from.0.starts_with(&projects));
    (archive.is_absolute() && !is_own).then_some(archive)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test arranges files directly")]
mod tests {
    use super::*;

    fn journal(directory: &Path, archives: &[&str]) {
        let line = |archive: &&str| {
            format!(
                r#"{{"journal_version":1,"at":"2026-03-01T12:00:00.000Z","operation":"{archive}","body":{{"line":"intent","item":0,"kind":"archive","id":"x","moves":[{{"from":"/c/projects/-a/x.jsonl","to":"{archive}/x.jsonl","device":1,"inode":2}}],"tombstone":null,"manifest":"{archive}/x.sexton/manifest.json","discard":false,"vouched":false,"undoes":null}}}}{}"#,
                "\n"
            )
        };
        let text: String = archives.iter().map(line).collect();
        std::fs::write(Journal::below(directory).path(), text).unwrap();
    }

    #[test]
    fn the_list_is_made_from_the_journal_and_spares_it_afterwards() {
        let data = tempfile::tempdir().unwrap();
        assert_eq!(KnownArchives::of(data.path()).unwrap().directories, BTreeSet::new());
        journal(data.path(), &["/old", "/c/archive", "/old", "/d/archive"]);
        let made = KnownArchives::of(data.path()).unwrap();
        let expected: BTreeSet<PathBuf> = ["/d/archive", "/old"].map(PathBuf::from).into();
        assert_eq!((&made.directories, made.is_new), (&expected, true));
        made.keep(data.path(), &Effects::apply()).unwrap();
        let text = std::fs::read_to_string(place(data.path())).unwrap();
        assert_eq!(
            text,
            "{\"archives_version\":1,\"archives\":[\"/d/archive\",\"/old\"]}\n"
        );
        // The journal is not asked any more.
        journal(data.path(), &["/other"]);
        let read = KnownArchives::of(data.path()).unwrap();
        assert_eq!((&read.directories, read.is_new), (&expected, false));
        remember(data.path(), Path::new("/new"), &Effects::apply()).unwrap();
        assert!(
            KnownArchives::of(data.path())
                .unwrap()
                .directories
                .contains(Path::new("/new"))
        );
    }

    #[test]
    fn a_damaged_list_is_made_again_and_a_newer_one_is_read_and_not_written() {
        let data = tempfile::tempdir().unwrap();
        journal(data.path(), &["/old"]);
        std::fs::write(place(data.path()), "{\"archives").unwrap();
        let made = KnownArchives::of(data.path()).unwrap();
        assert!(made.is_new && made.directories.contains(Path::new("/old")));
        assert!(made.keep(data.path(), &Effects::apply()).is_err());
        let newer = "{\"archives_version\":2,\"archives\":[\"/new\",\"not/absolute\"],\"since\":{}}\n";
        std::fs::write(place(data.path()), newer).unwrap();
        let read = KnownArchives::of(data.path()).unwrap();
        assert_eq!(read.directories, [PathBuf::from("/new")].into());
        remember(data.path(), Path::new("/new"), &Effects::apply()).unwrap();
        let refused = remember(data.path(), Path::new("/more"), &Effects::apply());
        assert!(matches!(refused, Err(ArchivesError::Newer { version: 2, .. })));
        assert_eq!(std::fs::read_to_string(place(data.path())).unwrap(), newer);
    }
}
