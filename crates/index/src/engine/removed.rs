//! Messages that are gone while segments still name them.

use std::ops::RangeInclusive;

use rusqlite::Connection;

use super::postings::{Deltas, Postings};
use super::{Corrupt, number};

/// Ranges of removed messages, in order.
#[derive(Debug, Default)]
pub(super) struct Removed {
    ranges: Vec<(u64, u64)>,
}

impl Removed {
    /// Those between `first` and `last`.
    pub(super) fn load(connection: &Connection, first: u64, last: u64) -> rusqlite::Result<Self> {
        let mut statement = connection
            .prepare_cached("SELECT first, last FROM removed WHERE last >= ?1 AND first <= ?2 ORDER BY first")?;
        let ranges = statement.query_map([number(first), number(last)], |row| {
            Ok((
                row.get::<_, i64>(0)?.cast_unsigned(),
                row.get::<_, i64>(1)?.cast_unsigned(),
            ))
        })?;
        Ok(Self {
            ranges: ranges.collect::<Result<_, _>>()?,
        })
    }

    /// Writes down that these are gone, which segments up to the newest don't know.
    pub(super) fn add(connection: &Connection, messages: RangeInclusive<u64>) -> rusqlite::Result<()> {
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO removed(first, last, since)
                 VALUES (?1, ?2, (SELECT coalesce(max(number), 0) FROM segment))",
            )?
            .execute([number(*messages.start()), number(*messages.end())])
            .map(|_| ())
    }

    /// Forgets those between `first` and `last` that no segment names any more.
    ///
    /// A segment that was begun later was made without them.
    pub(super) fn forget_merged(connection: &Connection, first: u64, last: u64) -> rusqlite::Result<()> {
        connection
            .prepare_cached(
                "DELETE FROM removed WHERE last >= ?1 AND first <= ?2 AND NOT EXISTS (
                    SELECT 1 FROM segment WHERE state <> 2 AND number <= since AND segment.last >= removed.first AND segment.first <= removed.last)",
            )?
            .execute([number(first), number(last)])
            .map(|_| ())
    }

    /// The first of the range that `message` lies in.
    pub(super) fn start_of(&self, message: u64) -> Option<u64> {
        let after = self.ranges.partition_point(|(first, _)| *first <= message);
        let (first, last) = self.ranges.get(after.checked_sub(1)?)?;
        (message <= *last).then_some(*first)
    }

    /// `postings` without what is removed; `None` if nothing is left.
    pub(super) fn without<'p>(
        &self,
        postings: Postings<'p>,
        room: &'p mut Deltas,
    ) -> Result<Option<Postings<'p>>, Corrupt> {
        if self.ranges.is_empty() {
            return Ok(Some(postings));
        }
        room.clear();
        let mut pushed = Ok(());
        postings.each(|message| {
            if self.start_of(message).is_none() && pushed.is_ok() {
                pushed = room.push(Postings::one(message));
            }
        })?;
        pushed?;
        Ok((!room.is_empty()).then(|| room.as_postings()))
    }
}
