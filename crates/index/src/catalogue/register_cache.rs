//! Summaries of register files, kept for the program that fills them in: what is in the blob is its own affair.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::{Row, TransactionBehavior, params};
use sexton_sys::{FileIdentity, FileTime};

use super::Catalogue;
use crate::error::IndexError;

/// A file's summary, good for as long as the file has this identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedFile {
    /// The file.
    pub path: PathBuf,
    /// Its identity when it was summarised.
    pub identity: FileIdentity,
    /// The summary, opaque here.
    pub content: Vec<u8>,
}

impl Catalogue {
    /// Everything in the register cache.
    pub fn register_cache(&self) -> Result<Vec<CachedFile>, IndexError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT path, device, inode, size, seconds, nanoseconds, content FROM register_cache")?;
        let rows = statement.query_map([], |row| {
            Ok(CachedFile {
                path: path_of(row.get_ref(0)?.as_blob()?),
                identity: identity(row, 1)?,
                content: row.get(6)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Adds or replaces summaries, and forgets those of files that are gone, in one transaction.
    pub fn update_register_cache(&mut self, changed: &[CachedFile], gone: &[PathBuf]) -> Result<(), IndexError> {
        if changed.is_empty() && gone.is_empty() {
            return Ok(());
        }
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut insert = transaction
                .prepare_cached("INSERT OR REPLACE INTO register_cache VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
            for file in changed {
                let [device, inode, size, seconds, nanoseconds] = numbers(&file.identity);
                let path = file.path.as_os_str().as_bytes();
                insert.execute(params![path, device, inode, size, seconds, nanoseconds, file.content])?;
            }
            let mut delete = transaction.prepare_cached("DELETE FROM register_cache WHERE path = ?1")?;
            for path in gone {
                delete.execute([path.as_os_str().as_bytes()])?;
            }
        }
        Ok(transaction.commit()?)
    }
}

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

#[cfg(test)]
mod tests {
    use sexton_sys::Effects;

    use super::*;

    #[test]
    fn what_was_put_in_comes_out_until_it_is_gone() {
        let directory = tempfile::tempdir().unwrap();
        let mut catalogue = Catalogue::open(&directory.path().join("c"), &Effects::apply(), 0).unwrap();
        let file = |name: &[u8], size| CachedFile {
            path: path_of(name),
            identity: FileIdentity {
                device: u64::MAX,
                inode: 1 << 63,
                size,
                modified: FileTime {
                    seconds: -1,
                    nanoseconds: 999_999_999,
                },
            },
            content: vec![0, 255],
        };
        let (one, two) = (file(b"/a/\xff", 1), file(b"/b", 2));
        catalogue
            .update_register_cache(&[one.clone(), two.clone()], &[])
            .unwrap();
        catalogue.update_register_cache(&[file(b"/b", 3)], &[one.path]).unwrap();
        assert_eq!(catalogue.register_cache().unwrap(), [file(b"/b", 3)]);
    }
}
