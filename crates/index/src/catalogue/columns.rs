//! Values as columns: paths and identities.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::Row;
use sexton_sys::{FileIdentity, FileTime};

/// A path as it was stored.
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    Path::new(OsStr::from_bytes(bytes)).to_path_buf()
}

/// An identity as five integers. SQLite's are signed: a device or inode keeps its bits.
pub(super) fn numbers(identity: &FileIdentity) -> [i64; 5] {
    [
        identity.device.cast_signed(),
        identity.inode.cast_signed(),
        identity.size.cast_signed(),
        identity.modified.seconds,
        i64::from(identity.modified.nanoseconds),
    ]
}

/// The identity that [`numbers`] made, from the columns at `first` and after.
pub(super) fn identity(row: &Row<'_>, first: usize) -> rusqlite::Result<FileIdentity> {
    Ok(FileIdentity {
        device: row.get::<_, i64>(first)?.cast_unsigned(),
        inode: row.get::<_, i64>(first + 1)?.cast_unsigned(),
        size: row.get::<_, i64>(first + 2)?.cast_unsigned(),
        modified: FileTime {
            seconds: row.get(first + 3)?,
            nanoseconds: row.get(first + 4)?,
        },
    })
}
