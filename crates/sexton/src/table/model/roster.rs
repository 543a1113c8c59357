//! The sessions, and which of them are shown in which order.

use std::cmp::Reverse;

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};
use sexton_register::{SessionId, State};

use super::{Entry, Found};
use crate::columns;
use crate::roll::{Disposal, Filter, Group, Hidden, Row};

/// Sessions that were active less than this ago count as equally new: two that work would else change places all the time.
const JUST_NOW_MS: i64 = 60_000;

/// One line of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// The heading of a section, and how many sessions it has.
    Heading(Section, usize),
    /// A session, by its place in the roster.
    Session(usize),
    /// What was found in the session above, by its place among what was found.
    Snippet(usize),
}

/// The sections of the table, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Sessions where they belong.
    There(Group),
    /// Those that were put away.
    PutAway(Disposal),
}

impl Section {
    fn of(row: &Row) -> Self {
        match row.disposal {
            Some(disposal) if !row.state.is_live() => Self::PutAway(disposal),
            _ => Self::There(Group::of(row.state)),
        }
    }
}

/// Every session, and the lines that are made of them.
#[derive(Debug, Default)]
pub struct Roster {
    /// By id.
    entries: Vec<Entry>,
    lines: Vec<Line>,
    hidden: Hidden,
    counts: Counts,
    widths: [usize; columns::COUNT],
}

/// How many sessions there are, whether they are shown or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// With a process.
    pub live: usize,
    /// Those of them that wait for the person.
    pub waiting: usize,
    /// Those that someone should come back to.
    pub loose_ends: usize,
}

impl Roster {
    /// Takes other sessions, which must be in the order of their ids; the lines are stale until [`Self::arrange`].
    pub fn replace(&mut self, entries: Vec<Entry>) {
        debug_assert!(entries.is_sorted_by_key(|entry| entry.row.session));
        self.counts = Counts::default();
        for row in entries.iter().map(|entry| &entry.row) {
            match Section::of(row) {
                Section::There(Group::Live) => self.counts.live += 1,
                Section::There(Group::LooseEnd) => self.counts.loose_ends += 1,
                Section::There(Group::Finished) | Section::PutAway(_) => {}
            }
            self.counts.waiting += usize::from(row.state == State::Waiting);
        }
        self.entries = entries;
        self.lines.clear();
    }

    /// Decides which sessions are shown and in which order.
    ///
    /// Without a query in groups, the newest first in each, as the list has it; with one, the best match first.
    pub fn arrange(&mut self, filter: &Filter, query: &str, now_ms: i64) {
        let mut hidden = Hidden::default();
        // Whoever looks for something looks everywhere.
        let filter = Filter {
            all: filter.all || !query.is_empty(),
            ..filter.clone()
        };
        let shown = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| filter.shows(&entry.row, &mut hidden) && filter.judge_transcript(&entry.row))
            .map(|(at, _)| at);
        let mut shown: Vec<usize> = shown.collect();
        shown.sort_by_cached_key(|at| order(&self.entries[*at], now_ms));
        self.lines = if query.trim().is_empty() {
            self.grouped(&shown)
        } else {
            self.best(&shown, query).into_iter().map(Line::Session).collect()
        };
        self.hidden = hidden;
        self.measure();
    }

    /// Shows these sessions in this order, each with what was found in it.
    pub fn arrange_found(&mut self, found: &[Found]) {
        self.lines.clear();
        for (number, hit) in found.iter().enumerate() {
            if let Some(at) = self.place_of(hit.session) {
                self.lines.push(Line::Session(at));
                self.lines
                    .extend((!hit.snippet.is_empty()).then_some(Line::Snippet(number)));
            }
        }
        self.hidden = Hidden::default();
        self.measure();
    }

    fn measure(&mut self) {
        self.widths = [0; columns::COUNT];
        for line in &self.lines {
            if let Line::Session(at) = line {
                for (widest, width) in self.widths.iter_mut().zip(self.entries[*at].widths) {
                    *widest = (*widest).max(usize::from(width));
                }
            }
        }
    }

    fn grouped(&self, shown: &[usize]) -> Vec<Line> {
        let section = |at: usize| Section::of(&self.entries[at].row);
        let mut lines = Vec::with_capacity(shown.len() + 3);
        for members in shown.chunk_by(|a, b| section(*a) == section(*b)) {
            lines.push(Line::Heading(section(members[0]), members.len()));
            lines.extend(members.iter().copied().map(Line::Session));
        }
        lines
    }

    /// Those of `shown` that match, the best first; of equally good ones the order stays.
    fn best(&self, shown: &[usize], query: &str) -> Vec<usize> {
        let pattern = Pattern::parse(query, CaseMatching::Smart, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
        // Letters scattered over a whole id match nearly anything; one that is spelt out means one session.
        let id = query.trim().to_ascii_lowercase();
        let mut score = |entry: &Entry| {
            if id.len() >= 8 && entry.row.session.as_str().starts_with(&id) {
                return Some(u32::MAX);
            }
            pattern.score(entry.haystack.slice(..), &mut matcher)
        };
        let mut scored: Vec<(u32, usize)> = shown
            .iter()
            .filter_map(|at| Some((score(&self.entries[*at])?, *at)))
            .collect();
        scored.sort_by_key(|(score, _)| Reverse(*score));
        scored.into_iter().map(|(_, at)| at).collect()
    }

    /// The sessions, by id.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The lines.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The session on a line, unless it is a heading.
    #[must_use]
    pub fn on_line(&self, line: usize) -> Option<&Entry> {
        match self.lines.get(line)? {
            Line::Session(at) => self.entries.get(*at),
            Line::Heading(..) | Line::Snippet(_) => None,
        }
    }

    /// The line of a session, if it is shown.
    #[must_use]
    pub fn line_of(&self, session: SessionId) -> Option<usize> {
        let at = self.place_of(session)?;
        self.lines.iter().position(|line| *line == Line::Session(at))
    }

    /// A session.
    #[must_use]
    pub fn get(&self, session: SessionId) -> Option<&Entry> {
        self.entries.get(self.place_of(session)?)
    }

    /// A session, to be changed; the lines are stale until [`Self::arrange`].
    pub fn get_mut(&mut self, session: SessionId) -> Option<&mut Entry> {
        let at = self.place_of(session)?;
        self.entries.get_mut(at)
    }

    fn place_of(&self, session: SessionId) -> Option<usize> {
        self.entries
            .binary_search_by_key(&session, |entry| entry.row.session)
            .ok()
    }

    /// How many sessions are left out because they are over or put away.
    #[must_use]
    pub fn hidden(&self) -> Hidden {
        self.hidden
    }

    /// How many sessions there are.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Which of the shown sessions stands on a line, from 1, and how many are shown.
    #[must_use]
    pub fn position(&self, line: usize) -> (usize, usize) {
        let sessions = |lines: &[Line]| lines.iter().filter(|line| matches!(line, Line::Session(_))).count();
        let upto = &self.lines[..self.lines.len().min(line + 1)];
        (sessions(upto), sessions(&self.lines))
    }

    /// How wide the widest shown cell of each column is.
    #[must_use]
    pub fn widths(&self) -> &[usize; columns::COUNT] {
        &self.widths
    }
}

/// By section, then the newest first, then by id.
fn order(entry: &Entry, now_ms: i64) -> (Section, Reverse<Option<i64>>, SessionId) {
    let row = &entry.row;
    let active = row.last_activity_ms().map(|active| {
        if now_ms.saturating_sub(active) < JUST_NOW_MS {
            i64::MAX
        } else {
            active
        }
    });
    (Section::of(row), Reverse(active), row.session)
}
