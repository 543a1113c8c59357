//! Blocks of segments as they lie in the catalogue.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::Corrupt;
use super::block::{Block, Entries};
use super::merge::Source;
use super::postings::Postings;

/// A block with its key: its first token, and the first message of that.
#[derive(Debug, Default)]
pub(super) struct StoredBlock {
    pub(super) token: Vec<u8>,
    pub(super) first: i64,
    pub(super) bytes: Vec<u8>,
}

impl StoredBlock {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            token: row.get(0)?,
            first: row.get(1)?,
            bytes: row.get(2)?,
        })
    }

    /// Shows `look` the last block whose key is at most `token` and `first`: messages up to there are in it, or before.
    pub(super) fn look_at<T>(
        connection: &Connection,
        segment: i64,
        token: &[u8],
        first: i64,
        look: impl FnOnce(Block<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        connection
            .prepare_cached(
                "SELECT token, first, block FROM posting
                 WHERE segment = ?1 AND (token, first) <= (?2, ?3) ORDER BY token DESC, first DESC LIMIT 1",
            )?
            .query_row(params![segment, token, first], |row| {
                look(Block {
                    token: row.get_ref(0)?.as_blob()?,
                    first: u64::try_from(row.get::<_, i64>(1)?).map_err(|_| Corrupt)?,
                    bytes: row.get_ref(2)?.as_blob()?,
                })
            })
            .optional()
    }

    /// The last block whose key is before all messages of `token`.
    pub(super) fn before(connection: &Connection, segment: i64, token: &[u8]) -> rusqlite::Result<Option<Self>> {
        // Messages have numbers from 0.
        Self::look_at(connection, segment, token, -1, |block| {
            Ok(Self {
                token: block.token.to_vec(),
                first: block.first.cast_signed(),
                bytes: block.bytes.to_vec(),
            })
        })
    }

    /// The first block of a segment.
    pub(super) fn first(connection: &Connection, segment: i64) -> rusqlite::Result<Option<Self>> {
        connection
            .prepare_cached("SELECT token, first, block FROM posting WHERE segment = ?1 ORDER BY token, first LIMIT 1")?
            .query_row([segment], Self::of)
            .optional()
    }

    /// The block after this one.
    pub(super) fn next(&self, connection: &Connection, segment: i64) -> rusqlite::Result<Option<Self>> {
        connection
            .prepare_cached(
                "SELECT token, first, block FROM posting
                 WHERE segment = ?1 AND (token, first) > (?2, ?3) ORDER BY token, first LIMIT 1",
            )?
            .query_row(params![segment, self.token, self.first], Self::of)
            .optional()
    }
}

/// Goes through a segment, in order; keeps one block in memory.
#[derive(Debug)]
pub(super) struct StoredSource<'c> {
    connection: &'c Connection,
    segment: i64,
    block: StoredBlock,
    /// The tokens of the block, one after the other.
    text: Vec<u8>,
    entries: Vec<Entry>,
    index: usize,
}

/// An entry of the block at hand, by its places in `text` and in the block's bytes.
#[derive(Debug, Clone, Copy)]
struct Entry {
    text_start: usize,
    text_end: usize,
    first: u64,
    count: u64,
    start: usize,
    end: usize,
}

impl<'c> StoredSource<'c> {
    /// A segment from the first token that isn't before `from`.
    pub(super) fn open(connection: &'c Connection, segment: i64, from: &[u8]) -> rusqlite::Result<Self> {
        let mut source = Self {
            connection,
            segment,
            block: StoredBlock::default(),
            text: Vec::new(),
            entries: Vec::new(),
            index: 0,
        };
        let block = match StoredBlock::before(connection, segment, from)? {
            Some(block) => Some(block),
            None => StoredBlock::first(connection, segment)?,
        };
        source.load(block)?;
        while source.token().is_some_and(|token| token < from) {
            source.advance()?;
        }
        Ok(source)
    }

    fn load(&mut self, block: Option<StoredBlock>) -> rusqlite::Result<()> {
        self.text.clear();
        self.entries.clear();
        self.index = 0;
        let Some(block) = block else { return Ok(()) };
        self.block = block;
        let bytes = &self.block.bytes;
        let mut entries = Entries::of(bytes)?;
        while let Some((token, postings)) = entries.next()? {
            let text_start = self.text.len();
            self.text.extend_from_slice(token);
            let (first, count, length) = (postings.first, postings.count, postings.deltas.len());
            let end = bytes.len() - entries.left();
            self.entries.push(Entry {
                text_start,
                text_end: self.text.len(),
                first,
                count,
                start: end - length,
                end,
            });
        }
        // An empty block would end the segment.
        if self.entries.is_empty() {
            return Err(Corrupt.into());
        }
        Ok(())
    }
}

impl Source for StoredSource<'_> {
    fn token(&self) -> Option<&[u8]> {
        let entry = self.entries.get(self.index)?;
        Some(&self.text[entry.text_start..entry.text_end])
    }

    fn postings(&self) -> Result<Postings<'_>, Corrupt> {
        let entry = self.entries.get(self.index).ok_or(Corrupt)?;
        Ok(Postings {
            first: entry.first,
            count: entry.count,
            deltas: &self.block.bytes[entry.start..entry.end],
        })
    }

    fn advance(&mut self) -> rusqlite::Result<()> {
        self.index += 1;
        if self.index >= self.entries.len() && !self.entries.is_empty() {
            let next = self.block.next(self.connection, self.segment)?;
            self.load(next)?;
        }
        Ok(())
    }
}
