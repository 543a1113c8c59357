//! Turning messages into tokens with their messages, in memory: what readers do side by side, before one of them writes.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::merge::Source;
use super::postings::Postings;
use super::{Corrupt, varint};

/// Takes the tokens of messages, one after the other.
///
/// Made once and emptied by [`Inverter::finish`], so that it allocates little.
#[derive(Debug, Default)]
pub struct Inverter {
    hasher: RandomState,
    /// Indices of `terms`, by the hash of their text.
    table: HashTable<u32>,
    terms: Vec<Term>,
    text: Vec<u8>,
    /// The index of each distinct token of each message.
    log: Vec<u32>,
    /// Where each message's part of `log` ends.
    ends: Vec<u32>,
}

/// A token that was seen.
#[derive(Debug, Clone, Copy)]
struct Term {
    start: u32,
    length: u32,
    /// How many messages have it.
    count: u32,
    /// One more than the last of them.
    last: u32,
}

impl Term {
    fn text<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        &text[self.start as usize..][..self.length as usize]
    }
}

impl Inverter {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a token to the message at hand.
    #[inline]
    pub fn add(&mut self, token: &str) {
        let token = token.as_bytes();
        let mut hasher = self.hasher.build_hasher();
        hasher.write(token);
        let hash = hasher.finish();
        let message = count(self.ends.len()) + 1;
        let (terms, text) = (&mut self.terms, &mut self.text);
        let found = self.table.find(hash, |index| terms[*index as usize].text(text) == token);
        let index = if let Some(index) = found {
            *index
        } else {
            let index = count(terms.len());
            terms.push(Term {
                start: count(text.len()),
                length: count(token.len()),
                count: 0,
                last: 0,
            });
            text.extend_from_slice(token);
            let hasher = &self.hasher;
            self.table.insert_unique(hash, index, |index| {
                let mut hasher = hasher.build_hasher();
                hasher.write(terms[*index as usize].text(text));
                hasher.finish()
            });
            index
        };
        let term = &mut terms[index as usize];
        if term.last != message {
            term.last = message;
            term.count += 1;
            self.log.push(index);
        }
    }

    /// Ends the message at hand.
    pub fn end_message(&mut self) {
        self.ends.push(count(self.log.len()));
    }

    /// How many messages have ended.
    #[must_use]
    pub fn messages(&self) -> usize {
        self.ends.len()
    }

    /// About how much memory this takes, in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.text.len() + self.terms.len() * (size_of::<Term>() + 24) + self.log.len() * 8 + self.ends.len() * 4
    }

    /// Gives all messages that have ended, in the order of their tokens, and starts over.
    pub fn finish(&mut self) -> Inverted {
        let order = self.in_order();
        // Where each term's messages begin, by its place in the order; then where the next one goes.
        let mut next = vec![0; self.terms.len()];
        let mut start = 0_u32;
        for index in &order {
            next[*index as usize] = start;
            start += self.terms[*index as usize].count;
        }
        // Messages come in order, so that each term's are.
        let mut messages = vec![0_u32; self.log.len()];
        let mut from = 0;
        for (message, end) in self.ends.iter().enumerate() {
            for index in &self.log[from..*end as usize] {
                let place = &mut next[*index as usize];
                messages[*place as usize] = count(message);
                *place += 1;
            }
            from = *end as usize;
        }
        let mut inverted = Inverted {
            text: Vec::with_capacity(self.text.len()),
            deltas: Vec::with_capacity(self.log.len()),
            terms: Vec::with_capacity(order.len()),
            messages: self.ends.len() as u64,
        };
        let mut rest = &messages[..];
        for index in &order {
            let term = &self.terms[*index as usize];
            let (own, after) = rest.split_at(term.count as usize);
            rest = after;
            inverted.push(term.text(&self.text), own);
        }
        self.clear();
        inverted
    }

    /// Indices of terms by their text.
    fn in_order(&self) -> Vec<u32> {
        // Most are told apart by their first bytes, which lie at hand.
        let mut order: Vec<(u64, u32)> = self
            .terms
            .iter()
            .enumerate()
            .map(|(index, term)| (beginning(term.text(&self.text)), count(index)))
            .collect();
        order.sort_unstable_by(|(a, a_index), (b, b_index)| {
            let text = |index: &u32| self.terms[*index as usize].text(&self.text);
            a.cmp(b).then_with(|| text(a_index).cmp(text(b_index)))
        });
        order.into_iter().map(|(_, index)| index).collect()
    }

    fn clear(&mut self) {
        // What one huge message took is given back.
        self.table.clear();
        self.table.shrink_to(64 * 1024, |_| 0);
        for vector in [&mut self.log, &mut self.ends] {
            vector.clear();
            vector.shrink_to(1024 * 1024);
        }
        self.terms.clear();
        self.terms.shrink_to(64 * 1024);
        self.text.clear();
        self.text.shrink_to(1024 * 1024);
    }
}

/// Units are far smaller than 4 GiB.
fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// The first eight bytes as a number that compares as they do.
pub(super) fn beginning(token: &[u8]) -> u64 {
    match token.first_chunk::<8>() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => {
            let mut bytes = [0; 8];
            bytes[..token.len()].copy_from_slice(token);
            u64::from_be_bytes(bytes)
        }
    }
}

/// Tokens in order with their messages, which are numbered from 0.
#[derive(Debug, Default)]
pub struct Inverted {
    text: Vec<u8>,
    deltas: Vec<u8>,
    terms: Vec<InvertedTerm>,
    messages: u64,
}

#[derive(Debug, Clone, Copy)]
struct InvertedTerm {
    text_end: u32,
    deltas_end: u32,
    first: u32,
    count: u32,
}

impl Inverted {
    /// How many messages it is of.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// How much memory it takes, in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.text.len() + self.deltas.len() + self.terms.len() * size_of::<InvertedTerm>()
    }

    fn push(&mut self, token: &[u8], messages: &[u32]) {
        let Some((first, rest)) = messages.split_first() else {
            return;
        };
        self.text.extend_from_slice(token);
        let mut before = *first;
        for message in rest {
            varint::put(u64::from(message - before), &mut self.deltas);
            before = *message;
        }
        self.terms.push(InvertedTerm {
            text_end: count(self.text.len()),
            deltas_end: count(self.deltas.len()),
            first: *first,
            count: count(messages.len()),
        });
    }
}

/// Goes through what was inverted, in order.
#[derive(Debug)]
pub(super) struct InvertedSource<'i> {
    inverted: &'i Inverted,
    /// The number of message 0.
    base: u64,
    index: usize,
    text: usize,
    deltas: usize,
}

impl<'i> InvertedSource<'i> {
    pub(super) fn new(inverted: &'i Inverted, base: u64) -> Self {
        Self {
            inverted,
            base,
            index: 0,
            text: 0,
            deltas: 0,
        }
    }
}

impl Source for InvertedSource<'_> {
    fn token(&self) -> Option<&[u8]> {
        let term = self.inverted.terms.get(self.index)?;
        Some(&self.inverted.text[self.text..term.text_end as usize])
    }

    fn postings(&self) -> Result<Postings<'_>, Corrupt> {
        let term = self.inverted.terms.get(self.index).ok_or(Corrupt)?;
        Ok(Postings {
            first: self.base + u64::from(term.first),
            count: u64::from(term.count),
            deltas: &self.inverted.deltas[self.deltas..term.deltas_end as usize],
        })
    }

    fn advance(&mut self) -> rusqlite::Result<()> {
        if let Some(term) = self.inverted.terms.get(self.index) {
            self.text = term.text_end as usize;
            self.deltas = term.deltas_end as usize;
            self.index += 1;
        }
        Ok(())
    }
}
