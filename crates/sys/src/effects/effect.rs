//! One change to the file system, as a dry run tells it.

use std::fmt;
use std::path::PathBuf;

use super::Durability;
use crate::FileTime;

/// A change that a dry run would have made. Its `Display` is the sentence a person reads; paths in it are raw and must be made safe
/// for a terminal by whoever prints them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[expect(
    missing_docs,
    reason = "each variant is the method of `Effects` with the same name, and so are its fields"
)]
pub enum Effect {
    CreateDirectory {
        path: PathBuf,
    },
    Append {
        path: PathBuf,
        bytes: Vec<u8>,
        durability: Durability,
    },
    CreateFile {
        path: PathBuf,
        bytes: Vec<u8>,
    },
    CreateFileFrom {
        path: PathBuf,
    },
    ReplaceFile {
        path: PathBuf,
        bytes: Vec<u8>,
    },
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    CopyFile {
        from: PathBuf,
        to: PathBuf,
    },
    HardLink {
        file: PathBuf,
        link: PathBuf,
    },
    Symlink {
        target: PathBuf,
        link: PathBuf,
    },
    RemoveFile {
        path: PathBuf,
    },
    RemoveDirectory {
        path: PathBuf,
    },
    SetModified {
        path: PathBuf,
        modified: FileTime,
    },
    SetMode {
        path: PathBuf,
        mode: u32,
    },
}

/// `1 byte`, `3 bytes`.
struct Size<'b>(&'b [u8]);

impl fmt::Display for Size<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => f.write_str("1 byte"),
            length => write!(f, "{length} bytes"),
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreateDirectory { path } => write!(f, "create directory {}", path.display()),
            Self::Append { path, bytes, .. } => {
                write!(
                    f,
                    "append to {}: {}",
                    path.display(),
                    String::from_utf8_lossy(bytes).trim_end()
                )
            }
            Self::CreateFile { path, bytes } => write!(f, "create {} ({})", path.display(), Size(bytes)),
            Self::CreateFileFrom { path } => write!(f, "create {}", path.display()),
            Self::ReplaceFile { path, bytes } => write!(f, "write {} ({})", path.display(), Size(bytes)),
            Self::Rename { from, to } => write!(f, "move {} to {}", from.display(), to.display()),
            Self::CopyFile { from, to } => write!(f, "copy {} to {}", from.display(), to.display()),
            Self::HardLink { file, link } => write!(f, "keep {} as {} too", file.display(), link.display()),
            Self::Symlink { target, link } => write!(f, "link {} to {}", link.display(), target.display()),
            Self::RemoveFile { path } => write!(f, "remove {}", path.display()),
            Self::RemoveDirectory { path } => write!(f, "remove empty directory {}", path.display()),
            Self::SetModified { path, .. } => write!(f, "set the modification time of {}", path.display()),
            Self::SetMode { path, mode } => write!(f, "set the mode of {} to {mode:04o}", path.display()),
        }
    }
}
