//! The texts themselves: from the transcript, else the archive, else the vault's copy.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use sexton_claude::transcript::{Item, LineReader};
use sexton_register::SessionId;
use sexton_sys::read;

use crate::pieces::{Assembler, Piece};
use crate::vault::{CopyReader, Vault};

/// Where a session's text was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// Where Claude Code keeps it.
    Projects,
    /// In the archive.
    Archive,
    /// In the vault; the file itself is gone.
    Vault,
}

/// What is read of a line at first, in bytes; most are shorter.
const FIRST_READ: usize = 16 * 1024;

/// A longer buffer than this is given back after its line.
const LONGEST_KEPT: usize = 1024 * 1024;

/// No longer line was indexed, in bytes.
const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// Where texts are looked for.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'t> {
    /// The vault.
    pub vault: &'t Vault,
    /// Archive directories, in which `<id>.jsonl` and `<id>/` lie.
    pub archives: &'t [PathBuf],
}

/// An open transcript or copy of one, read from its beginning unless it is sent elsewhere.
#[derive(Debug)]
pub struct OpenText {
    source: Source,
    reader: LineReader,
    /// The line at hand; its memory is used again for the next one.
    line: Vec<u8>,
}

#[derive(Debug)]
enum Source {
    File(File, Origin),
    Copy(CopyReader),
}

impl Texts<'_> {
    /// Opens the file of `session` that lies, or lay, at `path`; `None` if it can't be had any more.
    #[must_use]
    pub fn open(&self, session: SessionId, path: &Path) -> Option<OpenText> {
        if let Ok((file, _)) = read::open_regular(path) {
            let is_archived = self.archives.iter().any(|archive| path.starts_with(archive));
            let origin = if is_archived { Origin::Archive } else { Origin::Projects };
            return Some(OpenText::new(Source::File(file, origin)));
        }
        let archived = self
            .archives
            .iter()
            .filter_map(|archive| Some(archive.join(below_project(session, path)?)));
        for path in archived {
            if let Ok((file, _)) = read::open_regular(&path) {
                return Some(OpenText::new(Source::File(file, Origin::Archive)));
            }
        }
        let copy = self.vault.open_at(session, path).ok().flatten()?;
        Some(OpenText::new(Source::Copy(copy)))
    }
}

impl OpenText {
    /// An earlier content of a transcript, from the vault.
    #[must_use]
    pub fn of_copy(copy: CopyReader) -> Self {
        Self::new(Source::Copy(copy))
    }
}

/// The path of a session's file below its project directory: `<id>.jsonl` or `<id>/…`.
fn below_project(session: SessionId, path: &Path) -> Option<PathBuf> {
    let own = path
        .ancestors()
        .find(|above| above.file_stem().is_some_and(|stem| stem == session.as_str()))?;
    Some(path.strip_prefix(own.parent()?).ok()?.to_path_buf())
}

impl OpenText {
    fn new(source: Source) -> Self {
        Self {
            source,
            reader: LineReader::new(),
            line: Vec::new(),
        }
    }

    /// Where it was found.
    #[must_use]
    pub fn origin(&self) -> Origin {
        match &self.source {
            Source::File(_, origin) => *origin,
            Source::Copy(_) => Origin::Vault,
        }
    }

    /// How many bytes there are, as of now.
    pub fn size(&self) -> io::Result<u64> {
        match &self.source {
            Source::File(file, _) => Ok(file.metadata()?.len()),
            Source::Copy(copy) => Ok(copy.size()),
        }
    }

    /// Goes to a place in bytes from the beginning.
    pub fn seek_to(&mut self, offset: u64) -> io::Result<()> {
        match &mut self.source {
            Source::File(file, _) => file.seek(SeekFrom::Start(offset)).map(|_| ()),
            Source::Copy(copy) => copy.seek_to(offset).map_err(io::Error::other),
        }
    }

    /// Calls `see` with each message of the line that begins at `offset`; it is line 1 to them.
    pub(crate) fn line(&mut self, offset: u64, see: &mut dyn FnMut(Piece<'_>)) -> io::Result<()> {
        let length = self.load_line(offset)?;
        let mut assembler = Assembler::default();
        let mut take = |item: Item<'_>| assembler.take(&item, see);
        self.reader.read(&mut self.line[..length], &mut take);
        assembler.finish(see);
        if self.line.len() > LONGEST_KEPT {
            self.line = Vec::new();
        }
        Ok(())
    }

    /// Reads the line that begins at `offset`; gives its length without the line break.
    fn load_line(&mut self, offset: u64) -> io::Result<usize> {
        if let Source::Copy(copy) = &mut self.source {
            copy.seek_to(offset).map_err(io::Error::other)?;
        }
        let mut end = 0;
        loop {
            if end == self.line.len() {
                let longer = (end * 2).clamp(FIRST_READ, LONGEST_LINE + 1);
                self.line.reserve_exact(longer - end);
                self.line.resize(longer, 0);
            }
            let room = &mut self.line[end..];
            let read = match &mut self.source {
                Source::File(file, _) => file.read_at(room, offset + end as u64),
                Source::Copy(copy) => copy.read(room),
            };
            let read = match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            let found = memchr::memchr(b'\n', &room[..read]);
            if let Some(at) = found {
                return Ok(end + at);
            }
            end += read;
            if read == 0 {
                return Ok(end);
            }
            if end > LONGEST_LINE {
                return Ok(0);
            }
        }
    }
}

impl Read for OpenText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.source {
            Source::File(file, _) => file.read(buffer),
            Source::Copy(copy) => copy.read(buffer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_the_archive_are_those_below_the_project() {
        let session = SessionId::from_u128(1);
        for (path, expected) in [
            (format!("/c/projects/-w/{session}.jsonl"), format!("{session}.jsonl")),
            (
                format!("/c/projects/-w/{session}/subagents/agent-1.jsonl"),
                format!("{session}/subagents/agent-1.jsonl"),
            ),
        ] {
            assert_eq!(below_project(session, Path::new(&path)), Some(PathBuf::from(expected)));
        }
        assert_eq!(below_project(session, Path::new("/c/projects/-w/x.jsonl")), None);
    }
}
