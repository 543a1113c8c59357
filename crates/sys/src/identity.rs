//! What makes a file the same file with the same content, as far as a stat can tell.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::FileTime;

/// Device, inode, size and modification time: what is compared just before a planned file is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    /// The device that holds the file.
    pub device: u64,
    /// The inode on that device.
    pub inode: u64,
    /// The size in bytes.
    pub size: u64,
    /// The modification time.
    pub modified: FileTime,
}

impl FileIdentity {
    /// The identity that `metadata` describes.
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            modified: FileTime::modified(metadata),
        }
    }

    /// The identity of what lies at `path` now; a symlink is not followed.
    pub fn at(path: &Path) -> io::Result<Self> {
        path.symlink_metadata().map(|metadata| Self::of(&metadata))
    }

    /// Whether both are one inode, whatever its content.
    #[must_use]
    pub fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}
