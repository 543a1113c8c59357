//! What processes of ours left behind that were killed while they wrote.
//!
//! Whatever is written for a name is first written beside it as `.sexton-*.tmp`, and locked for as long as its writer lives: the kernel lets
//! go of the lock however the process ends.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::listing::{EntryKind, list_if_present};
use crate::{FileTime, read};

pub(crate) const PREFIX: &str = ".sexton-";
pub(crate) const SUFFIX: &str = ".tmp";

/// Files directly in `directory` of which [`is_abandoned`] says so, by name; none if there is no such directory.
pub fn abandoned_files(directory: &Path, before: FileTime) -> io::Result<Vec<PathBuf>> {
    let entries = list_if_present(directory)?.into_iter();
    let ours = entries.filter(|entry| entry.kind == EntryKind::File && is_temporary(&entry.name));
    let paths = ours.map(|entry| directory.join(entry.name));
    let mut abandoned: Vec<PathBuf> = paths.filter(|path| is_abandoned(path, before)).collect();
    abandoned.sort();
    Ok(abandoned)
}

/// Whether this is a temporary file of ours that was last written to before `before`, and whose writer lives no more.
///
/// A file of which that can't be told (a file system without locks, another user's) is not abandoned. Links are never followed.
#[must_use]
pub fn is_abandoned(path: &Path, before: FileTime) -> bool {
    if !path.file_name().is_some_and(is_temporary) {
        return false;
    }
    let Ok((file, metadata)) = read::open_regular_no_follow(path) else {
        return false;
    };
    FileTime::modified(&metadata) < before && file.try_lock().is_ok()
}

/// Whether a file of this name is a temporary one of ours.
#[must_use]
pub fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(PREFIX.as_bytes()) && name.ends_with(SUFFIX.as_bytes())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests arrange files directly")]
mod tests {
    use std::fs;

    use super::*;
    use crate::Effects;

    const OLD: i64 = 1_000_000;

    fn planted(directory: &Path, name: &str) -> PathBuf {
        let path = directory.join(name);
        fs::write(&path, "half").unwrap();
        Effects::apply().set_modified(&path, FileTime::from_ms(OLD)).unwrap();
        path
    }

    #[test]
    fn old_files_of_ours_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path();
        let found = planted(at, ".sexton-x.tmp");
        for other in [".sexton-x", "x.tmp", "a.sexton-x.tmp", "settings.json"] {
            planted(at, other);
        }
        fs::create_dir(at.join(".sexton-d.tmp")).unwrap();
        std::os::unix::fs::symlink(&found, at.join(".sexton-l.tmp")).unwrap();
        let later = FileTime::from_ms(OLD + 1);
        assert_eq!(abandoned_files(at, later).unwrap(), [found]);
        assert_eq!(
            abandoned_files(at, FileTime::from_ms(OLD)).unwrap(),
            Vec::<PathBuf>::new()
        );
        assert_eq!(
            abandoned_files(&at.join("absent"), later).unwrap(),
            Vec::<PathBuf>::new()
        );
    }

    #[test]
    fn a_file_whose_writer_lives_is_not_abandoned() {
        /// Looks, in the midst of being written, at what lies in the directory.
        struct Look<'a>(&'a Path, Option<Vec<PathBuf>>);
        impl io::Read for Look<'_> {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                let names = list_if_present(self.0)?;
                assert!(names.iter().any(|entry| is_temporary(&entry.name)));
                self.1 = Some(abandoned_files(self.0, FileTime::from_ms(i64::MAX / 2))?);
                Ok(0)
            }
        }
        let directory = tempfile::tempdir().unwrap();
        let mut look = Look(directory.path(), None);
        let target = directory.path().join("file");
        Effects::apply()
            .create_file_from(&target, &mut look, None, None)
            .unwrap();
        assert_eq!(look.1, Some(Vec::new()));
    }
}
