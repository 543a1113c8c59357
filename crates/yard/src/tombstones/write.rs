//! Adding and lifting tombstones.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sexton_sys::{Durability, Effects, Lock, read};

use super::read::content;
use super::{TombstoneError, Tombstones, tombstone_path};
use crate::tree::remove_strays_in;

/// How long an append or a rewrite by another of our processes is waited for; both take milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Appends those of `ids` that are not in the file below `cache_dir` yet, in one synced write; `TombstoneIDs` in the reference implementation.
///
/// The directory and the file are made if they are missing. An id with a control character, a blank one, or one with blanks around it
/// is [`TombstoneError::UnfitId`], and then nothing is written.
pub fn tombstone_ids<I: AsRef<str>>(effects: &Effects, cache_dir: &Path, ids: &[I]) -> Result<(), TombstoneError> {
    for id in ids {
        check(id.as_ref())?;
    }
    if ids.is_empty() {
        return Ok(());
    }
    effects.create_directory(cache_dir)?;
    let _lock = lock(effects, cache_dir)?;
    let mut known = Tombstones::parse(&content(cache_dir)?)
        .iter()
        .map(str::to_owned)
        .collect::<BTreeSet<_>>();
    let mut lines = String::new();
    for id in ids.iter().map(AsRef::as_ref) {
        if known.insert(id.to_owned()) {
            lines.push_str(id);
            lines.push('\n');
        }
    }
    effects.append(&tombstone_path(cache_dir), lines.as_bytes(), Durability::Synced)?;
    Ok(())
}

/// Takes `ids` out of the file below `cache_dir`; every other line stays byte for byte. Ids that are not in it are no error.
///
/// The file is replaced as a whole. The other tools that append to it take no lock, so a line may still arrive in the replaced file;
/// it is looked at once more afterwards, and what came late is carried over.
pub fn lift_tombstones<I: AsRef<str>>(effects: &Effects, cache_dir: &Path, ids: &[I]) -> Result<(), TombstoneError> {
    let lifted: BTreeSet<&str> = ids.iter().map(AsRef::as_ref).collect();
    if lifted.is_empty() || !cache_dir.is_dir() {
        return Ok(());
    }
    let _lock = lock(effects, cache_dir)?;
    let before = content(cache_dir)?;
    let after = without(&before, &lifted);
    if after.len() == before.len() {
        return Ok(());
    }
    let path = real_path(cache_dir)?;
    let (mut replaced, _) = read::open_regular(&path).map_err(unreadable(&path))?;
    effects.replace_file(&path, &after)?;
    let late = rest(&mut replaced, before.len()).map_err(unreadable(&path))?;
    if !late.is_empty() {
        effects.append(&path, &late, Durability::Synced)?;
    }
    Ok(())
}

/// Removes what a rewrite that was killed has left.
pub(crate) fn clear_strays(effects: &Effects, cache_dir: &Path) -> Result<(), TombstoneError> {
    if cache_dir.is_dir() {
        // Every holder of the lock begins with it.
        lock(effects, cache_dir)?;
    }
    Ok(())
}

/// Refuses an id that would not be one line of the file.
pub(crate) fn check(id: &str) -> Result<(), TombstoneError> {
    // A line separator is no control character, but would be taken for blank space around the id.
    if id.is_empty() || id.trim() != id || id.chars().any(char::is_control) {
        return Err(TombstoneError::UnfitId(id.to_owned()));
    }
    Ok(())
}

fn lock(effects: &Effects, cache_dir: &Path) -> Result<Lock, TombstoneError> {
    // Not the file itself: lifting replaces it, and whoever waited would hold a lock on what is gone.
    let lock = effects.lock(&cache_dir.join(".deleted.lock"), PATIENCE)?;
    // With the lock held, these are left from a rewrite that was killed.
    remove_strays_in(effects, cache_dir)?;
    Ok(lock)
}

/// The file that is to be replaced: not a link to it, which someone has put there on purpose.
fn real_path(cache_dir: &Path) -> Result<PathBuf, TombstoneError> {
    let path = tombstone_path(cache_dir);
    path.canonicalize()
        .map_err(|source| TombstoneError::Unreadable { path, source })
}

fn unreadable(path: &Path) -> impl FnOnce(std::io::Error) -> TombstoneError {
    move |source| TombstoneError::Unreadable {
        path: path.to_path_buf(),
        source,
    }
}

fn without(content: &[u8], lifted: &BTreeSet<&str>) -> Vec<u8> {
    content
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| !std::str::from_utf8(line).is_ok_and(|line| lifted.contains(line.trim())))
        .flatten()
        .copied()
        .collect()
}

/// What the open file holds from byte `from` on.
fn rest(file: &mut File, from: usize) -> std::io::Result<Vec<u8>> {
    let mut late = Vec::new();
    file.seek(SeekFrom::Start(from as u64))?;
    file.read_to_end(&mut late)?;
    Ok(late)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test arranges files directly")]
mod tests {
    use super::*;
    use crate::tombstones::load_tombstones;

    fn file(directory: &tempfile::TempDir) -> Vec<u8> {
        std::fs::read(tombstone_path(directory.path())).unwrap()
    }

    #[test]
    fn a_batch_is_one_line_each_and_nothing_twice() {
        let directory = tempfile::tempdir().unwrap();
        let effects = Effects::apply();
        tombstone_ids(&effects, directory.path(), &["b", "a", "b"]).unwrap();
        tombstone_ids(&effects, directory.path(), &["a", "c"]).unwrap();
        assert_eq!(file(&directory), b"b\na\nc\n");
    }

    #[test]
    fn an_append_does_not_run_into_an_unended_line() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(tombstone_path(directory.path()), "a").unwrap();
        tombstone_ids(&Effects::apply(), directory.path(), &["b"]).unwrap();
        assert_eq!(file(&directory), b"a\nb\n");
    }

    #[test]
    fn unfit_ids_are_refused_and_nothing_is_written() {
        let directory = tempfile::tempdir().unwrap();
        for unfit in ["", " ", "a\nb", "a\0", " a", "a\u{2028}"] {
            let error = tombstone_ids(&Effects::apply(), directory.path(), &["fine", unfit]).unwrap_err();
            assert!(matches!(error, TombstoneError::UnfitId(_)), "{unfit:?}: {error}");
        }
        assert!(load_tombstones(directory.path()).unwrap().is_empty());
    }

    #[test]
    fn lifting_keeps_every_other_byte() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(tombstone_path(directory.path()), b"a\r\n\n  b \n\xff\xfe\nab\n b\nc").unwrap();
        lift_tombstones(&Effects::apply(), directory.path(), &["b", "c", "absent"]).unwrap();
        assert_eq!(file(&directory), b"a\r\n\n\xff\xfe\nab\n");
    }

    #[test]
    fn a_linked_file_stays_linked() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("kept-elsewhere");
        std::fs::write(&target, "a\nb\n").unwrap();
        std::os::unix::fs::symlink(&target, tombstone_path(directory.path())).unwrap();
        lift_tombstones(&Effects::apply(), directory.path(), &["a"]).unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"b\n");
        assert!(tombstone_path(directory.path()).is_symlink());
    }

    #[test]
    fn what_came_late_into_the_replaced_file_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("replaced");
        std::fs::write(&path, "seen\nlate\n").unwrap();
        let mut open = File::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(rest(&mut open, "seen\n".len()).unwrap(), b"late\n");
    }

    #[test]
    fn lifting_from_an_unreadable_file_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(tombstone_path(directory.path())).unwrap();
        lift_tombstones(&Effects::apply(), directory.path(), &["a"]).unwrap_err();
        tombstone_ids(&Effects::apply(), directory.path(), &["a"]).unwrap_err();
    }
}
