//! Plain directory listings: no patterns, no recursion, no following of links.

use std::ffi::{CStr, OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir};

use crate::{FileIdentity, FileTime};

/// What a directory entry is, by the entry itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, whatever it points to.
    Symlink,
    /// A FIFO, a socket or a device.
    Special,
}

impl EntryKind {
    /// The kind that `file_type` says.
    #[must_use]
    pub fn of(file_type: std::fs::FileType) -> Self {
        if file_type.is_file() {
            Self::File
        } else if file_type.is_dir() {
            Self::Directory
        } else if file_type.is_symlink() {
            Self::Symlink
        } else {
            Self::Special
        }
    }

    /// `None` where the file system doesn't say.
    fn of_entry(file_type: FileType) -> Option<Self> {
        match file_type {
            FileType::RegularFile => Some(Self::File),
            FileType::Directory => Some(Self::Directory),
            FileType::Symlink => Some(Self::Symlink),
            FileType::Unknown => None,
            _ => Some(Self::Special),
        }
    }
}

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The bare name, which need not be UTF-8.
    pub name: OsString,
    /// What it is.
    pub kind: EntryKind,
}

/// What a look at a file shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Its identity.
    pub identity: FileIdentity,
    /// When content or attributes were last changed, which nobody can set back.
    pub changed: FileTime,
    /// What it is.
    pub kind: EntryKind,
}

/// A directory that is held open: thousands of files in it are named and looked at without walking its path each time.
#[derive(Debug)]
pub struct OpenDirectory {
    descriptor: OwnedFd,
}

impl OpenDirectory {
    /// Opens a directory; a symlink is followed.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let descriptor = rustix::fs::open(path, flags, Mode::empty())?;
        Ok(Self { descriptor })
    }

    /// Tells every name in it, in no order, with what it is. To be called once: it goes on where the last call ended.
    ///
    /// An entry that vanishes meanwhile is left out; any other failure fails the whole listing, because a listing that is quietly
    /// short would make sessions look gone.
    pub fn each(&self, mut each: impl FnMut(&CStr, EntryKind)) -> io::Result<()> {
        // Names are at most 255 bytes on Linux, so that this holds a hundred of the longest.
        let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
        let mut entries = RawDir::new(&self.descriptor, &mut buffer);
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            match EntryKind::of_entry(entry.file_type()).map_or_else(|| self.kind_of(name), Ok) {
                Ok(kind) => each(name, kind),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Looks at the file `name`; a symlink is followed.
    pub fn look(&self, name: &CStr) -> io::Result<Look> {
        let stat = rustix::fs::statat(&self.descriptor, name, AtFlags::empty())?;
        let time = |seconds, nanoseconds| FileTime {
            seconds,
            nanoseconds: u32::try_from(nanoseconds).unwrap_or(0),
        };
        Ok(Look {
            identity: FileIdentity {
                device: stat.st_dev,
                inode: stat.st_ino,
                size: stat.st_size.cast_unsigned(),
                modified: time(stat.st_mtime, stat.st_mtime_nsec),
            },
            changed: time(stat.st_ctime, stat.st_ctime_nsec),
            kind: EntryKind::of_entry(FileType::from_raw_mode(stat.st_mode)).unwrap_or(EntryKind::Special),
        })
    }

    fn kind_of(&self, name: &CStr) -> io::Result<EntryKind> {
        let stat = rustix::fs::statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(EntryKind::of_entry(FileType::from_raw_mode(stat.st_mode)).unwrap_or(EntryKind::Special))
    }
}

/// Everything in `directory`, sorted by name; what fails it is said at [`OpenDirectory::each`].
pub fn list(directory: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    OpenDirectory::open(directory)?.each(|name, kind| {
        entries.push(Entry {
            name: OsStr::from_bytes(name.to_bytes()).to_owned(),
            kind,
        });
    })?;
    entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// As [`list`], but an absent directory is an empty one.
pub fn list_if_present(directory: &Path) -> io::Result<Vec<Entry>> {
    match list(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        other => other,
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests arrange files directly")]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_entry_in_the_order_of_names() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        std::fs::create_dir(path("d")).unwrap();
        std::os::unix::fs::symlink("/nowhere", path("c")).unwrap();
        std::fs::write(path("b"), "").unwrap();
        std::os::unix::net::UnixListener::bind(path("a")).unwrap();
        let found: Vec<_> = list(directory.path())
            .unwrap()
            .into_iter()
            .map(|entry| (entry.name.into_string().unwrap(), entry.kind))
            .collect();
        let expected = [
            ("a", EntryKind::Special),
            ("b", EntryKind::File),
            ("c", EntryKind::Symlink),
            ("d", EntryKind::Directory),
        ];
        assert_eq!(found, expected.map(|(name, kind)| (name.to_owned(), kind)));
        assert!(list_if_present(&path("e")).unwrap().is_empty());
        assert_eq!(list(&path("b")).unwrap_err().kind(), io::ErrorKind::NotADirectory);
    }

    #[test]
    fn more_entries_than_one_call_gives() {
        let directory = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..400).map(|number| format!("{number:0>200}")).collect();
        for name in &names {
            std::fs::write(directory.path().join(name), "").unwrap();
        }
        let listed = list(directory.path()).unwrap();
        assert!(listed.iter().map(|entry| entry.name.to_str().unwrap()).eq(&names));
    }

    #[test]
    fn a_look_shows_what_a_stat_shows() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        std::fs::write(&file, "12345").unwrap();
        std::os::unix::fs::symlink(&file, directory.path().join("link")).unwrap();
        let open = OpenDirectory::open(directory.path()).unwrap();
        for name in [c"file", c"link"] {
            let look = open.look(name).unwrap();
            assert_eq!(look.identity, FileIdentity::at(&file).unwrap());
            assert_eq!(look.kind, EntryKind::File);
        }
        assert_eq!(open.look(c"absent").unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
