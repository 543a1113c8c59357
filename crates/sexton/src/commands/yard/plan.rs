//! The plan as a person confirms it.

use std::path::Path;

use sexton_register::SessionId;
use sexton_yard::facts::SessionFacts;

use crate::context::Context;
use crate::render::{Align, Cell, Column, Table, age, one_line, short_path, size};
use crate::roll::ShortIds;

/// One session of a plan.
pub(crate) struct PlanRow<'a> {
    /// Its id, or the name of what is no session.
    pub(crate) id: &'a str,
    /// What is known of it.
    pub(crate) facts: &'a SessionFacts,
    /// The instant that `AGE` counts from, in milliseconds since the Unix epoch.
    pub(crate) at_ms: Option<i64>,
    /// Bytes of all its files.
    pub(crate) bytes: u64,
    /// A word about it, such as where it is taken from.
    pub(crate) remark: String,
}

/// So many terminal columns have room for a plan with whole ids.
const WIDE: usize = 120;

/// The sessions of a plan as a table.
pub(crate) fn plan_table<'a>(rows: impl IntoIterator<Item = PlanRow<'a>>, context: &Context) -> String {
    let column = |title, align, least, most, dropped| Column {
        title,
        align,
        least,
        most,
        dropped,
    };
    let mut table = Table::new(vec![
        column("SESSION", Align::Left, 8, 36, 0),
        column("TITLE", Align::Left, 16, 50, 0),
        column("DIRECTORY", Align::LeftCutLeft, 14, 40, 1),
        column("AGE", Align::Right, 3, 4, 0),
        column("MESSAGES", Align::Right, 3, 8, 2),
        column("SIZE", Align::Right, 3, 6, 0),
        column("", Align::Left, 4, 30, 0),
    ]);
    let home = context.environment.home();
    let now_ms = context.now_ms();
    let rows: Vec<PlanRow<'_>> = rows.into_iter().collect();
    // Where a row has no room for whole ids, short ones say more than cut ones.
    let is_narrow = context.screen.columns.is_some_and(|columns| columns < WIDE);
    let sessions = || rows.iter().filter_map(|row| SessionId::parse(row.id).ok());
    let short = is_narrow.then(|| ShortIds::of_sessions(sessions()));
    let id = |row: &PlanRow<'_>| match (&short, SessionId::parse(row.id)) {
        (Some(short), Ok(session)) => short.get(session),
        _ => one_line(row.id),
    };
    for row in &rows {
        let directory = row
            .facts
            .directory
            .as_deref()
            .map(|path: &Path| short_path(path, home.as_deref()));
        table.push(vec![
            id(row).into(),
            row.facts.title.as_deref().map(one_line).unwrap_or_default().into(),
            directory.unwrap_or_default().into(),
            row.at_ms.map(|then| age(then, now_ms)).unwrap_or_default().into(),
            row.facts
                .messages
                .map(|count| count.to_string())
                .unwrap_or_default()
                .into(),
            size(row.bytes).into(),
            Cell::styled(&row.remark, context.screen.err.dim()),
        ]);
    }
    table.render(context.screen.columns, context.screen.err.header())
}
