//! Turning messages into tokens with their messages, in memory: what readers do side by side, before one of them writes.

use std::hash::{BuildHasher, RandomState};

use super::merge::Source;
use super::postings::Postings;
use super::{Corrupt, varint};

/// Takes the tokens of messages, one after the other.
///
/// Made once and emptied by [`Inverter::finish`], so that it allocates little. Nearly all its time is waiting for memory: most words are
/// rare, and their places in the table are in no cache. So words that were just seen are passed over, and the others are looked up some
/// at a time, after their places have been asked for all at once.
#[derive(Debug)]
pub struct Inverter {
    /// Different in each process, so that no transcript can be made of tokens that all lie in one place of the table.
    seed: u64,
    /// Tokens of the message at hand that were just seen, by their hash.
    recent: Box<[Recent; RECENT]>,
    /// Tokens that are to be looked up, with their text.
    waiting: Vec<Waiting>,
    waiting_text: Vec<u8>,
    table: Table,
    /// The text of all terms.
    text: Vec<u8>,
    /// The number of each distinct token of each message.
    log: Vec<u32>,
    /// Where each message's part of `log` ends.
    ends: Vec<u32>,
}

/// So many tokens are remembered as just seen: what fits into the processor's nearest cache beside all else.
const RECENT: usize = 512;

/// So many are looked up at a time.
const AT_ONCE: usize = 32;

/// So many different tokens of one message are taken: what has more is data, and memory has a bound.
pub(super) const MOST_OF_ONE: usize = 400_000;

#[derive(Debug, Clone, Copy, Default)]
struct Recent {
    key: Key,
    length: u32,
    message: u32,
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    key: Key,
    hash: u64,
    start: u32,
    length: u32,
}

/// A token that was seen; half a line of the processor's cache holds all that a look-up needs.
#[derive(Debug, Clone, Copy, Default)]
struct Term {
    key: Key,
    /// Where its text begins.
    start: u32,
    /// Zero for a free place.
    length: u32,
    /// In the order in which terms were seen first.
    number: u32,
    /// One more than the last message that has it.
    last: u32,
}

/// Terms by their hash, each at its place or the next free one after it.
#[derive(Debug, Default)]
struct Table {
    /// A power of two, or none; at least half of them are free.
    places: Vec<Term>,
    count: usize,
}

impl Table {
    fn place(&self, hash: u64) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "the lowest bits are what is wanted")]
        let place = hash as usize;
        place & (self.places.len() - 1)
    }

    /// Makes room for `more` terms.
    fn reserve(&mut self, more: usize, hash: impl Fn(&Term) -> u64) {
        let needed = ((self.count + more) * 2).next_power_of_two();
        if needed <= self.places.len() {
            return;
        }
        let before = std::mem::replace(&mut self.places, vec![Term::default(); needed]);
        for term in before.into_iter().filter(|term| term.length > 0) {
            let mut place = self.place(hash(&term));
            while self.places[place].length > 0 {
                place = (place + 1) % self.places.len();
            }
            self.places[place] = term;
        }
    }

    /// Has the processor fetch the places of these, without waiting for one to ask for the next.
    fn fetch(&self, hashes: impl Iterator<Item = u64>) {
        let touched = hashes.fold(0, |all, hash| all ^ self.places[self.place(hash)].number);
        std::hint::black_box(touched);
    }

    fn terms(&self) -> impl Iterator<Item = &Term> {
        self.places.iter().filter(|term| term.length > 0)
    }

    fn clear(&mut self) {
        self.count = 0;
        // What one huge message took is given back.
        if self.places.len() > 256 * 1024 {
            self.places = Vec::new();
        } else {
            self.places.fill(Term::default());
        }
    }
}

/// The bytes of a token at both ends: with the length, all of it up to [`Key::WHOLE`] bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
            recent: Box::new([Recent::default(); RECENT]),
            waiting: Vec::with_capacity(AT_ONCE),
            waiting_text: Vec::new(),
            table: Table::default(),
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

    /// Adds a token to the message at hand; an empty one is none.
    #[inline]
    pub fn add(&mut self, token: &str) {
        let token = token.as_bytes();
        let key = Key::of(token);
        let hash = key.hash(token, self.seed);
        let length = count(token.len());
        let message = self.message();
        if token.len() <= Key::WHOLE {
            // The highest bits: the table takes the lowest.
            let recent = &mut self.recent[(hash >> 48) as usize % RECENT];
            if recent.key == key && recent.length == length && recent.message == message {
                return;
            }
            *recent = Recent { key, length, message };
        }
        self.waiting.push(Waiting {
            key,
            hash,
            start: count(self.waiting_text.len()),
            length,
        });
        self.waiting_text.extend_from_slice(token);
        if self.waiting.len() >= AT_ONCE {
            self.look_up();
        }
    }

    /// One more than the index of the message at hand.
    fn message(&self) -> u32 {
        count(self.ends.len()) + 1
    }

    /// Looks up what waits.
    fn look_up(&mut self) {
        let message = self.message();
        let start = self.ends.last().map_or(0, |end| *end as usize);
        let (text, seed) = (&mut self.text, self.seed);
        self.table
            .reserve(self.waiting.len(), |term| term.key.hash(term.text(text), seed));
        self.table.fetch(self.waiting.iter().map(|waiting| waiting.hash));
        for waiting in self.waiting.drain(..) {
            let token = &self.waiting_text[waiting.start as usize..][..waiting.length as usize];
            if token.is_empty() || self.log.len() - start >= MOST_OF_ONE {
                continue;
            }
            let mut place = self.table.place(waiting.hash);
            loop {
                let term = &mut self.table.places[place];
                if term.length == 0 {
                    *term = Term {
                        key: waiting.key,
                        start: count(text.len()),
                        length: waiting.length,
                        number: count(self.table.count),
                        last: message,
                    };
                    text.extend_from_slice(token);
                    self.log.push(term.number);
                    self.table.count += 1;
                    break;
                }
                let is_same = term.key == waiting.key
                    && term.length == waiting.length
                    && (token.len() <= Key::WHOLE || term.text(text) == token);
                if is_same {
                    if term.last != message {
                        term.last = message;
                        self.log.push(term.number);
                    }
                    break;
                }
                place = (place + 1) % self.table.places.len();
            }
        }
        self.waiting_text.clear();
    }

    /// Ends the message at hand.
    pub fn end_message(&mut self) {
        self.look_up();
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
        self.text.len() + self.table.count * 3 * size_of::<Term>() + self.log.len() * 8 + self.ends.len() * 4
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
            .table
            .terms()
            .map(|term| (beginning(term.text(&self.text)), *term))
            .collect();
        order.sort_unstable_by(|(a, a_term), (b, b_term)| {
            a.cmp(b)
                .then_with(|| a_term.text(&self.text).cmp(b_term.text(&self.text)))
        });
        order.into_iter().map(|(_, term)| term).collect()
    }

    fn clear(&mut self) {
        self.recent.fill(Recent::default());
        self.table.clear();
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
    if let Some(bytes) = token.first_chunk::<8>() {
        return u64::from_be_bytes(*bytes);
    }
    let mut bytes = [0; 8];
    bytes[..token.len()].copy_from_slice(token);
    u64::from_be_bytes(bytes)
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
