//! Packs: files of zstd frames, `<vault>/<id>/<number>.pack`, written once and never changed.

use std::collections::BTreeSet;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use sexton_sys::{Effects, FileTime, abandoned_files, listing, read};

use super::VaultError;
use super::manifest::{CHUNK, Chunk};

/// A pack is written out when it holds so many bytes: it is put together in memory.
const PACK: usize = 16 * 1024 * 1024;

/// zstd's own default: transcripts shrink to about a sixth at some 300 MB/s.
const LEVEL: i32 = 3;

pub(super) fn path(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number:06}.pack"))
}

/// The numbers of the packs in a session's directory, whether anything names them or not.
pub(super) fn numbers(directory: &Path) -> Result<BTreeSet<u64>, VaultError> {
    let entries = listing::list_if_present(directory).map_err(VaultError::io(directory))?;
    let number = |name: &str| name.strip_suffix(".pack")?.parse().ok();
    Ok(entries
        .iter()
        .filter_map(|entry| number(entry.name.to_str()?))
        .collect())
}

/// What takes that were killed have half written in a session's directory.
pub(super) fn half_written(directory: &Path) -> Result<Vec<PathBuf>, VaultError> {
    // Whoever has the vault's lock is the only one who writes here, whatever the time says.
    let always = FileTime::from_ms(i64::MAX);
    abandoned_files(directory, always).map_err(VaultError::io(directory))
}

pub(super) fn hash(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}

/// Gathers chunks into packs.
pub(super) struct PackWriter<'v> {
    effects: &'v Effects,
    directory: &'v Path,
    number: u64,
    bytes: Vec<u8>,
    written: u64,
}

impl<'v> PackWriter<'v> {
    /// Writes to new packs in `directory`, which exists.
    pub(super) fn new(effects: &'v Effects, directory: &'v Path) -> Result<Self, VaultError> {
        let last = numbers(directory)?.last().copied().unwrap_or(0);
        Ok(Self {
            effects,
            directory,
            number: last + 1,
            bytes: Vec::new(),
            written: 0,
        })
    }

    /// Adds a piece of content.
    pub(super) fn add(&mut self, content: &[u8]) -> Result<Chunk, VaultError> {
        let frame = zstd::bulk::compress(content, LEVEL).map_err(VaultError::io(&path(self.directory, self.number)))?;
        let chunk = self.place(&frame, content.len() as u64, hash(content));
        self.flush_if_full()?;
        Ok(chunk)
    }

    /// Adds a frame that lies in another pack already.
    pub(super) fn add_frame(&mut self, frame: &[u8], chunk: &Chunk) -> Result<Chunk, VaultError> {
        let chunk = self.place(frame, chunk.size, chunk.hash.clone());
        self.flush_if_full()?;
        Ok(chunk)
    }

    fn place(&mut self, frame: &[u8], size: u64, hash: String) -> Chunk {
        let chunk = Chunk {
            pack: self.number,
            at: self.bytes.len() as u64,
            stored: frame.len() as u64,
            size,
            hash,
        };
        self.bytes.extend_from_slice(frame);
        chunk
    }

    fn flush_if_full(&mut self) -> Result<(), VaultError> {
        if self.bytes.len() < PACK { Ok(()) } else { self.flush() }
    }

    /// Writes out what is gathered; until then a chunk's pack does not exist.
    pub(super) fn flush(&mut self) -> Result<(), VaultError> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        self.effects
            .create_file(&path(self.directory, self.number), &self.bytes)?;
        self.written += self.bytes.len() as u64;
        self.number += 1;
        self.bytes.clear();
        Ok(())
    }

    /// Bytes in packs and gathered so far.
    pub(super) fn added(&self) -> u64 {
        self.written + self.bytes.len() as u64
    }
}

/// The frame of `chunk`, unread.
pub(super) fn read_frame(directory: &Path, chunk: &Chunk) -> Result<Vec<u8>, String> {
    // Random bytes hardly grow in a frame; a length beyond that is damage, and must not cost its memory.
    if chunk.stored > 2 * CHUNK || chunk.size > CHUNK {
        return Err("its manifest gives impossible lengths".to_owned());
    }
    let path = path(directory, chunk.pack);
    let told = |error: std::io::Error| format!("`{}`: {error}", path.display());
    let (mut file, _) = read::open_regular(&path).map_err(told)?;
    file.seek(SeekFrom::Start(chunk.at)).map_err(told)?;
    let mut frame = vec![0; usize::try_from(chunk.stored).unwrap_or(0)];
    file.read_exact(&mut frame).map_err(told)?;
    Ok(frame)
}

/// The content of `chunk`, verified.
pub(super) fn read_chunk(directory: &Path, chunk: &Chunk) -> Result<Vec<u8>, String> {
    let frame = read_frame(directory, chunk)?;
    let size = usize::try_from(chunk.size).unwrap_or(0);
    let content = zstd::bulk::decompress(&frame, size)
        .map_err(|error| format!("pack {} at byte {}: {error}", chunk.pack, chunk.at))?;
    if content.len() == size && hash(&content) == chunk.hash {
        Ok(content)
    } else {
        Err(format!("pack {} at byte {}: its hash differs", chunk.pack, chunk.at))
    }
}
