//! Where messages stand, a span of a file's consecutive messages in one row: a row for each would cost more than its words do.
//!
//! A span is a version, and of each message its kind and flags, and as far as the flags say so: the distance in lines and in bytes to the
//! line of the message before, the part of the line, and the distance in time.

use rusqlite::{Connection, OptionalExtension, params};

use crate::engine::{Corrupt, MessageNumber, MessageRanges, varint};
use crate::message::Kind;

/// The table; part of the catalogue's schema.
pub(crate) const TABLES: &str = "
CREATE TABLE span (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, file INTEGER NOT NULL, messages BLOB NOT NULL);
CREATE INDEX span_of_file ON span(file, first, last);
";

/// The version of spans, their first byte.
const VERSION: u8 = 1;

/// So many messages are in a span at most: one that is looked up costs reading those before it.
const MOST: usize = 128;

const KIND: u8 = 0x0F;
const SAME_LINE: u8 = 0x10;
const HAS_PART: u8 = 0x20;
const HAS_TIME: u8 = 0x40;

/// Where a message stands, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed {
    /// The line, from 1.
    pub(crate) line: u64,
    /// Where the line begins, in bytes.
    pub(crate) offset: u64,
    /// Which part of the line, from 0.
    pub(crate) part: u32,
    pub(crate) kind: Kind,
    pub(crate) at_ms: Option<i64>,
}

/// A span as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) count: u32,
    bytes: Vec<u8>,
}

/// The last message's place, from which the next one's is told.
#[derive(Debug, Clone, Copy, Default)]
struct Before {
    line: u64,
    offset: u64,
    at_ms: i64,
}

/// Cuts `messages` of one file, in order, into spans.
pub(crate) fn spans_of(messages: &[Placed]) -> Vec<Span> {
    messages.chunks(MOST).map(encode).collect()
}

fn encode(messages: &[Placed]) -> Span {
    let mut bytes = vec![VERSION];
    let mut before = Before::default();
    for message in messages {
        let is_same = message.line == before.line;
        let mut head = message.kind.number() & KIND;
        for (flag, holds) in [
            (SAME_LINE, is_same),
            (HAS_PART, message.part > 0),
            (HAS_TIME, message.at_ms.is_some()),
        ] {
            head |= if holds { flag } else { 0 };
        }
        bytes.push(head);
        if !is_same {
            varint::put(message.line.wrapping_sub(before.line), &mut bytes);
            varint::put(message.offset.wrapping_sub(before.offset), &mut bytes);
        }
        if message.part > 0 {
            varint::put(u64::from(message.part), &mut bytes);
        }
        if let Some(at_ms) = message.at_ms {
            let distance = at_ms.wrapping_sub(before.at_ms);
            // Times mostly rise, and small numbers of either sign shall be short.
            varint::put(((distance << 1) ^ (distance >> 63)).cast_unsigned(), &mut bytes);
            before.at_ms = at_ms;
        }
        (before.line, before.offset) = (message.line, message.offset);
    }
    Span {
        count: u32::try_from(messages.len()).unwrap_or(u32::MAX),
        bytes,
    }
}

/// The messages of a stored span.
pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<Placed>, Corrupt> {
    let (version, mut rest) = bytes.split_first().ok_or(Corrupt)?;
    if *version != VERSION {
        return Err(Corrupt);
    }
    let mut messages = Vec::new();
    let mut before = Before::default();
    while let Some((head, after)) = rest.split_first() {
        rest = after;
        let mut take = || varint::take(&mut rest).ok_or(Corrupt);
        if head & SAME_LINE == 0 {
            before.line = before.line.wrapping_add(take()?);
            before.offset = before.offset.wrapping_add(take()?);
        }
        let part = match head & HAS_PART {
            0 => 0,
            _ => u32::try_from(take()?).map_err(|_| Corrupt)?,
        };
        let at_ms = if head & HAS_TIME == 0 {
            None
        } else {
            let distance = take()?;
            let distance = (distance >> 1).cast_signed() ^ -(distance & 1).cast_signed();
            before.at_ms = before.at_ms.wrapping_add(distance);
            Some(before.at_ms)
        };
        messages.push(Placed {
            line: before.line,
            offset: before.offset,
            part,
            kind: Kind::from_number(head & KIND),
            at_ms,
        });
    }
    Ok(messages)
}

/// Writes down `spans` of `file`, whose messages are numbered from `first`; gives the number after the last.
pub(crate) fn insert(
    connection: &Connection,
    file: i64,
    spans: &[Span],
    mut first: MessageNumber,
) -> rusqlite::Result<MessageNumber> {
    let mut insert =
        connection.prepare_cached("INSERT INTO span(first, last, file, messages) VALUES (?1, ?2, ?3, ?4)")?;
    for span in spans {
        let after = first + i64::from(span.count);
        insert.execute(params![first, after - 1, file, span.bytes])?;
        first = after;
    }
    Ok(first)
}

/// Removes all spans of a file; gives the ranges they had.
pub(crate) fn remove(connection: &Connection, file: i64) -> rusqlite::Result<MessageRanges> {
    let ranges = of_file(connection, file)?;
    connection
        .prepare_cached("DELETE FROM span WHERE file = ?1")?
        .execute([file])?;
    Ok(ranges)
}

/// The messages of each file of a session.
pub(crate) fn of_files(connection: &Connection, session: i64) -> rusqlite::Result<Vec<MessageRanges>> {
    let files = connection
        .prepare_cached("SELECT number FROM file WHERE session = ?1")?
        .query_map([session], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    files.into_iter().map(|file| of_file(connection, file)).collect()
}

/// The messages of a file.
fn of_file(connection: &Connection, file: i64) -> rusqlite::Result<MessageRanges> {
    let ranges = connection
        .prepare_cached("SELECT first, last FROM span WHERE file = ?1")?
        .query_map([file], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(MessageRanges::of(ranges))
}

/// The messages of some sessions.
pub(crate) fn of_sessions(
    connection: &Connection,
    sessions: impl IntoIterator<Item = i64>,
) -> rusqlite::Result<MessageRanges> {
    let mut statement = connection
        .prepare_cached("SELECT first, last FROM file JOIN span ON span.file = file.number WHERE file.session = ?1")?;
    let mut ranges = Vec::new();
    for session in sessions {
        let mut rows = statement.query([session])?;
        while let Some(row) = rows.next()? {
            ranges.push((row.get(0)?, row.get(1)?));
        }
    }
    Ok(MessageRanges::of(ranges))
}

/// Looks up messages; quick if the next one is in the same span.
#[derive(Debug)]
pub(crate) struct Lookup<'c> {
    connection: &'c Connection,
    first: MessageNumber,
    file: i64,
    messages: Vec<Placed>,
}

impl<'c> Lookup<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            first: 0,
            file: 0,
            messages: Vec::new(),
        }
    }

    /// The file and place of a message; `None` if it is gone.
    pub(crate) fn find(&mut self, number: MessageNumber) -> Result<Option<(i64, Placed)>, rusqlite::Error> {
        if let Some(found) = self.at_hand(number) {
            return Ok(Some(found));
        }
        let row = self
            .connection
            .prepare_cached("SELECT first, file, messages FROM span WHERE first <= ?1 ORDER BY first DESC LIMIT 1")?
            .query_row([number], |row| {
                let messages = decode(row.get_ref(2)?.as_blob()?)?;
                Ok((row.get(0)?, row.get(1)?, messages))
            })
            .optional()?;
        let Some(row) = row else { return Ok(None) };
        (self.first, self.file, self.messages) = row;
        Ok(self.at_hand(number))
    }

    fn at_hand(&self, number: MessageNumber) -> Option<(i64, Placed)> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        Some((self.file, *self.messages.get(index)?))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn placed(line: u64, part: u32, kind: Kind, at_ms: Option<i64>) -> Placed {
        Placed {
            line,
            offset: line * 1000,
            part,
            kind,
            at_ms,
        }
    }

    #[test]
    fn the_bytes_of_a_span() {
        let messages = [
            placed(3, 0, Kind::Prompt, Some(1_767_268_800_000)),
            placed(4, 0, Kind::Answer, Some(1_767_268_801_500)),
            placed(4, 1, Kind::ToolCall, Some(1_767_268_801_500)),
            placed(9, 0, Kind::Title, None),
        ];
        let spans = spans_of(&messages);
        assert_eq!(spans.len(), 1);
        insta::assert_snapshot!(spans[0].bytes.escape_ascii().to_string());
    }

    #[test]
    fn a_newer_span_is_not_guessed_at() {
        assert_eq!(decode(&[VERSION + 1]), Err(Corrupt));
        assert_eq!(decode(&[]), Err(Corrupt));
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(
            messages in proptest::collection::vec((1_u64..9, any::<u64>(), 0_u32..3, 0_u8..7, any::<Option<i64>>()), 0..300),
        ) {
            let mut line = 0;
            let mut offset = 0;
            let messages: Vec<Placed> = messages
                .into_iter()
                .map(|(lines, bytes, part, kind, at_ms)| {
                    if lines > 2 {
                        line += lines - 2;
                        offset = bytes;
                    }
                    Placed { line: line + 1, offset, part, kind: Kind::from_number(kind), at_ms }
                })
                .collect();
            let spans = spans_of(&messages);
            let decoded: Vec<Placed> = spans.iter().flat_map(|span| decode(&span.bytes).unwrap()).collect();
            prop_assert_eq!(decoded, messages);
        }

        #[test]
        fn any_bytes_are_decoded_or_refused(bytes: Vec<u8>) {
            let mut known = vec![VERSION];
            known.extend(&bytes);
            let _ = (decode(&bytes), decode(&known));
        }
    }
}
