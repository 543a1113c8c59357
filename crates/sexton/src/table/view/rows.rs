//! Column headers and rows.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::columns::{GUTTER, Layout, layout};
use super::paint::{put, put_cell, put_pieces, scroll_bar, style, to_u16};
use crate::columns;
use crate::render::Cell;
use crate::render::table::GAP;
use crate::roll::Group;
use crate::table::model::{Entry, Line, Model, Section};

/// A note of which less can be seen says nothing.
const LEAST_NOTE: usize = 6;

/// Draws headers into the first line of `area` and rows into the others.
pub(super) fn draw(model: &Model, now_ms: i64, area: Rect, buffer: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let layout = layout(model);
    let body = Rect {
        y: area.y + 1,
        height: area.height - 1,
        ..area
    };
    if model.roster.lines().is_empty() {
        return empty(model, body, buffer);
    }
    headers(model, &layout, area, buffer);
    let lines = model.roster.lines();
    let top = model.viewport.top;
    for (row, line) in lines.iter().enumerate().skip(top).take(usize::from(body.height)) {
        let y = body.y + to_u16(row - top);
        match line {
            Line::Snippet(number) => {
                if let Some(found) = model.found.as_ref().and_then(|found| found.hits.get(*number)) {
                    let indent = to_u16(GUTTER + 1);
                    let room = body.width.saturating_sub(indent + 1);
                    put_pieces(buffer, (body.x + indent, y), room, &found.snippet);
                }
            }
            Line::Heading(section, count) => heading(model, *section, *count, body, y, buffer),
            Line::Session(at) => {
                if let Some(entry) = model.roster.entries().get(*at) {
                    let is_cursor = row == model.viewport.cursor;
                    session(
                        model,
                        entry,
                        is_cursor,
                        now_ms,
                        &layout,
                        Rect { y, height: 1, ..body },
                        buffer,
                    );
                }
            }
        }
    }
    scroll_bar(buffer, body, top, lines.len());
}

fn headers(model: &Model, layout: &Layout, area: Rect, buffer: &mut Buffer) {
    let header = style(model.styles.header());
    let columns = columns::all();
    let mut x = area.x + to_u16(GUTTER);
    for (at, width) in &layout.columns {
        let column = &columns[*at];
        // Ids are indented by the sign of the session one sits in.
        let title = if *at == 0 {
            format!(" {}", column.title)
        } else {
            column.title.to_owned()
        };
        put_cell(
            buffer,
            (x, area.y),
            to_u16(*width),
            &Cell::from(title),
            column.align,
            header,
        );
        x = x.saturating_add(to_u16(*width + GAP));
    }
    let dim = style(model.styles.dim());
    if layout.more_left {
        put(buffer, (area.x, area.y), 1, "<", dim);
    }
    if layout.more_right {
        put(buffer, (area.right() - 1, area.y), 1, ">", dim);
    }
}

fn heading(model: &Model, section: Section, count: usize, area: Rect, y: u16, buffer: &mut Buffer) {
    let name = match section {
        Section::There(Group::Live) => "live",
        Section::There(Group::LooseEnd) => "loose ends",
        Section::There(Group::Finished) => "finished",
        Section::PutAway(disposal) => disposal.as_str(),
    };
    let text = format!("{name} ({count})");
    put(buffer, (area.x, y), area.width, &text, style(model.styles.hint()));
}

fn session(
    model: &Model,
    entry: &Entry,
    is_cursor: bool,
    now_ms: i64,
    layout: &Layout,
    area: Rect,
    buffer: &mut Buffer,
) {
    let is_selected = model.selected.contains(&entry.row.session);
    let bar = Rect {
        width: area.width.saturating_sub(1),
        ..area
    };
    let base = match (is_cursor, is_selected) {
        (true, _) => Style::new().add_modifier(Modifier::REVERSED),
        (false, true) => Style::new().add_modifier(Modifier::BOLD),
        (false, false) => Style::new(),
    };
    buffer.set_style(bar, base);
    put(buffer, (area.x, area.y), 1, if is_cursor { ">" } else { " " }, base);
    put(
        buffer,
        (area.x + 1, area.y),
        1,
        if is_selected { "✓" } else { " " },
        base,
    );
    let cells = columns::cells(&entry.row, &entry.short_id, model.home.as_deref(), now_ms, model.styles);
    let columns = columns::all();
    let mut x = area.x + to_u16(GUTTER);
    for (at, width) in &layout.columns {
        let mut own = style(cells[*at].style);
        if is_cursor {
            // Faint on a bar in reverse can't be read.
            own = own.remove_modifier(Modifier::DIM);
        }
        put_cell(
            buffer,
            (x, area.y),
            to_u16(*width),
            &cells[*at],
            columns[*at].align,
            base.patch(own),
        );
        if *at == columns::NAME {
            let used = crate::render::width(&cells[*at].text) + GAP;
            let mut dim = style(model.styles.dim());
            if is_cursor {
                dim = dim.remove_modifier(Modifier::DIM);
            }
            let note = &cells[columns::NOTE].text;
            if let Some(room) = width.checked_sub(used + LEAST_NOTE - 1) {
                let room = room + LEAST_NOTE - 1;
                put(buffer, (x + to_u16(used), area.y), to_u16(room), note, base.patch(dim));
            }
        }
        x = x.saturating_add(to_u16(*width + GAP));
    }
}

/// Says why there are no rows, and what to do about it.
fn empty(model: &Model, area: Rect, buffer: &mut Buffer) {
    let hidden = model.roster.hidden();
    let all = hidden.finished + hidden.archived + hidden.deleted;
    let lines = if !model.is_loaded {
        ["Looking…".to_owned(), String::new()]
    } else if model.is_text_search() {
        match &model.found {
            Some(found) => [
                format!("Nothing that was said has `{}`.", found.query),
                found
                    .note
                    .clone()
                    .unwrap_or_else(|| "Tab looks at names instead.".to_owned()),
            ],
            None => ["Searching…".to_owned(), String::new()],
        }
    } else if !model.query.is_empty() {
        [
            format!("No session matches `{}`.", model.query),
            "Esc clears it.".to_owned(),
        ]
    } else if hidden.finished > 0 {
        [
            "Nothing runs, and nothing was left loose.".to_owned(),
            format!("Press a to see {} finished.", hidden.finished),
        ]
    } else if all > 0 {
        [
            "Nothing runs, and nothing was left loose.".to_owned(),
            "Press a twice to see what was put away.".to_owned(),
        ]
    } else {
        [
            "No sessions yet: they appear here as soon as Claude Code runs.".to_owned(),
            "`sexton demo` shows what that looks like.".to_owned(),
        ]
    };
    for (row, text) in lines.iter().enumerate() {
        put(
            buffer,
            (area.x + to_u16(GUTTER), area.y.saturating_add(to_u16(row))),
            area.width.saturating_sub(2),
            text,
            Style::new(),
        );
    }
}
