//! Reading files that someone else writes: never a hang on a FIFO, never more memory than asked for.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// Opens `path` for reading, if it is a regular file; a symlink is followed.
///
/// Opened without blocking and then looked at, so that a FIFO, socket or device under the expected name is an error
/// ([`io::ErrorKind::InvalidInput`]; a directory is [`io::ErrorKind::IsADirectory`]) instead of a hang.
pub fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    open_with(path, OFlags::empty())
}

/// As [`open_regular`], but a symlink is an error instead of being followed.
pub fn open_regular_no_follow(path: &Path) -> io::Result<(File, Metadata)> {
    open_with(path, OFlags::NOFOLLOW)
}

fn open_with(path: &Path, extra: OFlags) -> io::Result<(File, Metadata)> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY | extra;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let metadata = file.metadata()?;
    regular(&metadata)?;
    Ok((file, metadata))
}

/// Refuses what is not a regular file.
pub(crate) fn regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        Ok(())
    } else if metadata.is_dir() {
        Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory"))
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file"))
    }
}

/// All of the file at `path`, unless it is longer than `limit` bytes ([`io::ErrorKind::FileTooLarge`]).
pub fn read_limited(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let (file, metadata) = open_regular(path)?;
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, format!("is larger than {limit} bytes"));
    if metadata.len() > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    // One byte past the limit tells a file that grew from one that fits.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        Err(too_large())
    } else {
        Ok(bytes)
    }
}

/// As [`read_limited`], but an absent file is `None`.
pub fn read_limited_if_present(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    match read_limited(path, limit) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// At most `length` bytes of an open file, from byte `offset` on.
pub fn part(file: &mut File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    /// So much is asked for at once; `read_to_end` would begin with 32 bytes and double them.
    const PIECE: u64 = 1 << 20;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = vec![0; usize::try_from(length.min(PIECE)).unwrap_or(0)];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let is_full = filled == bytes.len();
    bytes.truncate(filled);
    if is_full && length > PIECE {
        file.take(length - PIECE).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The two ends of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ends {
    /// The first bytes, at most the number asked for.
    pub head: Vec<u8>,
    /// The last bytes, at most the number asked for; empty if `head` is the whole file.
    pub tail: Vec<u8>,
    /// Where `tail` begins, in bytes from the start of the file.
    pub tail_offset: u64,
}

/// The first and last `length` bytes of an open file of `size` bytes, each byte once.
pub fn ends(file: &mut File, size: u64, length: u64) -> io::Result<Ends> {
    let head = part(file, 0, length)?;
    let tail_offset = size.saturating_sub(length).max(head.len() as u64);
    let tail = if tail_offset < size {
        part(file, tail_offset, length)?
    } else {
        Vec::new()
    };
    Ok(Ends {
        head,
        tail,
        tail_offset,
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests arrange files directly")]
mod tests {
    use super::*;

    #[test]
    fn a_fifo_is_refused_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap();
        assert_eq!(open_regular(&path).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        assert_eq!(
            open_regular(directory.path()).unwrap_err().kind(),
            io::ErrorKind::IsADirectory
        );
    }

    #[test]
    fn limits_are_exact() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(read_limited(&path, 5).unwrap(), b"12345");
        assert_eq!(read_limited(&path, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(
            read_limited_if_present(&directory.path().join("absent"), 4).unwrap(),
            None
        );
    }

    #[test]
    fn ends_overlap_never() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, b"0123456789").unwrap();
        for (length, head, tail) in [(3, "012", "789"), (6, "012345", "6789"), (20, "0123456789", "")] {
            let (mut file, metadata) = open_regular(&path).unwrap();
            let ends = ends(&mut file, metadata.len(), length).unwrap();
            assert_eq!(
                (ends.head.as_slice(), ends.tail.as_slice()),
                (head.as_bytes(), tail.as_bytes())
            );
        }
    }
}
