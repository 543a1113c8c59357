//! Reading the tombstone file.

use std::path::Path;

use sexton_sys::read;

use super::{TombstoneError, tombstone_path};

/// Seven million ids; a larger file is something else, and an error like any other unreadable one.
const LARGEST: u64 = 256 * 1024 * 1024;

/// The ids that are tombstoned.
///
/// Ids are text and not session ids: the file is shared, and transcripts under other names can be deleted, too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tombstones {
    /// Sorted, each once.
    ids: Vec<Box<str>>,
}

impl Tombstones {
    /// The ids in the content of a tombstone file: one a line, blank lines and surrounding blanks ignored.
    ///
    /// What is not UTF-8 can't be the id of a session and is kept with U+FFFD in its place.
    #[must_use]
    pub fn parse(content: &[u8]) -> Self {
        let mut ids: Vec<Box<str>> = Vec::with_capacity(content.len() / 37 + 1);
        for line in content.split(|byte| *byte == b'\n') {
            match String::from_utf8_lossy(line).trim() {
                "" => {}
                id => ids.push(id.into()),
            }
        }
        ids.sort_unstable();
        ids.dedup();
        Self { ids }
    }

    /// Whether `id` is tombstoned; compared whole, never by prefix.
    #[must_use]
    pub fn contains(&self, id: &str) -> bool {
        self.ids.binary_search_by(|known| (**known).cmp(id)).is_ok()
    }

    /// Follows a change of the file.
    pub(crate) fn note(&mut self, id: &str, is_tombstoned: bool) {
        match (self.ids.binary_search_by(|known| (**known).cmp(id)), is_tombstoned) {
            (Err(place), true) => self.ids.insert(place, id.into()),
            (Ok(place), false) => drop(self.ids.remove(place)),
            _ => {}
        }
    }

    /// Every id, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().map(|id| &**id)
    }

    /// How many ids there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether nothing is tombstoned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

/// The tombstones below `cache_dir`; `LoadTombstones` in the reference implementation.
///
/// A missing file is an empty set; one that can't be read is [`TombstoneError::Unreadable`].
pub fn load_tombstones(cache_dir: &Path) -> Result<Tombstones, TombstoneError> {
    Ok(Tombstones::parse(&content(cache_dir)?))
}

/// Whether `id` is in the tombstone file below `cache_dir`; `IsTombstoned` in the reference implementation.
///
/// A missing file means that nothing is. To ask about many ids, load once.
pub fn is_tombstoned(cache_dir: &Path, id: &str) -> Result<bool, TombstoneError> {
    load_tombstones(cache_dir).map(|tombstones| tombstones.contains(id))
}

pub(super) fn content(cache_dir: &Path) -> Result<Vec<u8>, TombstoneError> {
    let path = tombstone_path(cache_dir);
    match read::read_limited_if_present(&path, LARGEST) {
        // A link to nothing is no missing file: its target may lie on a disk that is not mounted.
        Ok(None) if path.symlink_metadata().is_ok() => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
        Ok(content) => Ok(content.unwrap_or_default()),
        Err(source) => Err(source),
    }
    .map_err(|source| TombstoneError::Unreadable { path, source })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test arranges files directly")]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_other_tools_write() {
        let tombstones = Tombstones::parse(b"a\n\n  b\t\r\n\xff\nc");
        assert_eq!(tombstones.iter().collect::<Vec<_>>(), ["a", "b", "c", "\u{fffd}"]);
        assert!(tombstones.contains("b") && !tombstones.contains(""));
    }

    #[test]
    fn a_missing_file_is_empty_and_an_unreadable_one_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        assert!(load_tombstones(directory.path()).unwrap().is_empty());
        assert!(load_tombstones(&directory.path().join("absent")).unwrap().is_empty());

        std::fs::create_dir(tombstone_path(directory.path())).unwrap();
        let error = is_tombstoned(directory.path(), "a").unwrap_err();
        assert!(matches!(error, TombstoneError::Unreadable { .. }), "{error}");

        let linked = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/nowhere/at/all", tombstone_path(linked.path())).unwrap();
        load_tombstones(linked.path()).unwrap_err();
    }

    #[test]
    fn a_fifo_does_not_hang() {
        let directory = tempfile::tempdir().unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(tombstone_path(directory.path()))
            .status();
        if made.is_ok_and(|status| status.success()) {
            load_tombstones(directory.path()).unwrap_err();
        }
    }
}
