//! What came in from outside.

use sexton_register::SessionId;

use super::{Entry, Model, Notice, Page, PageKind, PageLine, TextSearch};
use crate::roll::Facts;
use crate::table::action::{Job, Request};

/// Something that was found out or done beside the table.
#[derive(Debug)]
#[non_exhaustive]
pub enum News {
    /// The sessions that can be shown before all has been looked at, by id.
    Glance(Vec<Entry>),
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
            News::Glance(entries) => {
                if !self.is_loaded {
                    self.roster.replace(entries);
                    self.is_stale = true;
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
