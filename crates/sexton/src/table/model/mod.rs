//! What the table knows and shows, as plain values.
//!
//! [`Model::update`] takes what a key means and [`Model::take`] what came in from outside; both change the model and return what is to be
//! done about it. Nothing here reads a file, a clock or a terminal.

mod entry;
mod line_edit;
mod page;
mod roster;
mod take;
mod update;
mod viewport;
mod wrap;

pub use entry::Entry;
pub use line_edit::{Edit, LineEdit};
pub use page::{Page, PageKind, Place, Position, Window};
pub use roster::{Counts, Line, Roster, Section};
pub use take::News;
pub use viewport::{Motion, Viewport};
pub use wrap::PageLine;

use std::collections::BTreeSet;
use std::path::PathBuf;

use sexton_register::SessionId;

use super::keys::Mode;
use crate::render::Cell;
use crate::render::style::Styles;
use crate::roll::Filter;

/// Rows of the screen that aren't the table's: title and column headers above, the footer below.
const ROWS_AROUND_TABLE: usize = 3;

/// Rows of the screen that aren't a page's.
const ROWS_AROUND_PAGE: usize = 2;

/// All that is on the screen, and what it takes to change it.
#[derive(Debug)]
pub struct Model {
    /// The sessions.
    pub roster: Roster,
    /// Which of their lines are seen.
    pub viewport: Viewport,
    /// The session under the cursor.
    pub cursor: Option<SessionId>,
    /// Those that were selected.
    pub selected: BTreeSet<SessionId>,
    /// Which sessions belong to the table at all.
    pub filter: Filter,
    /// What narrows it further, as it was typed.
    pub query: String,
    /// What that looks at.
    pub scope: Scope,
    /// What a search in what was said came upon last.
    pub found: Option<TextSearch>,
    /// How many columns are scrolled away at the left.
    pub pan: usize,
    /// Pages over the table, the topmost last.
    pub pages: Vec<Page>,
    /// What is being asked in the last line.
    pub prompt: Option<Prompt>,
    /// What is said in the last line until the next key.
    pub notice: Option<Notice>,
    /// Whether the sessions have been seen at all.
    pub is_loaded: bool,
    /// Whether the lines are older than what is known; see [`Self::settle`].
    is_stale: bool,
    /// Files that can't be read, as sentences.
    pub problems: Vec<String>,
    /// The terminal, in columns and rows.
    pub screen: Window,
    /// For `~`.
    pub home: Option<PathBuf>,
    /// Colours, or none.
    pub styles: Styles,
    /// The time of the last look at the sessions, in milliseconds since the Unix epoch.
    pub now_ms: i64,
}

/// What a query looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Names, titles, directories, states and ids.
    Names,
    /// What was said.
    Text,
}

/// What a search in what was said came upon.
#[derive(Debug, Clone, Default)]
pub struct TextSearch {
    /// What was looked for.
    pub query: String,
    /// The sessions, the best first.
    pub hits: Vec<Found>,
    /// How many there are in all, at least.
    pub total: usize,
    /// What a person should know about the answer.
    pub note: Option<String>,
}

/// A session that has what was looked for.
#[derive(Debug, Clone)]
pub struct Found {
    /// The session.
    pub session: SessionId,
    /// Where in its files; `None` for a name that stands in none.
    pub place: Option<Place>,
    /// The text around it, safe to look at.
    pub snippet: Vec<Cell>,
}

/// A question in the last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompt {
    /// Text for some purpose.
    Text(Purpose, LineEdit),
    /// Which mark, with the note that was typed for it.
    Mark {
        /// The note.
        note: Option<String>,
    },
}

/// What text is typed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To narrow the table.
    Filter,
    /// To go with a mark that is chosen next.
    MarkNote,
    /// To go with the mark in force.
    Note,
    /// To be found in a page.
    Find,
}

/// Something to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What, on one line, safe to look at.
    pub text: String,
    /// Whether it is bad news.
    pub is_error: bool,
}

impl Notice {
    /// News.
    pub fn said(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_error: false,
        }
    }

    /// Bad news.
    pub fn failed(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_error: true,
        }
    }
}

impl Model {
    /// A table that knows nothing yet.
    #[must_use]
    pub fn new(screen: Window, styles: Styles, home: Option<PathBuf>) -> Self {
        let mut model = Self {
            roster: Roster::default(),
            viewport: Viewport::default(),
            cursor: None,
            selected: BTreeSet::new(),
            filter: Filter::default(),
            query: String::new(),
            scope: Scope::Names,
            found: None,
            pan: 0,
            pages: Vec::new(),
            prompt: None,
            notice: None,
            is_loaded: false,
            is_stale: false,
            problems: Vec::new(),
            screen,
            home,
            styles,
            now_ms: 0,
        };
        model.resize(screen);
        model
    }

    /// Where a key is pressed.
    #[must_use]
    pub fn mode(&self) -> Mode {
        match (&self.prompt, self.pages.last().map(|page| &page.kind)) {
            (Some(Prompt::Text(..)), _) => Mode::Typing,
            (Some(Prompt::Mark { .. }), _) => Mode::Mark,
            (None, Some(PageKind::Details(_))) => Mode::Details,
            (None, Some(PageKind::Events(_))) => Mode::Events,
            (None, Some(PageKind::Transcript(..))) => Mode::Transcript,
            (None, Some(PageKind::Help | PageKind::Problems)) => Mode::Help,
            (None, Some(PageKind::Question(_))) => Mode::Question,
            (None, None) => Mode::Table,
        }
    }

    /// The sessions that an action is about: that of the page, else the selected ones, else the one under the cursor.
    #[must_use]
    pub fn targets(&self) -> Vec<SessionId> {
        if let Some(session) = self.pages.last().and_then(Page::session) {
            return vec![session];
        }
        if self.selected.is_empty() {
            return self.cursor.into_iter().collect();
        }
        // In the order in which they are seen; what the filter hides was selected all the same.
        let mut targets: Vec<SessionId> = self.selected.iter().copied().collect();
        targets.sort_by_key(|session| self.roster.line_of(*session).unwrap_or(usize::MAX));
        targets
    }

    /// What to call a session in a sentence: its name or title, else its short id.
    #[must_use]
    pub fn label(&self, session: SessionId) -> String {
        let entry = self.roster.get(session);
        let label = entry.and_then(|entry| entry.row.label());
        label.unwrap_or_else(|| entry.map_or_else(|| session.short().to_owned(), |entry| entry.short_id.clone()))
    }

    /// The conversation that is open, if its end is: around a place in it nothing changes.
    #[must_use]
    pub fn read_session(&self) -> Option<SessionId> {
        self.pages.iter().find_map(|page| match page.kind {
            PageKind::Transcript(session, None) => Some(session),
            _ => None,
        })
    }

    /// The part of a page that is seen.
    #[must_use]
    pub fn page_window(&self) -> Window {
        Window {
            // One column is for the scroll bar.
            columns: self.screen.columns.saturating_sub(1),
            rows: self.screen.rows.saturating_sub(ROWS_AROUND_PAGE),
        }
    }

    /// The terminal has another size.
    pub fn resize(&mut self, screen: Window) {
        self.screen = screen;
        let lines = self.roster.lines();
        let holds = |at: usize| matches!(lines.get(at), Some(Line::Session(_)));
        let height = screen.rows.saturating_sub(ROWS_AROUND_TABLE);
        self.viewport.resize(height, lines.len(), holds);
        let window = self.page_window();
        for page in &mut self.pages {
            page.settle(window);
        }
    }

    /// Decides anew which sessions are shown, and leaves the cursor on its session.
    pub(super) fn arrange(&mut self) {
        let before = self.viewport.cursor;
        match &self.found {
            Some(found) if self.is_text_search() => self.roster.arrange_found(&found.hits),
            _ if self.is_text_search() => self.roster.arrange_found(&[]),
            _ => self.roster.arrange(&self.filter, &self.query, self.now_ms),
        }
        let lines = self.roster.lines();
        let holds = |at: usize| matches!(lines.get(at), Some(Line::Session(_)));
        let kept = self.cursor.and_then(|session| self.roster.line_of(session));
        let line = kept.unwrap_or_else(|| {
            // Its session is gone: whoever stands there now.
            let there = before.min(lines.len().saturating_sub(1));
            let below = (there..lines.len()).find(|at| holds(*at));
            below.or_else(|| (0..there).rev().find(|at| holds(*at))).unwrap_or(0)
        });
        self.viewport.follow(line, lines.len(), holds);
        self.cursor = self.roster.on_line(self.viewport.cursor).map(|entry| entry.row.session);
    }

    /// Whether the lines are what was found in what was said.
    #[must_use]
    pub fn is_text_search(&self) -> bool {
        self.scope == Scope::Text && !self.query.trim().is_empty()
    }

    /// Whether the cursor is on the first session, where it begins.
    pub(super) fn is_at_first(&self) -> bool {
        let mut above = self.roster.lines().iter().take(self.viewport.cursor);
        !above.any(|line| matches!(line, Line::Session(_)))
    }

    /// Puts the cursor on the first session, as a new query asks for: the best match is there.
    pub(super) fn go_to_first(&mut self) {
        self.viewport.reset();
        self.go(Motion::First);
    }

    /// Moves the cursor.
    pub(super) fn go(&mut self, motion: Motion) {
        let lines = self.roster.lines();
        let holds = |at: usize| matches!(lines.get(at), Some(Line::Session(_)));
        self.viewport.go(motion, lines.len(), holds);
        self.cursor = self.roster.on_line(self.viewport.cursor).map(|entry| entry.row.session);
    }
}
