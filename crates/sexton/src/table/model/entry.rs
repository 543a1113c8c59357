//! One session with what the table keeps ready for it.

use std::path::Path;

use nucleo_matcher::Utf32String;

use crate::columns;
use crate::render::style::Styles;
use crate::render::table::GAP;
use crate::render::{short_path, width};
use crate::roll::{Facts, Row};

/// A row, and what would be too slow to make anew for ten thousand rows at each key.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The row.
    pub row: Row,
    /// The shortest form of its id that means no other.
    pub short_id: String,
    /// How wide each of its cells is, in terminal columns.
    pub widths: [u16; columns::COUNT],
    /// What a filter looks at: name, title, the mark's note, directory, state and short id.
    pub haystack: Utf32String,
}

impl Entry {
    /// Makes a row ready.
    #[must_use]
    pub fn new(row: Row, short_id: String, home: Option<&Path>, now_ms: i64) -> Self {
        let cells = columns::cells(&row, &short_id, home, now_ms, Styles::new(false));
        let mut widths = cells.map(|cell| u16::try_from(width(&cell.text)).unwrap_or(u16::MAX));
        // Notes stand behind names, where these leave room.
        let note = widths[columns::NOTE];
        if note > 0 {
            let gap = u16::try_from(GAP).unwrap_or_default();
            widths[columns::NAME] = widths[columns::NAME].saturating_add(gap).saturating_add(note);
        }
        Self {
            haystack: haystack(&row, &short_id, home).into(),
            widths,
            row,
            short_id,
        }
    }

    /// The same session with what its transcript says by now.
    #[must_use]
    pub fn with_facts(mut self, facts: Facts, home: Option<&Path>, now_ms: i64) -> Self {
        self.row.facts = Some(facts);
        Self::new(self.row, self.short_id, home, now_ms)
    }
}

fn haystack(row: &Row, short_id: &str, home: Option<&Path>) -> String {
    let name = row.label().unwrap_or_default();
    let title = row.title().filter(|_| row.name.is_some()).unwrap_or_default();
    let directory = row.directory().map(|path| short_path(path, home)).unwrap_or_default();
    let note = row.note().unwrap_or_default();
    format!("{name} {title} {note} {directory} {} {short_id}", row.state)
}
