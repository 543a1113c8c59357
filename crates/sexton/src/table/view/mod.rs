//! The screen as a function of model, size and time.

pub mod columns;
mod footer;
mod page;
mod paint;
mod rows;
#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "a test's screens are small")]
mod tests;
mod title;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::model::Model;

/// Draws the model as it is at `now_ms`, in milliseconds since the Unix epoch.
pub fn draw(model: &Model, now_ms: i64, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.height == 0 || area.width == 0 {
        return;
    }
    let line = |y: u16| Rect {
        y: area.y + y,
        height: 1,
        ..area
    };
    // A screen of one line is all footer: that is where questions are asked.
    let body = area.height.saturating_sub(2);
    let body = Rect {
        y: area.y + 1,
        height: body,
        ..area
    };
    let has_title = area.height > 1;
    let buffer = frame.buffer_mut();
    if let Some(page) = model.pages.last() {
        if has_title {
            page::title(page, model, line(0), buffer);
        }
        page::body(page, model, body, buffer);
    } else {
        if has_title {
            title::draw(model, line(0), buffer);
        }
        rows::draw(model, now_ms, body, buffer);
    }
    // News that need more than a line take some of the body's: nobody could read the rest otherwise.
    let height = footer::height(model, area);
    let footer = Rect {
        y: area.bottom() - height,
        height,
        ..area
    };
    if let Some(cursor) = footer::draw(model, footer, frame.buffer_mut()) {
        frame.set_cursor_position(cursor);
    }
}
