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
    match model.pages.last() {
        Some(page) => {
            if area.height > 1 {
                page::title(page, model, line(0), frame.buffer_mut());
            }
            page::body(page, model, body, frame.buffer_mut());
        }
        None => {
            if area.height > 1 {
                title::draw(model, line(0), frame.buffer_mut());
            }
            rows::draw(model, now_ms, body, frame.buffer_mut());
        }
    }
    if let Some(cursor) = footer::draw(model, line(area.height - 1), frame.buffer_mut()) {
        frame.set_cursor_position(cursor);
    }
}
