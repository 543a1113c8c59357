//! A page over the table.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::{put, put_pieces, scroll_bar, style, to_u16};
use crate::render::{Cell, width};
use crate::table::model::{Model, Page, PageKind, PageLine};

/// Draws the headline.
pub(super) fn title(page: &Page, model: &Model, area: Rect, buffer: &mut Buffer) {
    let what = match page.kind {
        PageKind::Details(_) => "session",
        PageKind::Events(_) => "events",
        PageKind::Transcript(..) => "conversation",
        PageKind::Problems => "problems",
        PageKind::Help | PageKind::Question(_) => "",
    };
    let styles = model.styles;
    let mut pieces = Vec::new();
    if !what.is_empty() {
        pieces.push(Cell::styled(format!("{what}  "), styles.dim()));
    }
    pieces.push(Cell::styled(page.title.as_str(), styles.header()));
    let right = match &page.lines {
        Some(lines) if !lines.is_empty() => format!("{}/{}", (page.top.line + 1).min(lines.len()), lines.len()),
        _ => String::new(),
    };
    let right_width = to_u16(width(&right));
    put_pieces(
        buffer,
        (area.x, area.y),
        area.width.saturating_sub(right_width + 1),
        &pieces,
    );
    if right_width < area.width {
        put(
            buffer,
            (area.right() - right_width, area.y),
            right_width,
            &right,
            style(styles.dim()),
        );
    }
}

/// Draws the lines that are seen.
pub(super) fn body(page: &Page, model: &Model, area: Rect, buffer: &mut Buffer) {
    let Some(lines) = &page.lines else {
        put(
            buffer,
            (area.x, area.y),
            area.width,
            "Reading…",
            style(model.styles.dim()),
        );
        return;
    };
    let columns = usize::from(area.width.saturating_sub(1));
    let mut y = area.y;
    let mut skip = page.top.row;
    for line in lines.iter().skip(page.top.line) {
        let marked = marked(line, &page.find, model);
        for row in marked.as_ref().unwrap_or(line).wrap(columns).iter().skip(skip) {
            if y >= area.bottom() {
                break;
            }
            put_pieces(buffer, (area.x, y), area.width.saturating_sub(1), row);
            y += 1;
        }
        skip = 0;
        if y >= area.bottom() {
            break;
        }
    }
    scroll_bar(buffer, area, page.top.line, lines.len());
}

/// The line with what is looked for marked in it, if it has it.
fn marked(line: &PageLine, find: &str, model: &Model) -> Option<PageLine> {
    if find.is_empty() {
        return None;
    }
    let wanted: Vec<char> = find.chars().flat_map(char::to_lowercase).collect();
    let mark = model.styles.matched().invert();
    let mut cells = Vec::new();
    let mut is_found = false;
    for cell in &line.cells {
        let mut rest = cell.text.as_str();
        while let Some((start, end)) = position(rest, &wanted) {
            is_found = true;
            cells.push(Cell::styled(&rest[..start], cell.style));
            cells.push(Cell::styled(&rest[start..end], mark));
            rest = &rest[end..];
        }
        cells.push(Cell::styled(rest, cell.style));
    }
    is_found.then_some(PageLine { cells, ..*line })
}

/// Where `wanted`, in lower case, first stands in `text`, whatever its case there.
fn position(text: &str, wanted: &[char]) -> Option<(usize, usize)> {
    text.char_indices().find_map(|(start, _)| {
        let mut left = wanted;
        for (at, character) in text[start..].char_indices() {
            let lower: Vec<char> = character.to_lowercase().collect();
            left = left.strip_prefix(lower.as_slice())?;
            if left.is_empty() {
                return Some((start, start + at + character.len_utf8()));
            }
        }
        None
    })
}
