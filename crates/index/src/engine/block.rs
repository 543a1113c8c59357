//! Blocks: a few kilobytes of a segment, in which tokens stand in order, each with the messages that have it.
//!
//! A block is a version, a base, and entries. An entry is its token without what it shares with the one before, how many messages have
//! it, the first of them less the base, and, if there are more, how many bytes follow and the distances from each to the next. A list
//! too long for one block goes on in the next, under the same token; within a block each token stands once.

use super::postings::{Deltas, Postings};
use super::{Corrupt, varint};

/// The version of blocks, their first byte.
const VERSION: u8 = 1;

/// So long a block gets, in bytes. With the longest token beside it, it fits a page of the database.
pub(super) const LONGEST: usize = 3840;

/// Both lengths of a token are in one byte if they are below this.
const LONG: usize = 15;

/// No token is longer than this, in bytes.
const LONGEST_TOKEN: usize = 1024;

/// What is read from a block: tokens in order.
#[derive(Debug, Clone, Default)]
pub struct Entries<'b> {
    base: u64,
    rest: &'b [u8],
    token: Vec<u8>,
    began: bool,
}

impl<'b> Entries<'b> {
    /// The entries of `block`.
    pub fn of(block: &'b [u8]) -> Result<Self, Corrupt> {
        let (version, mut rest) = block.split_first().ok_or(Corrupt)?;
        if *version != VERSION {
            return Err(Corrupt);
        }
        let base = varint::take(&mut rest).ok_or(Corrupt)?;
        Ok(Self {
            base,
            rest,
            ..Self::default()
        })
    }

    /// Goes to the next entry; `None` at the end.
    #[expect(clippy::should_implement_trait, reason = "the token is lent")]
    pub fn next(&mut self) -> Result<Option<(&[u8], Postings<'b>)>, Corrupt> {
        let Some((head, rest)) = self.rest.split_first() else {
            return Ok(None);
        };
        self.rest = rest;
        let shared = self.length(usize::from(head >> 4))?;
        let own = self.length(usize::from(head & 0x0F))?;
        if shared > self.token.len() || own > self.rest.len() || own > LONGEST_TOKEN || shared > LONGEST_TOKEN - own {
            return Err(Corrupt);
        }
        let (suffix, rest) = self.rest.split_at(own);
        // Tokens rise, or a search among them could miss what is there.
        if self.began && suffix <= &self.token[shared..] {
            return Err(Corrupt);
        }
        self.began = true;
        self.rest = rest;
        self.token.truncate(shared);
        self.token.extend_from_slice(suffix);
        let postings = self.postings()?;
        Ok(Some((&self.token, postings)))
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    fn length(&mut self, nibble: usize) -> Result<usize, Corrupt> {
        if nibble < LONG {
            return Ok(nibble);
        }
        let more = varint::take(&mut self.rest).ok_or(Corrupt)?;
        usize::try_from(more)
            .ok()
            .and_then(|more| more.checked_add(LONG))
            .ok_or(Corrupt)
    }

    fn postings(&mut self) -> Result<Postings<'b>, Corrupt> {
        let mut number = || varint::take(&mut self.rest).ok_or(Corrupt);
        let count = number()?;
        let first = number()?.checked_add(self.base).ok_or(Corrupt)?;
        let length = match count {
            0 => return Err(Corrupt),
            1 => 0,
            _ => usize::try_from(number()?).map_err(|_| Corrupt)?,
        };
        if length > self.rest.len() {
            return Err(Corrupt);
        }
        let (deltas, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(Postings { first, count, deltas })
    }

    /// The messages that have `token`.
    pub(super) fn find(mut self, token: &[u8]) -> Result<Option<Postings<'b>>, Corrupt> {
        while let Some((found, postings)) = self.next()? {
            match found.cmp(token) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return Ok(Some(postings)),
                std::cmp::Ordering::Greater => break,
            }
        }
        Ok(None)
    }
}

/// A block that is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block<'b> {
    /// Its first token.
    pub(super) token: &'b [u8],
    /// The first message that has it.
    pub(super) first: u64,
    pub(super) bytes: &'b [u8],
}

/// Receives blocks in order.
type Sink<'s> = &'s mut dyn FnMut(Block<'_>) -> rusqlite::Result<()>;

/// Puts blocks together from tokens in order.
#[derive(Debug)]
pub(super) struct Writer {
    base: u64,
    bytes: Vec<u8>,
    /// Key of the block that is being written; empty if it is.
    first_token: Vec<u8>,
    first: u64,
    last_token: Vec<u8>,
    /// The token that may get more messages.
    open: Vec<u8>,
    list: Deltas,
}

impl Writer {
    /// A writer whose messages all have `base` or higher numbers.
    pub(super) fn new(base: u64) -> Self {
        let mut writer = Self {
            base,
            bytes: Vec::with_capacity(LONGEST),
            first_token: Vec::new(),
            first: 0,
            last_token: Vec::new(),
            open: Vec::new(),
            list: Deltas::default(),
        };
        writer.begin_block();
        writer
    }

    /// Adds messages to `token`, which is the last one or a later one; theirs are higher than those it has.
    pub(super) fn add(&mut self, token: &[u8], postings: Postings<'_>, sink: Sink<'_>) -> Result<(), rusqlite::Error> {
        if self.open != token {
            self.close(sink)?;
            self.open.clear();
            self.open.extend_from_slice(token);
        }
        self.list.push(postings)?;
        // What fills blocks is written at once, so that no list has to fit into memory.
        self.split(sink)
    }

    /// Writes down what is left.
    pub(super) fn finish(mut self, sink: Sink<'_>) -> rusqlite::Result<()> {
        self.close(sink)?;
        self.end_block(sink)
    }

    fn close(&mut self, sink: Sink<'_>) -> rusqlite::Result<()> {
        let list = std::mem::take(&mut self.list);
        if !list.is_empty() {
            self.write(list.as_postings(), sink)?;
        }
        self.list = list;
        self.list.clear();
        Ok(())
    }

    /// Writes the beginning of a list that is longer than a block.
    fn split(&mut self, sink: Sink<'_>) -> rusqlite::Result<()> {
        let room = LONGEST - self.open.len() - 64;
        while self.list.len() > room {
            let head = self.list.split_off_front(room)?;
            self.write(head.as_postings(), sink)?;
        }
        Ok(())
    }

    fn write(&mut self, postings: Postings<'_>, sink: Sink<'_>) -> rusqlite::Result<()> {
        // The longest an entry's numbers get.
        let room = self.open.len() + postings.deltas.len() + 40;
        let is_begun = !self.first_token.is_empty();
        if is_begun && (self.bytes.len() + room > LONGEST || self.last_token == self.open) {
            self.end_block(sink)?;
        }
        if self.first_token.is_empty() {
            self.first_token.extend_from_slice(&self.open);
            self.first = postings.first;
        }
        let shared = self
            .last_token
            .iter()
            .zip(&self.open)
            .take_while(|(before, now)| before == now)
            .count();
        let own = self.open.len() - shared;
        #[expect(clippy::cast_possible_truncation, reason = "both are below sixteen")]
        self.bytes.push((shared.min(LONG) << 4 | own.min(LONG)) as u8);
        for length in [shared, own] {
            if let Some(more) = length.checked_sub(LONG) {
                varint::put(more as u64, &mut self.bytes);
            }
        }
        self.bytes.extend_from_slice(&self.open[shared..]);
        varint::put(postings.count, &mut self.bytes);
        varint::put(postings.first.saturating_sub(self.base), &mut self.bytes);
        if postings.count > 1 {
            varint::put(postings.deltas.len() as u64, &mut self.bytes);
            self.bytes.extend_from_slice(postings.deltas);
        }
        self.last_token.clear();
        self.last_token.extend_from_slice(&self.open);
        Ok(())
    }

    fn begin_block(&mut self) {
        self.bytes.clear();
        self.bytes.push(VERSION);
        varint::put(self.base, &mut self.bytes);
        self.first_token.clear();
        self.last_token.clear();
    }

    fn end_block(&mut self, sink: Sink<'_>) -> rusqlite::Result<()> {
        if !self.first_token.is_empty() {
            sink(Block {
                token: &self.first_token,
                first: self.first,
                bytes: &self.bytes,
            })?;
            self.begin_block();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    type Lists = BTreeMap<Vec<u8>, Vec<u64>>;

    fn blocks(base: u64, lists: &Lists) -> Vec<(Vec<u8>, u64, Vec<u8>)> {
        let mut blocks = Vec::new();
        let mut sink = |block: Block<'_>| {
            blocks.push((block.token.to_vec(), block.first, block.bytes.to_vec()));
            Ok(())
        };
        let mut writer = Writer::new(base);
        for (token, numbers) in lists {
            for number in numbers {
                writer.add(token, Postings::one(*number), &mut sink).unwrap();
            }
        }
        writer.finish(&mut sink).unwrap();
        blocks
    }

    fn read(blocks: &[(Vec<u8>, u64, Vec<u8>)]) -> Lists {
        let mut lists = Lists::new();
        for (key, first, bytes) in blocks {
            assert!(bytes.len() <= LONGEST);
            let mut entries = Entries::of(bytes).unwrap();
            let mut is_first = true;
            while let Some((token, postings)) = entries.next().unwrap() {
                if std::mem::take(&mut is_first) {
                    assert_eq!((token, postings.first), (&key[..], *first));
                }
                let mut numbers = Vec::new();
                postings.decode(&mut numbers).unwrap();
                lists.entry(token.to_vec()).or_default().extend(numbers);
            }
        }
        lists
    }

    #[test]
    fn the_bytes_of_a_block() {
        let long = "x".repeat(20);
        let lists = [("main", vec![7]), ("main.rs", vec![7, 8, 300]), (&long, vec![9])];
        let lists = lists.map(|(token, numbers)| (token.as_bytes().to_vec(), numbers));
        let blocks = blocks(7, &Lists::from(lists));
        assert_eq!(blocks.len(), 1);
        insta::assert_snapshot!(blocks[0].2.escape_ascii().to_string());
    }

    #[test]
    fn a_newer_block_is_not_guessed_at() {
        let mut block = blocks(0, &Lists::from([(b"a".to_vec(), vec![1])])).remove(0).2;
        block[0] = VERSION + 1;
        assert!(Entries::of(&block).is_err());
        assert!(Entries::of(&[]).is_err());
    }

    #[test]
    fn a_long_list_goes_on_in_the_next_block() {
        let numbers: Vec<u64> = (0..20_000).map(|number| number * 3).collect();
        let lists = Lists::from([
            (b"a".to_vec(), vec![1]),
            (b"b".to_vec(), numbers),
            (b"c".to_vec(), vec![2]),
        ]);
        let blocks = blocks(0, &lists);
        assert!(blocks.len() > 5);
        assert_eq!(read(&blocks), lists);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            base in 0_u64..1 << 40,
            lists in proptest::collection::btree_map(
                proptest::collection::vec(b'a'..b'd', 1..40),
                proptest::collection::btree_set(0_u64..5000, 1..60),
                1..150,
            ),
        ) {
            let lists: Lists = lists
                .into_iter()
                .map(|(token, numbers)| (token, numbers.into_iter().map(|number| base + number).collect()))
                .collect();
            prop_assert_eq!(read(&blocks(base, &lists)), lists);
        }

        /// Whatever the bytes, reading them ends, and gives tokens and numbers in order.
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>, at in 0_usize..200, byte: u8) {
            let lists: Lists = (0_u64..20).map(|index| (format!("t{index:02}").into_bytes(), vec![index, index + 200])).collect();
            let mut damaged = blocks(0, &lists).remove(0).2;
            let at = at % damaged.len();
            damaged[at] = byte;
            for bytes in [bytes, damaged] {
                let Ok(mut entries) = Entries::of(&bytes) else { continue };
                let mut before = Vec::new();
                while let Ok(Some((token, postings))) = entries.next() {
                    prop_assert!(before.is_empty() || token > &before[..]);
                    before = token.to_vec();
                    let mut numbers = Vec::new();
                    if postings.decode(&mut numbers).is_ok() {
                        prop_assert!(numbers.is_sorted() && numbers.len() as u64 == postings.count);
                    }
                }
            }
        }
    }
}
