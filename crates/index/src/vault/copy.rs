//! Reading a file out of the vault.

use std::io::{self, Read};
use std::path::PathBuf;

use super::manifest::{CHUNK, FileContent};
use super::{VaultError, pack};

/// A copied file's content, verified chunk by chunk as it is read.
#[derive(Debug)]
pub struct CopyReader {
    directory: PathBuf,
    name: PathBuf,
    file: FileContent,
    /// The next chunk to be read.
    next: usize,
    content: Vec<u8>,
    /// How much of `content` has been given out.
    given: usize,
}

impl CopyReader {
    pub(super) fn new(directory: PathBuf, name: PathBuf, file: FileContent) -> Self {
        Self {
            directory,
            name,
            file,
            next: 0,
            content: Vec::new(),
            given: 0,
        }
    }

    /// How many bytes there are.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.file.held()
    }

    /// Goes to a place in bytes from the start; one past the end reads as nothing.
    pub fn seek_to(&mut self, offset: u64) -> Result<(), VaultError> {
        self.next = usize::try_from(offset / CHUNK).unwrap_or(usize::MAX);
        self.load()?;
        self.given = usize::try_from(offset % CHUNK).unwrap_or(0).min(self.content.len());
        Ok(())
    }

    /// Takes the next chunk, or none at the end.
    fn load(&mut self) -> Result<(), VaultError> {
        self.given = 0;
        self.content.clear();
        let Some(chunk) = self.file.chunks.get(self.next) else {
            return Ok(());
        };
        self.next += 1;
        self.content = pack::read_chunk(&self.directory, chunk).map_err(|reason| VaultError::Corrupt {
            name: self.name.clone(),
            reason,
        })?;
        Ok(())
    }
}

impl Read for CopyReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.content.len() {
            self.load().map_err(io::Error::other)?;
        }
        let rest = &self.content[self.given..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.given += length;
        Ok(length)
    }
}
