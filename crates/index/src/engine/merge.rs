//! Several sources of tokens in order, made one.

use std::cell::Cell;

use super::Corrupt;
use super::block::{Block, Writer};
use super::invert::beginning;
use super::postings::{Deltas, Postings};
use super::removed::Removed;

/// Tokens in order with their messages.
pub(super) trait Source {
    /// The token at hand; `None` at the end.
    fn token(&self) -> Option<&[u8]>;

    /// Messages that have it: all, or the next of them if the same token comes again.
    fn postings(&self) -> Result<Postings<'_>, Corrupt>;

    /// Goes on.
    fn advance(&mut self) -> rusqlite::Result<()>;
}

/// Merges `sources`, of which each has higher messages than the one before, into blocks, without what is removed.
///
/// Stops at the first token after `most` blocks and gives it; `None` if all is done.
pub(super) fn merge<S: Source>(
    mut sources: Vec<S>,
    base: u64,
    removed: &Removed,
    most: usize,
    sink: &mut dyn FnMut(Block<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<Option<Vec<u8>>> {
    let written = Cell::new(0);
    let mut sink = |block: Block<'_>| {
        written.set(written.get() + 1);
        sink(block)
    };
    let mut writer = Writer::new(base);
    let mut beginnings: Vec<Option<u64>> = sources.iter().map(|source| source.token().map(beginning)).collect();
    let mut token = Vec::new();
    let mut kept = Deltas::default();
    while let Some(lowest) = lowest(&sources, &beginnings) {
        token.clear();
        token.extend_from_slice(sources[lowest].token().unwrap_or_default());
        if written.get() >= most {
            writer.finish(&mut sink)?;
            return Ok(Some(token));
        }
        let start = beginnings[lowest];
        for (source, beginning_of) in sources.iter_mut().zip(&mut beginnings).skip(lowest) {
            if *beginning_of != start {
                continue;
            }
            while source.token() == Some(&token[..]) {
                let postings = source.postings()?;
                if let Some(left) = removed.without(postings, &mut kept)? {
                    writer.add(&token, left, &mut sink)?;
                }
                source.advance()?;
            }
            *beginning_of = source.token().map(beginning);
        }
    }
    writer.finish(&mut sink)?;
    Ok(None)
}

/// The first of the sources that have the lowest token.
fn lowest<S: Source>(sources: &[S], beginnings: &[Option<u64>]) -> Option<usize> {
    let mut lowest: Option<(usize, u64)> = None;
    for (index, start) in beginnings.iter().enumerate() {
        let Some(start) = start else { continue };
        let is_lower = lowest.is_none_or(|(other, other_start)| {
            *start < other_start || (*start == other_start && sources[index].token() < sources[other].token())
        });
        if is_lower {
            lowest = Some((index, *start));
        }
    }
    lowest.map(|(index, _)| index)
}
