//! Plain directory listings: no patterns, no recursion, no following of links.

use std::ffi::OsString;
use std::io;
use std::path::Path;

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
}

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The bare name, which need not be UTF-8.
    pub name: OsString,
    /// What it is.
    pub kind: EntryKind,
}

/// Everything in `directory`, sorted by name.
///
/// An entry that vanishes while the directory is read is left out; any other failure fails the whole listing, because a listing that
/// is quietly short would make sessions look gone.
pub fn list(directory: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        match entry.file_type() {
            Ok(file_type) => entries.push(Entry {
                name: entry.file_name(),
                kind: EntryKind::of(file_type),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
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
