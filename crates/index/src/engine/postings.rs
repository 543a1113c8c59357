//! The messages that have a token: the first one's number, and the distances from each to the next.

use super::{Corrupt, varint};

/// A list of message numbers, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Postings<'p> {
    /// The lowest number.
    pub first: u64,
    /// How many there are, at least one.
    pub count: u64,
    /// The distances, each above zero.
    pub(super) deltas: &'p [u8],
}

impl Postings<'_> {
    /// One message.
    pub(super) fn one(number: u64) -> Self {
        Self {
            first: number,
            count: 1,
            deltas: &[],
        }
    }

    /// Appends all numbers to `into`, lowest first.
    pub fn decode(&self, into: &mut Vec<u64>) -> Result<(), Corrupt> {
        // Each distance takes a byte at least: what damaged bytes claim asks for no more.
        into.reserve(self.deltas.len() + 1);
        self.each(|number| into.push(number))
    }

    /// Calls `see` with each number, lowest first.
    pub(super) fn each(&self, mut see: impl FnMut(u64)) -> Result<(), Corrupt> {
        let mut rest = self.deltas;
        let mut number = self.first;
        let mut count = 1;
        see(number);
        while !rest.is_empty() {
            let delta = varint::take(&mut rest).ok_or(Corrupt)?;
            number = number.checked_add(delta).ok_or(Corrupt)?;
            if delta == 0 {
                return Err(Corrupt);
            }
            count += 1;
            see(number);
        }
        if count == self.count { Ok(()) } else { Err(Corrupt) }
    }

    /// The highest number.
    fn last(&self) -> Result<u64, Corrupt> {
        let mut last = self.first;
        self.each(|number| last = number)?;
        Ok(last)
    }
}

/// A list that grows at its end.
#[derive(Debug, Default)]
pub(super) struct Deltas {
    first: u64,
    last: u64,
    count: u64,
    bytes: Vec<u8>,
}

impl Deltas {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many bytes the distances take.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.bytes.clear();
    }

    pub(super) fn as_postings(&self) -> Postings<'_> {
        Postings {
            first: self.first,
            count: self.count,
            deltas: &self.bytes,
        }
    }

    /// Appends `postings`, all of which must be higher than what is there; the distances are copied as they stand.
    pub(super) fn push(&mut self, postings: Postings<'_>) -> Result<(), Corrupt> {
        if self.is_empty() {
            self.first = postings.first;
        } else {
            let delta = postings.first.checked_sub(self.last).filter(|delta| *delta > 0);
            varint::put(delta.ok_or(Corrupt)?, &mut self.bytes);
        }
        self.last = postings.last()?;
        self.count += postings.count;
        self.bytes.extend_from_slice(postings.deltas);
        Ok(())
    }

    /// Takes off the beginning, at most about `most` bytes of it, and leaves at least one number.
    pub(super) fn split_off_front(&mut self, most: usize) -> Result<Self, Corrupt> {
        let mut rest = &self.bytes[..];
        let mut head = Self {
            first: self.first,
            last: self.first,
            count: 1,
            bytes: Vec::new(),
        };
        loop {
            let end = self.bytes.len() - rest.len();
            let delta = varint::take(&mut rest).ok_or(Corrupt)?;
            let after = self.bytes.len() - rest.len();
            let next = head.last.checked_add(delta).ok_or(Corrupt)?;
            if after > most || rest.is_empty() {
                head.bytes.extend_from_slice(&self.bytes[..end]);
                self.bytes.drain(..after);
                self.first = next;
                self.count -= head.count;
                return Ok(head);
            }
            head.last = next;
            head.count += 1;
        }
    }
}
