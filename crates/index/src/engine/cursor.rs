//! Going through the messages that fulfil a condition, highest number first, past all that can't count.

use rusqlite::Connection;

use super::block::Entries;
use super::segments::Segment;
use super::stored::StoredBlock;
use super::{Corrupt, MessageRanges, number};
use crate::tokens::Needs;

/// Where blocks are read from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Store<'s> {
    pub(super) connection: &'s Connection,
    /// The segments, lowest messages first.
    pub(super) segments: &'s [Segment],
}

/// The messages that fulfil a condition.
#[derive(Debug)]
pub(super) enum Cursor {
    Token(TokenCursor),
    Prefix(PrefixCursor),
    All(AllCursor),
    Any(Vec<Cursor>),
    Within(MessageRanges),
}

impl Cursor {
    /// With `is_narrow`, something else says where to look, and how common words are needn't be found out.
    pub(super) fn of(needs: &Needs, store: Store<'_>, is_narrow: bool) -> Self {
        let each = |list: &[Needs]| list.iter().map(|needs| Self::of(needs, store, is_narrow)).collect();
        match needs {
            Needs::Token(token) => Self::token(token, store),
            Needs::Prefix(prefix) => Self::Prefix(PrefixCursor {
                prefix: prefix.clone().into_bytes(),
                segments: store.segments.len(),
                numbers: Vec::new(),
            }),
            Needs::All(all) => Self::All(AllCursor {
                cursors: each(all),
                is_ordered: is_narrow,
            }),
            Needs::Any(any) => Self::Any(each(any)),
        }
    }

    /// What fulfils all of these, of which the first is asked first.
    pub(super) fn all(cursors: Vec<Self>) -> Self {
        Self::All(AllCursor {
            cursors,
            is_ordered: true,
        })
    }

    pub(super) fn token(token: &str, store: Store<'_>) -> Self {
        Self::Token(TokenCursor {
            token: token.as_bytes().to_vec(),
            segments: store.segments.len(),
            before: None,
            numbers: Vec::new(),
        })
    }

    /// The highest message that is at most `most`, of which each call asks for less than the one before.
    pub(super) fn seek(&mut self, store: Store<'_>, most: u64) -> rusqlite::Result<Option<u64>> {
        match self {
            Self::Token(cursor) => cursor.seek(store, most),
            Self::Prefix(cursor) => cursor.seek(store, most),
            Self::Within(ranges) => Ok(ranges.highest(most)),
            Self::Any(cursors) => {
                let mut highest = None;
                for cursor in cursors {
                    highest = highest.max(cursor.seek(store, most)?);
                }
                Ok(highest)
            }
            Self::All(all) => all.seek(store, most),
        }
    }

    /// About how many messages there are, in the newest segment.
    fn weight(&mut self, store: Store<'_>) -> rusqlite::Result<u64> {
        match self {
            Self::Token(cursor) => cursor.weight(store),
            // Going through its tokens is dear: others shall say first where.
            Self::Prefix(_) => Ok(u64::MAX),
            Self::Within(_) => Ok(0),
            Self::Any(cursors) => cursors
                .iter_mut()
                .try_fold(0_u64, |sum, cursor| Ok(sum.saturating_add(cursor.weight(store)?))),
            Self::All(all) => {
                all.order(store)?;
                match all.cursors.first_mut() {
                    Some(rarest) => rarest.weight(store),
                    None => Ok(0),
                }
            }
        }
    }
}

/// The messages that fulfil each of some conditions.
#[derive(Debug)]
pub(super) struct AllCursor {
    cursors: Vec<Cursor>,
    /// Whether they stand in the order in which they are asked.
    is_ordered: bool,
}

impl AllCursor {
    /// Has the rarest speak first, so that the common ones are only asked about what it has.
    fn order(&mut self, store: Store<'_>) -> rusqlite::Result<()> {
        if self.is_ordered {
            return Ok(());
        }
        self.is_ordered = true;
        let mut weighed = Vec::with_capacity(self.cursors.len());
        for mut cursor in self.cursors.drain(..) {
            weighed.push((cursor.weight(store)?, cursor));
        }
        weighed.sort_by_key(|(weight, _)| *weight);
        self.cursors.extend(weighed.into_iter().map(|(_, cursor)| cursor));
        Ok(())
    }

    fn seek(&mut self, store: Store<'_>, most: u64) -> rusqlite::Result<Option<u64>> {
        self.order(store)?;
        let mut candidate = most;
        let mut index = 0;
        while let Some(cursor) = self.cursors.get_mut(index) {
            let Some(found) = cursor.seek(store, candidate)? else {
                return Ok(None);
            };
            // The first one proposes; whoever doesn't have it sends everyone back to the first.
            index = if found < candidate && index > 0 { 0 } else { index + 1 };
            candidate = found;
        }
        Ok(Some(candidate))
    }
}

/// The messages that have a token.
#[derive(Debug)]
pub(super) struct TokenCursor {
    token: Vec<u8>,
    /// The segment at hand is the one before this index.
    segments: usize,
    /// Within it, what comes before this message isn't loaded yet.
    before: Option<i64>,
    /// Loaded, and not passed over yet.
    numbers: Vec<u64>,
}

impl TokenCursor {
    /// How many messages of the newest segment have it, or a block full of them if that is less.
    fn weight(&mut self, store: Store<'_>) -> rusqlite::Result<u64> {
        if self.numbers.is_empty()
            && let Some(index) = self.segments.checked_sub(1)
        {
            self.load(store, store.segments[index], i64::MAX)?;
        }
        Ok(self.numbers.len() as u64)
    }

    fn seek(&mut self, store: Store<'_>, most: u64) -> rusqlite::Result<Option<u64>> {
        loop {
            if self.numbers.first().is_some_and(|first| *first <= most) {
                pass(&mut self.numbers, most);
                return Ok(self.numbers.last().copied());
            }
            self.numbers.clear();
            let Some(index) = self.segments.checked_sub(1) else {
                return Ok(None);
            };
            if !self.load(store, store.segments[index], number(most))? {
                self.segments = index;
                self.before = None;
            }
        }
    }

    /// Loads what has messages up to `most`; false if there is nothing left in `segment`.
    fn load(&mut self, store: Store<'_>, segment: Segment, most: i64) -> rusqlite::Result<bool> {
        if number(segment.first) > most || self.before == Some(i64::MIN) {
            return Ok(false);
        }
        let key = self.before.map_or(most, |before| most.min(before));
        let (token, numbers) = (&self.token, &mut self.numbers);
        let before = StoredBlock::look_at(store.connection, segment.number, token, key, |block| {
            let Some(postings) = Entries::of(block.bytes)?.find(token)? else {
                return Ok(None);
            };
            postings.decode(numbers)?;
            // In the middle of a block a token begins; at its beginning it may go on from the block before.
            let begins = block.token != token;
            Ok(Some(if begins {
                i64::MIN
            } else {
                number(block.first).saturating_sub(1)
            }))
        })?;
        self.before = before.flatten();
        Ok(self.before.is_some())
    }
}

/// Takes off the end what is above `most`: near the end, most often.
fn pass(numbers: &mut Vec<u64>, most: u64) {
    let mut step = 1;
    let mut end = numbers.len();
    while end > 0 && numbers[end - 1] > most {
        let below = end.saturating_sub(step);
        if below > 0 && numbers[below] > most {
            end = below;
            step *= 2;
        } else {
            end = below + numbers[below..end].partition_point(|number| *number <= most);
            break;
        }
    }
    numbers.truncate(end);
}

/// The messages that have a token with a beginning.
#[derive(Debug)]
pub(super) struct PrefixCursor {
    prefix: Vec<u8>,
    segments: usize,
    numbers: Vec<u64>,
}

/// A segment of more messages than this is none: beyond it, a table of them would not fit.
const MOST_MESSAGES: u64 = 1 << 30;

impl PrefixCursor {
    fn seek(&mut self, store: Store<'_>, most: u64) -> rusqlite::Result<Option<u64>> {
        loop {
            pass(&mut self.numbers, most);
            if let Some(last) = self.numbers.last() {
                return Ok(Some(*last));
            }
            let Some(index) = self.segments.checked_sub(1) else {
                return Ok(None);
            };
            self.segments = index;
            if store.segments[index].first <= most {
                self.load(store, store.segments[index])?;
            }
        }
    }

    fn load(&mut self, store: Store<'_>, segment: Segment) -> rusqlite::Result<()> {
        let count = segment.last - segment.first;
        if count > MOST_MESSAGES {
            return Err(Corrupt.into());
        }
        // One bit a message: a short beginning has more tokens than messages.
        let mut bits = vec![0_u64; usize::try_from(count / 64 + 1).map_err(|_| Corrupt)?];
        let first = match StoredBlock::before(store.connection, segment.number, &self.prefix)? {
            Some(block) => Some(block),
            None => StoredBlock::first(store.connection, segment.number)?,
        };
        let mut next = first;
        while let Some(block) = next.take() {
            let mut entries = Entries::of(&block.bytes)?;
            let mut has_passed = false;
            while let Some((token, postings)) = entries.next()? {
                if token.starts_with(&self.prefix) {
                    postings.each(|message| {
                        let index = message.wrapping_sub(segment.first);
                        if let Some(word) = usize::try_from(index / 64).ok().and_then(|word| bits.get_mut(word)) {
                            *word |= 1 << (index % 64);
                        }
                    })?;
                } else if token > &self.prefix[..] {
                    has_passed = true;
                    break;
                }
            }
            if !has_passed {
                next = block.next(store.connection, segment.number)?;
            }
        }
        for (word, mut left) in (0_u64..).zip(bits) {
            while left != 0 {
                self.numbers
                    .push(segment.first + word * 64 + u64::from(left.trailing_zeros()));
                left &= left - 1;
            }
        }
        Ok(())
    }
}
