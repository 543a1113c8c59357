//! The texts themselves: from the transcript, else the archive, else the vault's copy.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use sexton_claude::transcript::{Found, TranscriptReader};
use sexton_register::SessionId;
use sexton_sys::read;

use crate::pass::slices::Slices;
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
pub struct OpenText(Source);

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
            return Some(OpenText(Source::File(file, Origin::Projects)));
        }
        let archived = self
            .archives
            .iter()
            .filter_map(|archive| Some(archive.join(below_project(session, path)?)));
        for path in archived {
            if let Ok((file, _)) = read::open_regular(&path) {
                return Some(OpenText(Source::File(file, Origin::Archive)));
            }
        }
        let copy = self.vault.open_at(session, path).ok().flatten()?;
        Some(OpenText(Source::Copy(copy)))
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
    /// Where it was found.
    #[must_use]
    pub fn origin(&self) -> Origin {
        match &self.0 {
            Source::File(_, origin) => *origin,
            Source::Copy(_) => Origin::Vault,
        }
    }

    /// How many bytes there are, as of now.
    pub fn size(&self) -> io::Result<u64> {
        match &self.0 {
            Source::File(file, _) => Ok(file.metadata()?.len()),
            Source::Copy(copy) => Ok(copy.size()),
        }
    }

    /// Goes to a place in bytes from the beginning.
    pub fn seek_to(&mut self, offset: u64) -> io::Result<()> {
        match &mut self.0 {
            Source::File(file, _) => file.seek(SeekFrom::Start(offset)).map(|_| ()),
            Source::Copy(copy) => copy.seek_to(offset).map_err(io::Error::other),
        }
    }

    /// Calls `see` with each message of the line that begins at `offset`; it is line 1 to them.
    pub(crate) fn line(&mut self, offset: u64, see: &mut dyn FnMut(Piece<'_>)) -> io::Result<()> {
        self.seek_to(offset)?;
        let mut slices = Slices::for_line(self);
        let mut assembler = Assembler::default();
        TranscriptReader::new().read(slices.line(), &mut |found| {
            if let Found::Item(item) = found {
                assembler.take(&item, see);
            }
            ControlFlow::Continue(())
        })?;
        assembler.finish(see);
        Ok(())
    }
}

impl Read for OpenText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
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
