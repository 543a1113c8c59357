//! Segments in the catalogue's own file: written once, merged a little with every commit, deleted a little at a time.
//!
//! Segments hold messages of disjoint ranges, so that the lists of neighbours are joined by writing one after the other. A commit merges
//! and deletes in proportion to what it writes: a small one is never held up by a large merge, which goes on where it stopped. Until
//! a merge is done, its inputs answer.

use rusqlite::{Connection, OptionalExtension, params};

use super::block::Block;
use super::invert::{Inverted, InvertedSource};
use super::merge::merge;
use super::policy;
use super::removed::Removed;
use super::stored::StoredSource;
use super::{Corrupt, number};

/// The tables; part of the catalogue's schema. Rows of `posting` fill one page each.
pub const TABLES: &str = "
CREATE TABLE segment (
    number INTEGER PRIMARY KEY,
    first INTEGER NOT NULL, last INTEGER NOT NULL,
    state INTEGER NOT NULL,
    next BLOB
);
CREATE TABLE posting (
    number INTEGER PRIMARY KEY,
    segment INTEGER NOT NULL, token BLOB NOT NULL, first INTEGER NOT NULL,
    block BLOB NOT NULL
);
CREATE INDEX posting_place ON posting(segment, token, first);
CREATE TABLE removed (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, since INTEGER NOT NULL);
";

/// So many blocks are merged and deleted for each that is written, and so many more with each commit.
const SHARE: usize = 8;
const LEAST: usize = 8;

/// What a segment is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It answers.
    Live = 0,
    /// It is being merged from the live ones in its range.
    Begun = 1,
    /// It was merged into another one.
    Dead = 2,
}

/// One segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) number: i64,
    /// The lowest and highest message it may name.
    pub(super) first: u64,
    pub(super) last: u64,
}

/// All segments that answer, lowest messages first.
pub(super) fn live(connection: &Connection) -> rusqlite::Result<Vec<Segment>> {
    let mut statement =
        connection.prepare_cached("SELECT number, first, last FROM segment WHERE state = 0 ORDER BY first")?;
    let segments: Vec<Segment> = statement
        .query_map([], |row| {
            Ok(Segment {
                number: row.get(0)?,
                first: row.get::<_, i64>(1)?.cast_unsigned(),
                last: row.get::<_, i64>(2)?.cast_unsigned(),
            })
        })?
        .collect::<Result<_, _>>()?;
    let in_order = segments.windows(2).all(|pair| pair[0].last < pair[1].first);
    if in_order && segments.iter().all(|segment| segment.first <= segment.last) {
        Ok(segments)
    } else {
        Err(Corrupt.into())
    }
}

/// Writes `units`, of which the first begins with message `first`, as a segment; then merges what is due.
pub(super) fn append(connection: &Connection, first: u64, units: &[&Inverted]) -> rusqlite::Result<()> {
    let mut end = first;
    let mut sources = Vec::new();
    for unit in units {
        sources.push(InvertedSource::new(unit, end));
        end += unit.messages();
    }
    if end == first {
        return Ok(());
    }
    let segment = begin(connection, first, end - 1, State::Live)?;
    let mut written = 0;
    merge(sources, first, &Removed::default(), usize::MAX, &mut |block| {
        written += 1;
        insert(connection, segment, block)
    })?;
    tend(connection, written * SHARE + LEAST)
}

fn begin(connection: &Connection, first: u64, last: u64, state: State) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("INSERT INTO segment(first, last, state, next) VALUES (?1, ?2, ?3, x'')")?
        .execute(params![number(first), number(last), state as i64])?;
    Ok(connection.last_insert_rowid())
}

fn insert(connection: &Connection, segment: i64, block: Block<'_>) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO posting(segment, token, first, block) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![segment, block.token, number(block.first), block.bytes])
        .map(|_| ())
}

/// Merges and deletes up to about `most` blocks.
fn tend(connection: &Connection, most: usize) -> rusqlite::Result<()> {
    let mut left = bury(connection, most)?;
    while left > 0 {
        let begun = connection
            .prepare_cached("SELECT number, first, last, next FROM segment WHERE state = 1")?
            .query_row([], |row| {
                let segment = Segment {
                    number: row.get(0)?,
                    first: row.get::<_, i64>(1)?.cast_unsigned(),
                    last: row.get::<_, i64>(2)?.cast_unsigned(),
                };
                Ok((segment, row.get::<_, Vec<u8>>(3)?))
            })
            .optional()?;
        match begun {
            Some((segment, next)) => left = go_on(connection, segment, &next, left)?,
            None if begin_merge(connection)? => {}
            None => return Ok(()),
        }
    }
    Ok(())
}

fn begin_merge(connection: &Connection) -> rusqlite::Result<bool> {
    let live = live(connection)?;
    let sizes: Vec<u64> = live.iter().map(|segment| segment.last - segment.first + 1).collect();
    let Some(range) = policy::choose(&sizes) else {
        return Ok(false);
    };
    let chosen = &live[range];
    if let (Some(first), Some(last)) = (chosen.first(), chosen.last()) {
        begin(connection, first.first, last.last, State::Begun)?;
    }
    Ok(true)
}

/// Goes on with a merge; gives how many blocks are left to be done.
fn go_on(connection: &Connection, output: Segment, next: &[u8], most: usize) -> rusqlite::Result<usize> {
    let mut inputs = live(connection)?;
    inputs.retain(|segment| segment.first >= output.first && segment.last <= output.last);
    let removed = Removed::load(connection, output.first, output.last)?;
    let sources = inputs
        .iter()
        .map(|segment| StoredSource::open(connection, segment.number, next))
        .collect::<rusqlite::Result<_>>()?;
    let mut written = 0;
    let next = merge(sources, output.first, &removed, most, &mut |block| {
        written += 1;
        insert(connection, output.number, block)
    })?;
    let mut set = connection.prepare_cached("UPDATE segment SET state = ?2, next = ?3 WHERE number = ?1")?;
    let Some(next) = next else {
        for input in inputs {
            set.execute(params![input.number, State::Dead as i64, b""])?;
        }
        set.execute(params![output.number, State::Live as i64, b""])?;
        Removed::forget_merged(connection, output.first, output.last)?;
        return bury(connection, most.saturating_sub(written));
    };
    set.execute(params![output.number, State::Begun as i64, next])?;
    Ok(0)
}

/// Deletes up to `most` blocks of dead segments; gives how many are left to be done.
fn bury(connection: &Connection, most: usize) -> rusqlite::Result<usize> {
    let mut left = most;
    while left > 0 {
        let dead: Option<i64> = connection
            .prepare_cached("SELECT number FROM segment WHERE state = 2")?
            .query_row([], |row| row.get(0))
            .optional()?;
        let Some(dead) = dead else { break };
        let deleted = connection
            .prepare_cached(
                "DELETE FROM posting WHERE number IN (SELECT number FROM posting WHERE segment = ?1 LIMIT ?2)",
            )?
            .execute(params![dead, i64::try_from(left).unwrap_or(i64::MAX)])?;
        if deleted < left {
            connection
                .prepare_cached("DELETE FROM segment WHERE number = ?1")?
                .execute([dead])?;
        }
        left -= deleted;
    }
    Ok(left)
}
