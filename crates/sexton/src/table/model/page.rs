//! A page over the table: lines to scroll through.

use std::path::PathBuf;

use sexton_register::SessionId;

use super::{Motion, PageLine};
use crate::table::action::Request;

/// What a page shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageKind {
    /// All that is known about a session.
    Details(SessionId),
    /// Its events.
    Events(SessionId),
    /// Its conversation: the end, or around a place in it.
    Transcript(SessionId, Option<Place>),
    /// What can't be read.
    Problems,
    /// The keys.
    Help,
    /// What would be done, to be agreed to or not.
    Question(Request),
}

/// A line in one of a session's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u64,
}

/// A page and how far it is scrolled.
#[derive(Debug, Clone)]
pub struct Page {
    /// What it shows.
    pub kind: PageKind,
    /// Its headline.
    pub title: String,
    /// Its lines; `None` until they are there.
    pub lines: Option<Vec<PageLine>>,
    /// What is at the top.
    pub top: Position,
    /// What is looked for in it; empty for nothing.
    pub find: String,
    /// The line on which that was found last, unless one has scrolled since.
    pub found: Option<usize>,
}

/// A row of a line that is broken into rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The row in it.
    pub row: usize,
}

/// How much of a page is seen, in terminal columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
}

impl Page {
    /// A page that waits for its lines.
    pub fn new(kind: PageKind, title: impl Into<String>) -> Self {
        Self {
            kind,
            title: title.into(),
            lines: None,
            top: Position::default(),
            find: String::new(),
            found: None,
        }
    }

    /// The same page with its lines.
    #[must_use]
    pub fn with_lines(mut self, lines: Vec<PageLine>) -> Self {
        self.lines = Some(lines);
        self
    }

    /// Takes its lines, or newer ones: one stays where one is, and a conversation is read from its end, which is followed.
    ///
    /// Lines that were asked for come to the middle of the screen the first time.
    pub fn take_lines(&mut self, lines: Vec<PageLine>, window: Window) {
        if self.lines.is_none()
            && let Some(line) = lines.iter().position(|line| line.is_target)
        {
            let target = Position { line, row: 0 };
            self.top = back(&lines, target, window.rows / 2, window.columns);
            self.lines = Some(lines);
            self.settle(window);
            return;
        }
        let is_at_end = self
            .lines
            .as_ref()
            .is_none_or(|lines| self.top == last_top(lines, window));
        self.lines = Some(lines);
        if matches!(self.kind, PageKind::Transcript(..)) && is_at_end {
            let is_first = self.top == Position::default();
            self.go(Motion::Last, window);
            if is_first && !self.find.is_empty() {
                self.find(false, window);
            }
        } else {
            self.settle(window);
        }
    }

    /// The session it is about.
    #[must_use]
    pub fn session(&self) -> Option<SessionId> {
        match self.kind {
            PageKind::Details(session) | PageKind::Events(session) | PageKind::Transcript(session, _) => Some(session),
            PageKind::Problems | PageKind::Help | PageKind::Question(_) => None,
        }
    }

    /// Scrolls.
    pub fn go(&mut self, motion: Motion, window: Window) {
        let Some(lines) = &self.lines else { return };
        self.found = None;
        let page = window.rows.saturating_sub(1).max(1);
        let wanted = match motion {
            Motion::Up => back(lines, self.top, 1, window.columns),
            Motion::Down => forward(lines, self.top, 1, window.columns),
            Motion::PageUp => back(lines, self.top, page, window.columns),
            Motion::PageDown => forward(lines, self.top, page, window.columns),
            Motion::First => Position::default(),
            Motion::Last => last_top(lines, window),
        };
        self.top = wanted;
        self.settle(window);
    }

    /// Scrolls back until no row is wasted, as after the window or the lines have changed.
    pub fn settle(&mut self, window: Window) {
        if let Some(lines) = &self.lines {
            self.top = self.top.min(last_top(lines, window));
        }
    }

    /// Scrolls to the next line, or the one before, that has what is looked for; says whether there is one.
    pub fn find(&mut self, is_forward: bool, window: Window) -> bool {
        let Some(lines) = &self.lines else { return false };
        let wanted = self.find.to_lowercase();
        let has = |line: &PageLine| !wanted.is_empty() && line.plain().to_lowercase().contains(&wanted);
        // From what is on top, or from behind what was found; around the end and back.
        let (before, after) = match self.found {
            Some(found) => (found, found + 1),
            None => (self.top.line, self.top.line),
        };
        let (before, after) = (before.min(lines.len()), after.min(lines.len()));
        let found = if is_forward {
            (after..lines.len()).chain(0..after).find(|at| has(&lines[*at]))
        } else {
            let backward = (0..before).rev().chain((before..lines.len()).rev());
            backward.into_iter().find(|at| has(&lines[*at]))
        };
        self.found = found;
        if let Some(line) = found {
            self.top = Position { line, row: 0 };
            self.settle(window);
        }
        found.is_some()
    }
}

fn rows(line: &PageLine, columns: usize) -> usize {
    line.wrap(columns).len()
}

fn forward(lines: &[PageLine], mut from: Position, mut steps: usize, columns: usize) -> Position {
    while let Some(line) = lines.get(from.line) {
        let left = rows(line, columns).saturating_sub(from.row);
        if steps < left {
            from.row += steps;
            break;
        }
        steps -= left;
        from = Position {
            line: from.line + 1,
            row: 0,
        };
    }
    from
}

fn back(lines: &[PageLine], mut from: Position, mut steps: usize, columns: usize) -> Position {
    while steps > from.row {
        steps -= from.row;
        let Some(line) = from.line.checked_sub(1) else {
            return Position::default();
        };
        from = Position {
            line,
            row: lines.get(line).map_or(0, |line| rows(line, columns)),
        };
    }
    from.row -= steps;
    from
}

/// The top of the last screenful.
fn last_top(lines: &[PageLine], window: Window) -> Position {
    let end = Position {
        line: lines.len(),
        row: 0,
    };
    back(lines, end, window.rows.max(1), window.columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(lines: &[&str]) -> Page {
        Page::new(PageKind::Help, "t").with_lines(lines.iter().map(|line| PageLine::text(*line)).collect())
    }

    const WINDOW: Window = Window { columns: 4, rows: 3 };

    #[test]
    fn scrolls_by_rows_and_stops_at_the_last_screenful() {
        let mut page = page(&["aaaa bbbb", "c", "dddd eeee ffff", "g"]);
        page.go(Motion::Down, WINDOW);
        assert_eq!(page.top, Position { line: 0, row: 1 });
        page.go(Motion::Down, WINDOW);
        assert_eq!(page.top, Position { line: 1, row: 0 });
        page.go(Motion::PageDown, WINDOW);
        assert_eq!(page.top, Position { line: 2, row: 1 });
        page.go(Motion::Last, WINDOW);
        assert_eq!(page.top, Position { line: 2, row: 1 });
        page.go(Motion::Up, WINDOW);
        page.go(Motion::PageUp, WINDOW);
        assert_eq!(page.top, Position { line: 0, row: 1 });
        page.go(Motion::First, WINDOW);
        assert_eq!(page.top, Position::default());
    }

    #[test]
    fn a_short_page_does_not_scroll() {
        let mut page = page(&["a", "b"]);
        for motion in [Motion::Down, Motion::PageDown, Motion::Last] {
            page.go(motion, WINDOW);
            assert_eq!(page.top, Position::default());
        }
    }

    #[test]
    fn finding_goes_around() {
        let mut page = page(&["Needle", "b", "c", "a needle", "e", "f", "needle"]);
        page.find = "needle".to_owned();
        for (is_forward, line, top) in [
            (true, 0, 0),
            (true, 3, 3),
            (true, 6, 5),
            (true, 0, 0),
            (false, 6, 5),
            (false, 3, 3),
        ] {
            assert!(page.find(is_forward, WINDOW));
            assert_eq!((page.found, page.top.line), (Some(line), top));
        }
        page.find = "absent".to_owned();
        assert!(!page.find(true, WINDOW));
    }
}
