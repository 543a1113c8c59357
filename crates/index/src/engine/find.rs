//! Answering a question.

use rusqlite::Connection;

use super::cursor::{Cursor, Store};
use super::removed::Removed;
use super::{MessageNumber, Question, number, segments};

/// The messages that fulfil `question`, highest number first, at most `most`.
pub(super) fn find(
    connection: &Connection,
    question: Question<'_>,
    most: usize,
) -> rusqlite::Result<Vec<MessageNumber>> {
    let segments = segments::live(connection)?;
    let (Some(first), Some(last)) = (segments.first(), segments.last()) else {
        return Ok(Vec::new());
    };
    let removed = Removed::load(connection, first.first, last.last)?;
    let store = Store {
        connection,
        segments: &segments,
    };
    let mut all = Vec::new();
    if let Some(within) = question.within {
        all.push(Cursor::Within(within.clone()));
    }
    if let Some(plan) = question.plan {
        all.push(Cursor::of(&plan.needs, store, question.within.is_some()));
    }
    for marks in question.marks.iter().filter(|marks| !marks.is_empty()) {
        let any = marks.iter().map(|mark| Cursor::token(&mark.token(), store));
        all.push(Cursor::Any(any.collect()));
    }
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let excludes = question.plan.map_or(&[][..], |plan| &plan.excludes);
    let mut excludes: Vec<Cursor> = excludes.iter().map(|needs| Cursor::of(needs, store, true)).collect();
    let mut wanted = Cursor::all(all);
    let mut found = Vec::new();
    let mut next = Some(last.last);
    while let Some(at_most) = next
        && found.len() < most
    {
        let Some(message) = wanted.seek(store, at_most)? else {
            break;
        };
        if let Some(start) = removed.start_of(message) {
            next = start.checked_sub(1);
            continue;
        }
        next = message.checked_sub(1);
        let mut is_excluded = false;
        for exclude in &mut excludes {
            is_excluded = is_excluded || exclude.seek(store, message)? == Some(message);
        }
        if !is_excluded {
            found.push(number(message));
        }
    }
    Ok(found)
}
