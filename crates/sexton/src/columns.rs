//! The columns of a session's row, as the list and the table show them.

use std::path::Path;

use crate::render::style::Styles;
use crate::render::{Align, Cell, Column, age, one_line, short_path, size, visible};
use crate::roll::{Group, Row};

/// Which column is the name's.
pub const NAME: usize = 3;

/// Which column is that of notes; the table shows them behind names instead.
pub const NOTE: usize = 10;

/// How many columns there are.
pub const COUNT: usize = 11;

/// The columns, in their order.
#[must_use]
pub fn all() -> Vec<Column> {
    let column = |title, align, least, most, dropped| Column {
        title,
        align,
        least,
        most,
        dropped,
    };
    vec![
        column("ID", Align::Left, 9, 37, 0),
        column("STATE", Align::Left, 10, 10, 0),
        column("KNOWN", Align::Left, 10, 10, 2),
        // What tells most gets what is left.
        column("NAME", Align::Left, 12, usize::MAX, 0),
        column("DIRECTORY", Align::LeftCutLeft, 14, usize::MAX, 1),
        column("MODEL", Align::Left, 15, 24, 3),
        column("VERSION", Align::Left, 7, 10, 5),
        column("AGE", Align::Right, 3, 4, 0),
        column("MEM", Align::Right, 3, 6, 4),
        column("CLEANUP", Align::Left, 7, 10, 6),
        column("NOTE", Align::Left, 12, usize::MAX, 7),
    ]
}

/// One cell for each of [`all`]; `short_id` is the shortest form of the session's id that means no other.
#[must_use]
pub fn cells(row: &Row, short_id: &str, home: Option<&Path>, now_ms: i64, styles: Styles) -> [Cell; COUNT] {
    let current = if row.is_current { "*" } else { " " };
    let over = if Group::of(row.state) == Group::Finished {
        styles.dim()
    } else {
        anstyle::Style::new()
    };
    let directory = row.directory().map(|directory| short_path(directory, home));
    let safe = |text: Option<&str>| text.map(|text| visible(text).into_owned()).unwrap_or_default();
    let active = row.last_activity_ms().map(|then| age(then, now_ms));
    [
        Cell::styled(format!("{current}{short_id}"), over),
        Cell::styled(row.state.as_str(), styles.state(row.state)),
        Cell::styled(row.evidence.as_str(), styles.dim()),
        Cell::styled(row.label().unwrap_or_default(), over),
        Cell::styled(directory.unwrap_or_default(), over),
        Cell::styled(safe(row.model()), styles.dim()),
        Cell::styled(safe(row.version()), styles.dim()),
        Cell::styled(active.unwrap_or_default(), over),
        Cell::styled(row.resident_bytes().map(size).unwrap_or_default(), styles.dim()),
        Cell::styled(cleanup(row, now_ms), styles.dim()),
        Cell::from(row.note().map(one_line).unwrap_or_default()),
    ]
}

/// When Claude Code will delete the transcript, and whether that would lose it: `12d`, or `12d copy` where a copy is kept.
fn cleanup(row: &Row, now_ms: i64) -> String {
    let due = row.sweep_due_ms.filter(|_| row.disposal.is_none());
    let due = due.map(|due| {
        if due <= now_ms {
            "due".to_owned()
        } else {
            age(now_ms, due)
        }
    });
    let copy = row.has_copy.then(|| "copy".to_owned());
    due.into_iter().chain(copy).collect::<Vec<_>>().join(" ")
}
