//! The last line, or lines: a question, else news, else keys.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::paint::{put, put_pieces, style, to_u16};
use crate::render::{Cell, width};
use crate::table::keys::{Mode, in_mode};
use crate::table::model::{LineEdit, Model, Notice, PageLine, Prompt, Purpose, Scope};

/// So much of the screen is there for news, at most.
const MOST_OF_SCREEN: u16 = 2;

/// How many lines it takes of `screen`: one, but for news that are longer.
pub(super) fn height(model: &Model, screen: Rect) -> u16 {
    let news = model.notice.as_ref().filter(|_| model.prompt.is_none());
    let rows = news.map_or(1, |notice| rows(notice, screen.width).len());
    to_u16(rows).clamp(1, (screen.height / MOST_OF_SCREEN).max(1))
}

fn rows(notice: &Notice, columns: u16) -> Vec<String> {
    let rows = PageLine::text(notice.text.as_str()).wrap(usize::from(columns));
    let text = |row: Vec<Cell>| row.into_iter().map(|cell| cell.text).collect();
    rows.into_iter().map(text).collect()
}

fn news(notice: &Notice, own: Style, area: Rect, buffer: &mut Buffer) {
    let rows = rows(notice, area.width);
    let (shown, last) = (usize::from(area.height), area.height.saturating_sub(1));
    for y in area.top()..area.bottom() {
        put(
            buffer,
            (area.x, y),
            area.width,
            &" ".repeat(usize::from(area.width)),
            Style::reset(),
        );
    }
    for (row, text) in rows.iter().take(shown.saturating_sub(1)).enumerate() {
        put(buffer, (area.x, area.y + to_u16(row)), area.width, text, own);
    }
    // Whatever still doesn't fit is cut where it can be seen to be.
    let rest: String = rows.iter().skip(shown.saturating_sub(1)).map(String::as_str).collect();
    put(buffer, (area.x, area.y + last), area.width, &rest, own);
}

/// Draws the lines; returns where the terminal's cursor belongs while something is typed.
pub(super) fn draw(model: &Model, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    match &model.prompt {
        Some(Prompt::Text(purpose, line)) => return Some(typing(model, *purpose, line, area, buffer)),
        Some(Prompt::Mark { note }) => mark(model, note.as_deref(), area, buffer),
        None => match &model.notice {
            Some(notice) => {
                let own = if notice.is_error {
                    style(model.styles.error())
                } else {
                    style(model.styles.header())
                };
                news(notice, own, area, buffer);
            }
            None => hints(model, model.mode(), area, buffer),
        },
    }
    None
}

fn typing(model: &Model, purpose: Purpose, line: &LineEdit, area: Rect, buffer: &mut Buffer) -> Position {
    let label = match purpose {
        Purpose::Filter if model.scope == Scope::Text => "said: ",
        Purpose::Filter => "/",
        Purpose::MarkNote | Purpose::Note => "note: ",
        Purpose::Find => "find: ",
    };
    let used = put(buffer, (area.x, area.y), area.width, label, style(model.styles.hint()));
    let mut room = area.width.saturating_sub(used).max(1);
    let hint = match (purpose, model.scope) {
        (Purpose::Filter, Scope::Names) => "Tab: in what was said  Enter: keep  Esc: clear",
        (Purpose::Filter, Scope::Text) => "Tab: in names  Enter: keep  Esc: clear",
        _ => "",
    };
    let hint_width = to_u16(width(hint));
    // The text comes first; the hint stands where there is room for both.
    if hint_width > 0 && usize::from(room) > width(line.text()) + usize::from(hint_width) + 2 {
        let at = (area.right() - hint_width, area.y);
        put(buffer, at, hint_width, hint, style(model.styles.dim()));
        room -= hint_width + 1;
    }
    // Scrolled so that the cursor is seen, with a column to spare for it.
    let before = to_u16(line.columns_before_cursor());
    let shift = before.saturating_sub(room - 1);
    let shown = behind(line.text(), usize::from(shift));
    put(buffer, (area.x + used, area.y), room, shown, Style::new());
    Position {
        x: (area.x + used + before - shift).min(area.right().saturating_sub(1)),
        y: area.y,
    }
}

/// `text` without what stands in its first `columns`.
fn behind(text: &str, columns: usize) -> &str {
    use unicode_segmentation::UnicodeSegmentation;
    let mut used = 0;
    for (at, cluster) in text.grapheme_indices(true) {
        if used >= columns {
            return &text[at..];
        }
        used += width(cluster);
    }
    ""
}

fn mark(model: &Model, note: Option<&str>, area: Rect, buffer: &mut Buffer) {
    let targets = model.targets();
    let what = match targets.as_slice() {
        [one] => model.label(*one),
        several => format!("{} sessions", several.len()),
    };
    let mut pieces = vec![
        Cell::styled("mark ", model.styles.hint()),
        Cell::from(what),
        Cell::from(note.map(|note| format!(" ({note})")).unwrap_or_default()),
        Cell::from(": "),
    ];
    // The keys matter more than the name: it gives way.
    let keys = keys(model, Mode::Mark);
    let needed: usize = keys.iter().map(|piece| width(&piece.text)).sum();
    let room = usize::from(area.width).saturating_sub(needed + 1);
    let used = put_pieces(buffer, (area.x, area.y), to_u16(room), &pieces);
    pieces = keys;
    let gap = u16::from(used > 0);
    put_pieces(
        buffer,
        (area.x + used + gap, area.y),
        area.width.saturating_sub(used + gap),
        &pieces,
    );
}

fn keys(model: &Model, mode: Mode) -> Vec<Cell> {
    let mut pieces = Vec::new();
    for binding in in_mode(mode).filter(|binding| !binding.short.is_empty()) {
        pieces.push(Cell::styled(binding.shown, model.styles.header()));
        pieces.push(Cell::styled(format!(" {}  ", binding.short), model.styles.dim()));
    }
    pieces
}

/// The keys that matter here, as many as fit; the one that shows all of them always does.
fn hints(model: &Model, mode: Mode, area: Rect, buffer: &mut Buffer) {
    let hint = |shown: &str, short: &str| {
        [
            Cell::styled(shown, model.styles.header()),
            Cell::styled(format!(" {short}"), model.styles.dim()),
        ]
    };
    let taken = |pieces: &[Cell]| pieces.iter().map(|piece| width(&piece.text)).sum::<usize>();
    let last = in_mode(mode)
        .find(|binding| binding.shown == "?")
        .map(|binding| hint(binding.shown, binding.short));
    let reserved = last.as_ref().map_or(0, |last| taken(last));
    let room = usize::from(area.width).saturating_sub(reserved);
    let mut pieces: Vec<Cell> = Vec::new();
    for binding in in_mode(mode).filter(|binding| !binding.short.is_empty() && binding.shown != "?") {
        let next = hint(binding.shown, binding.short);
        if taken(&pieces) + taken(&next) + 2 > room {
            break;
        }
        pieces.extend(next);
        pieces.push(Cell::from("  "));
    }
    pieces.extend(last.into_iter().flatten());
    put_pieces(buffer, (area.x, area.y), area.width, &pieces);
}
