//! What keys do.

use sexton_register::{MarkState, SessionId};

use super::{Edit, LineEdit, Model, Motion, Notice, Page, PageKind, PageLine, Prompt, Purpose, Scope};
use crate::render::one_line;
use crate::table::action::{Action, Job, Request};
use crate::table::help;
use crate::table::view::columns;

impl Model {
    /// Does what a key means, and says what else is to be done.
    pub fn update(&mut self, action: Action) -> Vec<Request> {
        self.notice = None;
        match action {
            Action::Leave => vec![Request::Leave],
            Action::Suspend => vec![Request::Suspend],
            Action::Refresh => vec![Request::Redraw, Job::Look { thorough: true }.into()],
            Action::Type(edit) => self.edit(&edit),
            Action::SwitchScope => self.switch_scope(),
            Action::Move(motion) => self.travel(motion),
            Action::Back => self.back(),
            Action::Quit => self.quit(),
            Action::Accept => self.accept(),
            Action::PanLeft => {
                self.pan = self.pan.saturating_sub(1);
                Vec::new()
            }
            Action::PanRight => {
                self.pan = (self.pan + 1).min(columns::most_pan(self));
                Vec::new()
            }
            Action::Select => self.select(),
            Action::ToggleAll => self.toggle_all(),
            Action::Filter => self.ask(Purpose::Filter, &self.query.clone()),
            Action::Find => self.ask(Purpose::Find, ""),
            Action::FindNext => self.find(true),
            Action::FindPrevious => self.find(false),
            Action::Details => self.open(PageKind::Details, Job::Details),
            Action::Events => self.open(PageKind::Events, Job::Events),
            Action::Read => self.read(),
            Action::Problems => self.show_problems(),
            Action::Help => self.help(),
            Action::Mark => self.ask_for_mark(),
            Action::SetMark(state) => self.mark(state),
            Action::Note => self.ask_for_note(),
            Action::Resume => self.one_target().map(Request::Resume).into_iter().collect(),
            Action::Archive => self.archive(),
            Action::Delete => self.on_targets(Job::PlanDelete),
            Action::Undo => vec![Job::PlanUndo.into()],
            Action::Prune => vec![Job::PlanPrune.into()],
        }
    }

    /// Takes pasted text, which only means something while typing.
    pub fn paste(&mut self, text: &str) -> Vec<Request> {
        match self.prompt {
            Some(Prompt::Text(..)) => self.update(Action::Type(Edit::Insert(text.to_owned()))),
            _ => Vec::new(),
        }
    }

    fn travel(&mut self, motion: Motion) -> Vec<Request> {
        let window = self.page_window();
        match self.pages.last_mut() {
            Some(page) => page.go(motion, window),
            None => self.go(motion),
        }
        Vec::new()
    }

    fn edit(&mut self, edit: &Edit) -> Vec<Request> {
        let Some(Prompt::Text(purpose, line)) = &mut self.prompt else {
            return Vec::new();
        };
        let is_changed = line.apply(edit);
        if is_changed && *purpose == Purpose::Filter {
            line.text().clone_into(&mut self.query);
            return self.query_changed();
        }
        Vec::new()
    }

    /// Narrows by the query at once, or has it searched for: what was found before stays until there is something newer.
    fn query_changed(&mut self) -> Vec<Request> {
        if self.is_text_search() {
            return vec![Job::Search(self.query.clone()).into()];
        }
        self.arrange();
        self.go_to_first();
        Vec::new()
    }

    fn switch_scope(&mut self) -> Vec<Request> {
        if !matches!(self.prompt, Some(Prompt::Text(Purpose::Filter, _))) {
            return Vec::new();
        }
        self.scope = match self.scope {
            Scope::Names => Scope::Text,
            Scope::Text => Scope::Names,
        };
        self.found = None;
        self.arrange();
        let mut requests = Vec::new();
        if self.scope == Scope::Text {
            // What was said a moment ago is to be found, too.
            requests.push(Job::Look { thorough: true }.into());
        }
        requests.extend(self.query_changed());
        requests
    }

    fn back(&mut self) -> Vec<Request> {
        if let Some(prompt) = self.prompt.take() {
            if matches!(prompt, Prompt::Text(Purpose::Filter, _)) {
                self.clear_query();
            }
        } else if self.pages.pop().is_some() {
        } else if !self.query.is_empty() {
            self.clear_query();
        } else if !self.selected.is_empty() {
            self.selected.clear();
        } else {
            return vec![Request::Leave];
        }
        Vec::new()
    }

    fn clear_query(&mut self) {
        self.query.clear();
        self.found = None;
        self.scope = Scope::Names;
        self.arrange();
    }

    fn quit(&mut self) -> Vec<Request> {
        match self.pages.pop() {
            Some(_) => Vec::new(),
            None => vec![Request::Leave],
        }
    }

    fn accept(&mut self) -> Vec<Request> {
        match self.prompt.take() {
            Some(Prompt::Text(purpose, line)) => self.typed(purpose, line.text().trim()),
            Some(Prompt::Mark { .. }) => Vec::new(),
            None => match self.pages.pop() {
                Some(Page {
                    kind: PageKind::Question(request),
                    ..
                }) => {
                    self.selected.clear();
                    vec![request]
                }
                other => {
                    self.pages.extend(other);
                    Vec::new()
                }
            },
        }
    }

    fn typed(&mut self, purpose: Purpose, text: &str) -> Vec<Request> {
        match purpose {
            Purpose::Filter => Vec::new(),
            Purpose::MarkNote => {
                let note = (!text.is_empty()).then(|| text.to_owned());
                self.prompt = Some(Prompt::Mark { note });
                Vec::new()
            }
            Purpose::Note => self.note(text),
            Purpose::Find => {
                if let Some(page) = self.pages.last_mut() {
                    text.clone_into(&mut page.find);
                    page.found = None;
                }
                if text.is_empty() { Vec::new() } else { self.find(true) }
            }
        }
    }

    fn ask(&mut self, purpose: Purpose, text: &str) -> Vec<Request> {
        self.prompt = Some(Prompt::Text(purpose, LineEdit::new(text)));
        Vec::new()
    }

    fn find(&mut self, is_forward: bool) -> Vec<Request> {
        let window = self.page_window();
        if let Some(page) = self.pages.last_mut()
            && !page.find.is_empty()
            && !page.find(is_forward, window)
        {
            self.notice = Some(Notice::failed(format!("`{}` isn't here", page.find)));
        }
        Vec::new()
    }

    fn select(&mut self) -> Vec<Request> {
        if let Some(session) = self.cursor {
            if !self.selected.remove(&session) {
                self.selected.insert(session);
            }
            self.go(Motion::Down);
        }
        Vec::new()
    }

    fn toggle_all(&mut self) -> Vec<Request> {
        let (all, with_put_away, said) = match (self.filter.all, self.filter.with_put_away) {
            (false, _) => (true, false, "finished sessions, too; a again: those that were put away"),
            (true, false) => (true, true, "everything, also what was archived or deleted"),
            (true, true) => (false, false, "what runs, and loose ends"),
        };
        (self.filter.all, self.filter.with_put_away) = (all, with_put_away);
        self.notice = Some(Notice::said(said));
        self.arrange();
        Vec::new()
    }

    fn open(&mut self, kind: fn(SessionId) -> PageKind, job: fn(SessionId) -> Job) -> Vec<Request> {
        let Some(session) = self.one_target() else {
            return Vec::new();
        };
        self.pages.push(Page::new(kind(session), self.label(session)));
        vec![job(session).into()]
    }

    /// Opens a conversation at its end; one that was found by what was said in it, there.
    fn read(&mut self) -> Vec<Request> {
        let Some(session) = self.one_target() else {
            return Vec::new();
        };
        let found = self
            .found
            .as_ref()
            .filter(|_| self.is_text_search() && self.pages.is_empty());
        let hit = found.and_then(|found| found.hits.iter().find(|hit| hit.session == session));
        let place = hit.and_then(|hit| hit.place.clone());
        let mut page = Page::new(PageKind::Transcript(session, place.clone()), self.label(session));
        if hit.is_some() {
            longest_word(&self.query).clone_into(&mut page.find);
        }
        self.pages.push(page);
        vec![Job::Read(session, place).into()]
    }

    fn help(&mut self) -> Vec<Request> {
        let is_open = matches!(self.pages.last(), Some(page) if page.kind == PageKind::Help);
        if is_open {
            self.pages.pop();
        } else {
            self.prompt = None;
            self.pages.push(help::page(self.styles));
        }
        Vec::new()
    }

    fn show_problems(&mut self) -> Vec<Request> {
        if !self.problems.is_empty() {
            let lines = self.problems.iter().map(|problem| PageLine::text(one_line(problem)));
            let page = Page::new(PageKind::Problems, "files that can't be read").with_lines(lines.collect());
            self.pages.push(page);
        }
        Vec::new()
    }

    /// The session of the page, else the one under the cursor, however many are selected.
    fn one_target(&self) -> Option<SessionId> {
        self.pages.last().and_then(Page::session).or(self.cursor)
    }

    fn ask_for_mark(&mut self) -> Vec<Request> {
        if !self.targets().is_empty() {
            self.prompt = Some(Prompt::Mark { note: None });
        }
        Vec::new()
    }

    fn mark(&mut self, state: Option<MarkState>) -> Vec<Request> {
        let Some(Prompt::Mark { note }) = self.prompt.take() else {
            return Vec::new();
        };
        let sessions = self.targets();
        self.selected.clear();
        if sessions.is_empty() {
            return Vec::new();
        }
        vec![Job::Mark { sessions, state, note }.into()]
    }

    fn archive(&mut self) -> Vec<Request> {
        let requests = self.on_targets(Job::Archive);
        self.selected.clear();
        requests
    }

    fn on_targets(&self, job: fn(Vec<SessionId>) -> Job) -> Vec<Request> {
        match self.targets() {
            none if none.is_empty() => Vec::new(),
            targets => vec![job(targets).into()],
        }
    }

    fn ask_for_note(&mut self) -> Vec<Request> {
        if let Some(Prompt::Mark { note }) = &self.prompt {
            let note = note.clone().unwrap_or_default();
            return self.ask(Purpose::MarkNote, &note);
        }
        if let Some((_, note)) = self.one_target().and_then(|session| self.mark_of(session)) {
            return self.ask(Purpose::Note, &note.unwrap_or_default());
        }
        self.notice = Some(Notice::failed("a note belongs to a mark: press m first"));
        Vec::new()
    }

    fn note(&mut self, text: &str) -> Vec<Request> {
        let Some(session) = self.one_target() else {
            return Vec::new();
        };
        // It may have been cleared meanwhile.
        let Some((state, _)) = self.mark_of(session) else {
            return Vec::new();
        };
        let job = Job::Mark {
            sessions: vec![session],
            state: Some(state),
            note: (!text.is_empty()).then(|| text.to_owned()),
        };
        vec![job.into()]
    }

    /// The mark in force and its note.
    fn mark_of(&self, session: SessionId) -> Option<(MarkState, Option<String>)> {
        let mark = self.roster.get(session)?.row.lifecycle.as_ref()?.mark.as_ref()?;
        let note = mark.kind.note.as_ref().map(ToString::to_string);
        Some((mark.kind.state?, note))
    }
}

/// The word of a query that is most worth finding in a conversation.
fn longest_word(query: &str) -> &str {
    let words = query.split(|character: char| !character.is_alphanumeric() && character != '_');
    words.max_by_key(|word| word.len()).unwrap_or_default()
}
