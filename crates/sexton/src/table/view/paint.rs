//! Putting styled text into a buffer, so that every terminal agrees on where it ends.

use std::borrow::Cow;

use anstyle::{AnsiColor, Effects};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use crate::render::{Align, Cell, truncate, truncate_left, width};

/// The terminal library's word for a style.
#[must_use]
pub(super) fn style(style: anstyle::Style) -> Style {
    let mut out = Style::new();
    if let Some(anstyle::Color::Ansi(color)) = style.get_fg_color() {
        out = out.fg(ansi(color));
    }
    let effects = style.get_effects();
    for (effect, modifier) in [
        (Effects::BOLD, Modifier::BOLD),
        (Effects::DIMMED, Modifier::DIM),
        (Effects::INVERT, Modifier::REVERSED),
        (Effects::UNDERLINE, Modifier::UNDERLINED),
    ] {
        if effects.contains(effect) {
            out = out.add_modifier(modifier);
        }
    }
    out
}

fn ansi(color: AnsiColor) -> Color {
    match color {
        AnsiColor::Black => Color::Black,
        AnsiColor::Red => Color::Red,
        AnsiColor::Green => Color::Green,
        AnsiColor::Yellow => Color::Yellow,
        AnsiColor::Blue => Color::Blue,
        AnsiColor::Magenta => Color::Magenta,
        AnsiColor::Cyan => Color::Cyan,
        AnsiColor::White => Color::Gray,
        AnsiColor::BrightBlack => Color::DarkGray,
        AnsiColor::BrightRed => Color::LightRed,
        AnsiColor::BrightGreen => Color::LightGreen,
        AnsiColor::BrightYellow => Color::LightYellow,
        AnsiColor::BrightBlue => Color::LightBlue,
        AnsiColor::BrightMagenta => Color::LightMagenta,
        AnsiColor::BrightCyan => Color::LightCyan,
        AnsiColor::BrightWhite => Color::White,
    }
}

/// `text` without what joins or varies emoji: terminals disagree on how wide the results are, and a row would be torn.
#[must_use]
pub(super) fn steady(text: &str) -> Cow<'_, str> {
    let is_steady =
        |character: char| !matches!(character, '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}');
    if text.chars().all(is_steady) {
        Cow::Borrowed(text)
    } else {
        text.chars().filter(|character| is_steady(*character)).collect()
    }
}

/// Writes `text` from `x` on, cut to `room` columns; returns how many it took.
pub(super) fn put(buffer: &mut Buffer, (x, y): (u16, u16), room: u16, text: &str, style: Style) -> u16 {
    let area = buffer.area;
    if !area.contains((x, y).into()) {
        return 0;
    }
    let room = room.min(area.right() - x);
    let text = steady(text);
    let cut = truncate(&text, usize::from(room));
    buffer.set_stringn(x, y, &cut, usize::from(room), style).0 - x
}

/// Writes one cell of a table into `room` columns.
pub(super) fn put_cell(buffer: &mut Buffer, (x, y): (u16, u16), room: u16, cell: &Cell, align: Align, style: Style) {
    let text = steady(&cell.text);
    let columns = usize::from(room);
    let cut = match align {
        Align::LeftCutLeft => truncate_left(&text, columns),
        Align::Left | Align::Right => truncate(&text, columns),
    };
    let before = match align {
        Align::Right => room.saturating_sub(to_u16(width(&cut))),
        _ => 0,
    };
    put(buffer, (x + before, y), room - before, &cut, style);
}

/// Writes pieces one behind the other; returns how many columns they took.
pub(super) fn put_pieces(buffer: &mut Buffer, (x, y): (u16, u16), room: u16, pieces: &[Cell]) -> u16 {
    let mut used = 0;
    for piece in pieces {
        used += put(buffer, (x + used, y), room - used, &piece.text, style(piece.style));
        if used >= room {
            break;
        }
    }
    used
}

/// Draws a scroll bar into the last column of `area`, if not everything fits: a blank in reverse is the same in every font.
pub(super) fn scroll_bar(buffer: &mut Buffer, area: Rect, top: usize, len: usize) {
    let height = usize::from(area.height);
    if len <= height || height == 0 || area.width == 0 {
        return;
    }
    let thumb = (height * height / len).max(1);
    let most_top = len - height;
    let start = (top.min(most_top) * (height - thumb) + most_top / 2) / most_top;
    for row in start..(start + thumb).min(height) {
        let at = (area.right() - 1, area.y + to_u16(row));
        buffer.set_string(at.0, at.1, " ", Style::new().add_modifier(Modifier::REVERSED));
    }
}

/// A number of columns or rows of a screen.
#[must_use]
pub(super) fn to_u16(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}
