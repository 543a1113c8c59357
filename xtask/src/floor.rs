//! The least that a task could cost: only its reads, its looks, its renames.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use clap::Subcommand;

use crate::Result;

/// A process that does nothing but the unavoidable part of a task.
#[derive(Debug, Subcommand)]
pub(crate) enum Floor {
    /// Read every byte of every file below a directory.
    Read { directory: PathBuf },
    /// Look at every file below a directory: one listing a directory, one `statx` a file.
    Look { directory: PathBuf },
    /// Move every file from the one directory that has them into the other, syncing both directories after each.
    Rename { one: PathBuf, other: PathBuf },
}

impl Floor {
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Read { directory } => each_file(directory, &mut |path| {
                io::copy(&mut File::open(path)?, &mut io::sink()).map(|_| ())
            })?,
            Self::Look { directory } => each_file(directory, &mut |path| fs::symlink_metadata(path).map(|_| ()))?,
            Self::Rename { one, other } => {
                fs::create_dir_all(other)?;
                let full = fs::read_dir(one)?.next().is_some();
                let (from, to) = if full { (one, other) } else { (other, one) };
                move_all(from, to)?;
            }
        }
        Ok(())
    }
}

fn each_file(directory: &Path, each: &mut impl FnMut(&Path) -> io::Result<()>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            each_file(&entry.path(), each)?;
        } else {
            each(&entry.path())?;
        }
    }
    Ok(())
}

fn move_all(from: &Path, to: &Path) -> io::Result<()> {
    let (old, new) = (File::open(from)?, File::open(to)?);
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::rename(entry.path(), to.join(entry.file_name()))?;
        old.sync_all()?;
        new.sync_all()?;
    }
    Ok(())
}
