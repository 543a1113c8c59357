//! What came in from outside.

use sexton_register::SessionId;

use super::{Entry, Model, Notice, Page, PageKind, PageLine, TextSearch};
use crate::roll::Facts;
use crate::table::action::{Job, Request};

/// Something that was found out or done beside the table.
#[derive(Debug)]
#[non_exhaustive]
pub enum News {
    /// The sessions that can be shown before all has been looked at.
    Glance {
        /// The sessions, by id.
        entries: Vec<Entry>,
        /// When that was, in milliseconds since the Unix epoch.
        now_ms: i64,
    },
    /// Every session, seen anew.
    Sessions {
        /// The sessions, by id.
        entries: Vec<Entry>,
        /// What could not be read, as sentences.
        problems: Vec<String>,
        /// When that was, in milliseconds since the Unix epoch.
        now_ms: i64,
    },
    /// What transcripts say.
    Facts(Vec<(SessionId, Facts)>),
    /// How much memory the processes of these sessions have, in bytes.
    Memory(Vec<(SessionId, Vec<Option<u64>>)>),
    /// The lines of a page that waits for them.
    Page(PageKind, Vec<PageLine>),
    /// What a search came upon.
    Found(TextSearch),
    /// A plan to agree to.
    Question {
        /// What it is about.
        title: String,
        /// What would be done.
        lines: Vec<PageLine>,
        /// How to do it.
        then: Request,
    },
    /// Something to say.
    Said(Notice),
}

impl Model {
    /// Takes news in, and says what is to be done about it.
    pub fn take(&mut self, news: News) -> Vec<Job> {
        match news {
            // A look that was sooner saw more.
            News::Glance { entries, now_ms } => {
                if !self.is_loaded {
                    self.roster.replace(entries);
                    (self.now_ms, self.is_stale) = (now_ms, true);
                }
            }
            News::Sessions {
                entries,
                problems,
                now_ms,
            } => return self.take_sessions(entries, problems, now_ms),
            News::Facts(facts) => self.take_facts(facts),
            News::Memory(memory) => {
                for (session, bytes) in memory {
                    if let Some(entry) = self.roster.get_mut(session) {
                        for (process, bytes) in entry.row.processes.iter_mut().zip(bytes) {
                            process.resident_bytes = bytes;
                        }
                    }
                }
            }
            News::Page(kind, lines) => {
                let window = self.page_window();
                // It may have been closed meanwhile.
                if let Some(page) = self.pages.iter_mut().find(|page| page.kind == kind) {
                    page.take_lines(lines, window);
                }
            }
            News::Found(search) => {
                // It may have been typed on meanwhile.
                if search.query == self.query {
                    let is_first = self.found.as_ref().is_none_or(|found| found.query != search.query);
                    self.found = Some(search);
                    self.arrange();
                    if is_first {
                        self.go_to_first();
                    }
                }
            }
            News::Question { title, lines, then } => {
                self.prompt = None;
                self.pages
                    .push(Page::new(PageKind::Question(then), title).with_lines(lines));
            }
            News::Said(notice) => self.notice = Some(notice),
        }
        Vec::new()
    }

    fn take_sessions(&mut self, entries: Vec<Entry>, problems: Vec<String>, now_ms: i64) -> Vec<Job> {
        if !self.is_loaded && self.is_at_first() {
            // What stood first at a glance need not be what does; nobody has looked for it.
            self.cursor = None;
        }
        self.roster.replace(entries);
        (self.problems, self.now_ms, self.is_loaded) = (problems, now_ms, true);
        let roster = &self.roster;
        self.selected.retain(|session| roster.get(*session).is_some());
        self.is_stale = true;
        // What an open page says may be another thing by now.
        let stale = self.pages.iter().filter_map(|page| match page.kind {
            PageKind::Details(session) => Some(Job::Details(session)),
            PageKind::Events(session) => Some(Job::Events(session)),
            _ => None,
        });
        let search = self.is_text_search().then(|| Job::Search(self.query.clone()));
        stale.chain(search).collect()
    }

    fn take_facts(&mut self, facts: Vec<(SessionId, Facts)>) {
        let (home, now_ms) = (self.home.clone(), self.now_ms);
        for (session, facts) in facts {
            if let Some(entry) = self.roster.get_mut(session) {
                *entry = entry.clone().with_facts(facts, home.as_deref(), now_ms);
                self.is_stale = true;
            }
        }
    }

    /// Brings the lines up to date with what came in: once for all news of a frame.
    pub fn settle(&mut self) {
        if std::mem::take(&mut self.is_stale) {
            self.arrange();
        }
    }
}

#[cfg(test)]
mod tests {
    use sexton_register::State;

    use super::*;
    use crate::render::style::Styles;
    use crate::table::action::Action;
    use crate::table::model::{Motion, Window};
    use crate::table::testing::{NOW_MS, entries, news, row, session};

    /// A table that has had its first glance: a session of five minutes ago above one of fifty.
    fn at_a_glance() -> Model {
        let screen = Window { columns: 80, rows: 16 };
        let mut model = Model::new(screen, Styles::new(false), None);
        let rows = vec![row(1, State::Crashed, "old", 50), row(2, State::Crashed, "new", 5)];
        model.take(News::Glance {
            entries: entries(rows),
            now_ms: NOW_MS,
        });
        model.settle();
        model
    }

    /// The same with a session that only a look can see, and that is the newest.
    fn look() -> News {
        news(vec![
            row(1, State::Crashed, "old", 50),
            row(2, State::Crashed, "new", 5),
            row(3, State::Crashed, "newest", 1),
        ])
    }

    #[test]
    fn the_cursor_waits_on_the_first_line_for_the_first_look() {
        let mut model = at_a_glance();
        assert_eq!(model.cursor, Some(session(2)));
        model.take(look());
        model.settle();
        assert_eq!(model.cursor, Some(session(3)));
        // From then on it stays on its session.
        model.take(news(vec![
            row(3, State::Crashed, "newest", 50),
            row(4, State::Crashed, "x", 1),
        ]));
        model.settle();
        assert_eq!(model.cursor, Some(session(3)));
    }

    #[test]
    fn a_cursor_that_was_moved_stays_on_its_session() {
        let mut model = at_a_glance();
        model.update(Action::Move(Motion::Down));
        assert_eq!(model.cursor, Some(session(1)));
        model.take(look());
        model.settle();
        assert_eq!(model.cursor, Some(session(1)));
    }

    #[test]
    fn a_glance_that_comes_late_is_none() {
        let mut model = at_a_glance();
        model.take(look());
        model.take(News::Glance {
            entries: Vec::new(),
            now_ms: NOW_MS,
        });
        model.settle();
        assert!(model.roster.get(session(3)).is_some());
    }
}
