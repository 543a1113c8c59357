//! The first line: what is there, what is hidden, where one is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::{put_pieces, to_u16};
use crate::render::counted;
use crate::render::{Cell, one_line, width};
use crate::roll::Hidden;
use crate::table::model::Model;
use sexton_register::State;

/// Draws the line.
pub(super) fn draw(model: &Model, area: Rect, buffer: &mut Buffer) {
    let right = position(model);
    let right_width = to_u16(right.iter().map(|piece| width(&piece.text)).sum::<usize>());
    let room = area.width.saturating_sub(right_width + 1);
    if right_width < area.width {
        put_pieces(buffer, (area.right() - right_width, area.y), right_width, &right);
    }
    put_pieces(buffer, (area.x, area.y), room, &summary(model));
}

fn summary(model: &Model) -> Vec<Cell> {
    let styles = model.styles;
    let mut pieces = vec![Cell::styled("sexton", styles.header())];
    if !model.is_loaded {
        return pieces;
    }
    let mut say = |text: String, style| {
        pieces.push(Cell::from("  "));
        pieces.push(Cell::styled(text, style));
    };
    if !model.query.is_empty() {
        let sign = if model.is_text_search() { "said: " } else { "/" };
        say(format!("{sign}{}", one_line(&model.query)), styles.hint());
    }
    if let Some(found) = model.found.as_ref().filter(|_| model.is_text_search()) {
        say(counted(found.total, "session"), styles.dim());
    }
    let counts = model.roster.counts();
    if counts.waiting > 0 {
        say(format!("{} waiting", counts.waiting), styles.state(State::Waiting));
    }
    say(format!("{} live", counts.live), styles.dim());
    if counts.loose_ends > 0 {
        say(counted(counts.loose_ends, "loose end"), styles.dim());
    }
    let Hidden {
        finished,
        archived,
        deleted,
    } = model.roster.hidden();
    let hidden: Vec<String> = [(finished, "finished"), (archived, "archived"), (deleted, "deleted")]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if !hidden.is_empty() {
        say(format!("({} hidden)", hidden.join(", ")), styles.dim());
    }
    pieces
}

fn position(model: &Model) -> Vec<Cell> {
    let styles = model.styles;
    let mut pieces = Vec::new();
    if !model.problems.is_empty() {
        let text = format!("{} (!)  ", counted(model.problems.len(), "problem"));
        pieces.push(Cell::styled(text, styles.error()));
    }
    if !model.selected.is_empty() {
        pieces.push(Cell::styled(
            format!("{} selected  ", model.selected.len()),
            styles.header(),
        ));
    }
    let (at, shown) = model.roster.position(model.viewport.cursor);
    if shown > 0 {
        pieces.push(Cell::styled(format!("{at}/{shown}"), styles.dim()));
    }
    pieces
}
