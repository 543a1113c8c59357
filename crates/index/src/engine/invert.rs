//! Turning messages into tokens with their messages, in memory: what readers do side by side, before one of them writes.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

use super::merge::Source;
use super::postings::Postings;
use super::{Corrupt, varint};

/// Takes the tokens of messages, one after the other.
///
/// Made once and emptied by [`Inverter::finish`], so that it allocates little.
#[derive(Debug)]
pub struct Inverter {
    /// Different in each process, so that no transcript can be made of tokens that all lie in one place of the table.
    seed: u64,
    terms: HashTable<Term>,
    /// The text of all terms.
    text: Vec<u8>,
    /// The number of each distinct token of each message.
    log: Vec<u32>,
    /// Where each message's part of `log` ends.
    ends: Vec<u32>,
}

/// A token that was seen; all that is looked at for each word of a text, in half a line of the processor's cache.
#[derive(Debug, Clone, Copy)]
struct Term {
    key: Key,
    /// Where its text begins.
    start: u32,
    length: u32,
    /// In the order in which terms were seen first.
    number: u32,
    /// One more than the last message that has it.
    last: u32,
}

/// The bytes of a token at both ends: with the length, all of it up to [`Key::WHOLE`] bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key(u64, u64);

impl Key {
    const WHOLE: usize = 16;

    #[inline]
    fn of(token: &[u8]) -> Self {
        if let (Some(first), Some(last)) = (token.first_chunk::<8>(), token.last_chunk::<8>()) {
            return Self(u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        }
        if let (Some(first), Some(last)) = (token.first_chunk::<4>(), token.last_chunk::<4>()) {
            return Self(
                u64::from(u32::from_le_bytes(*first)),
                u64::from(u32::from_le_bytes(*last)),
            );
        }
        let at = |index: usize| token.get(index).copied().map_or(0, u64::from);
        Self(at(0) | at(1) << 8 | at(2) << 16, 0)
    }

    /// The hash of `token`, whose key this is.
    #[inline]
    fn hash(self, token: &[u8], seed: u64) -> u64 {
        let mut hash = mix(self.0 ^ seed, self.1 ^ token.len() as u64);
        if token.len() > Self::WHOLE {
            for word in token.as_chunks::<8>().0 {
                hash = mix(hash ^ seed, u64::from_le_bytes(*word));
            }
        }
        hash
    }
}

/// A multiplication to twice the width, folded: every bit of either number changes half of all bits.
#[inline]
fn mix(a: u64, b: u64) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let wide = u128::from(a ^ ODD) * u128::from(b ^ ODD.rotate_left(32));
    #[expect(clippy::cast_possible_truncation, reason = "both halves of the product are used")]
    let folded = (wide as u64) ^ ((wide >> 64) as u64);
    folded
}

impl Term {
    fn text<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        &text[self.start as usize..][..self.length as usize]
    }
}

impl Default for Inverter {
    fn default() -> Self {
        Self {
            seed: RandomState::new().hash_one(0),
            terms: HashTable::new(),
            text: Vec::new(),
            log: Vec::new(),
            ends: Vec::new(),
        }
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
        let key = Key::of(token);
        let hash = key.hash(token, self.seed);
        let length = count(token.len());
        let message = count(self.ends.len()) + 1;
        let text = &self.text;
        let is_same = |term: &Term| {
            term.key == key && term.length == length && (token.len() <= Key::WHOLE || term.text(text) == token)
        };
        if let Some(term) = self.terms.find_mut(hash, is_same) {
            if term.last != message {
                term.last = message;
                self.log.push(term.number);
            }
            return;
        }
        let term = Term {
            key,
            start: count(self.text.len()),
            length,
            number: count(self.terms.len()),
            last: message,
        };
        self.text.extend_from_slice(token);
        self.log.push(term.number);
        let (text, seed) = (&self.text, self.seed);
        self.terms
            .insert_unique(hash, term, |term| term.key.hash(term.text(text), seed));
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
        self.text.len() + self.terms.len() * 2 * size_of::<Term>() + self.log.len() * 8 + self.ends.len() * 4
    }

    /// Gives all messages that have ended, in the order of their tokens, and starts over.
    pub fn finish(&mut self) -> Inverted {
        let order = self.in_order();
        let mut counts = vec![0_u32; order.len()];
        for number in &self.log {
            counts[*number as usize] += 1;
        }
        // Where each term's messages begin, by its place in the order; then where the next one goes.
        let mut next = vec![0; order.len()];
        let mut start = 0_u32;
        for term in &order {
            next[term.number as usize] = start;
            start += counts[term.number as usize];
        }
        // Messages come in order, so that each term's are.
        let mut messages = vec![0_u32; self.log.len()];
        let mut from = 0;
        for (message, end) in self.ends.iter().enumerate() {
            for number in &self.log[from..*end as usize] {
                let place = &mut next[*number as usize];
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
        for term in &order {
            let (own, after) = rest.split_at(counts[term.number as usize] as usize);
            rest = after;
            inverted.push(term.text(&self.text), own);
        }
        inverted.deltas.shrink_to_fit();
        self.clear();
        inverted
    }

    /// All terms by their text.
    fn in_order(&self) -> Vec<Term> {
        // Most are told apart by their first bytes, which lie at hand.
        let mut order: Vec<(u64, Term)> = self
            .terms
            .iter()
            .map(|term| (beginning(term.text(&self.text)), *term))
            .collect();
        order.sort_unstable_by(|(a, a_term), (b, b_term)| {
            a.cmp(b)
                .then_with(|| a_term.text(&self.text).cmp(b_term.text(&self.text)))
        });
        order.into_iter().map(|(_, term)| term).collect()
    }

    fn clear(&mut self) {
        // What one huge message took is given back.
        self.terms.clear();
        self.terms.shrink_to(64 * 1024, |_| 0);
        for vector in [&mut self.log, &mut self.ends] {
            vector.clear();
            vector.shrink_to(1024 * 1024);
        }
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
