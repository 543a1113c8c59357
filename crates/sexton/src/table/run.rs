//! The loop: waits for what happens, changes the model, draws.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Instant;

use sexton_register::SessionId;
use sexton_sys::{Signal, Signals, suspend_this_process};

use super::action::{Job, Request};
use super::clerk::Clerk;
use super::keys::understand;
use super::message::{Input, Message, forward_signals};
use super::model::{Entry, Line, Model, News, Notice};
use super::reader::{Facts, Reader, Wanted};
use super::schedule::{Look, Schedule};
use super::scout::Scout;
use super::terminal::Terminal;
use super::{pulse, resume, view};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// How the table was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The person left it.
    Quit,
    /// The terminal went away.
    NoTerminal,
    /// A signal asked for it. Whoever opened the table puts the rest in order and then lets the signal have its way.
    Signal(Signal),
}

impl From<Left> for Exit {
    fn from(left: Left) -> Self {
        if let Left::Signal(signal) = left {
            // Where that fails, the process ends by itself, a moment later.
            let _ = signal.end_this_process();
            return Self::Refused;
        }
        Self::Done
    }
}

/// Opens the table and shows it until it is left. The terminal is then as it was, whatever happened.
pub fn run(mut context: Context) -> Result<Left, CommandError> {
    // Nobody else may write on the screen.
    context.screen.stderr_is_terminal = false;
    let failed = |error: io::Error| CommandError::refused(format_args!("open the table: {error}"));
    let (sender, messages) = channel();
    // Before the screen is entered: from here on no signal may end the program without leaving it.
    forward_signals(Signals::catch().map_err(failed)?, sender.clone());
    let terminal = Terminal::enter().map_err(failed)?;
    let context = Arc::new(context);
    let facts = Facts::default();
    // Where the system tells nothing, looking more often has to do.
    let scout = Scout::start(&context, sender.clone()).ok();
    let mut table = Table {
        model: Model::new(terminal.window(), context.screen.out, context.environment.home()),
        schedule: Schedule::new(Instant::now(), scout.is_some()),
        clerk: Clerk::start(Arc::clone(&context), facts.clone(), scout, sender.clone()),
        reader: Reader::start(facts, sender.clone()),
        input: Input::start(sender),
        grown: BTreeSet::new(),
        wanted_from: None,
        look: Look::Asked,
        left: None,
        terminal,
        context,
    };
    let left = table.run(&messages);
    // First the screen, then what is still being done: a delete is not broken off because somebody quits.
    drop(table.terminal);
    table.clerk.end();
    table.reader.end();
    left.map_err(failed)
}

struct Table {
    context: Arc<Context>,
    terminal: Terminal,
    model: Model,
    schedule: Schedule,
    clerk: Clerk,
    reader: Reader,
    input: Input,
    /// Transcripts that grew since they were last read.
    grown: BTreeSet<SessionId>,
    /// The top line for which transcripts were last wanted.
    wanted_from: Option<usize>,
    /// Why the machine was looked at last.
    look: Look,
    left: Option<Left>,
}

impl Table {
    fn run(&mut self, messages: &Receiver<Message>) -> io::Result<Left> {
        loop {
            self.do_due()?;
            if let Some(left) = self.left {
                return Ok(left);
            }
            let wait = self.schedule.next().saturating_duration_since(Instant::now());
            match messages.recv_timeout(wait) {
                Ok(message) => self.take(message)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Left::NoTerminal),
            }
            // All that is there already is one frame.
            while self.left.is_none()
                && let Ok(message) = messages.try_recv()
            {
                self.take(message)?;
            }
        }
    }

    fn do_due(&mut self) -> io::Result<()> {
        let due = self.schedule.take_due(Instant::now());
        if let Some(look) = due.look {
            self.look = look;
            let thorough = look == Look::Precaution || !self.model.is_loaded;
            self.clerk.ask(Job::Look { thorough });
        }
        if due.tick {
            let pulse = pulse::feel(&self.model.roster);
            if pulse.has_stopped {
                self.schedule.look(Instant::now());
            }
            self.news(News::Memory(pulse.memory));
        }
        if due.growth {
            let grown = std::mem::take(&mut self.grown);
            if let Some(session) = self.model.read_session().filter(|session| grown.contains(session)) {
                self.clerk.ask(Job::Read(session, None));
            }
            let wanted = grown
                .into_iter()
                .filter_map(|session| wanted(self.model.roster.get(session)?));
            self.reader.want(wanted.collect());
        }
        if due.draw && self.left.is_none() {
            self.model.settle();
            self.want_visible();
            let now_ms = self.context.now_ms();
            let model = &self.model;
            self.terminal.draw(|frame| view::draw(model, now_ms, frame))?;
        }
        Ok(())
    }

    fn take(&mut self, message: Message) -> io::Result<()> {
        let now = Instant::now();
        match message {
            Message::Key(key) => {
                let requests = match understand(self.model.mode(), key) {
                    Some(action) => self.model.update(action),
                    None => Vec::new(),
                };
                self.serve(requests)?;
                self.input.go_on();
                self.schedule.draw(now, true);
            }
            Message::Paste(text) => {
                let requests = self.model.paste(&text);
                self.serve(requests)?;
                self.input.go_on();
                self.schedule.draw(now, true);
            }
            Message::Resized => {
                self.model.resize(self.terminal.window());
                self.input.go_on();
                self.schedule.draw(now, true);
            }
            Message::News(news) => {
                self.news(news);
                self.schedule.draw(now, false);
            }
            Message::Looked { cost, is_complete } => self.schedule.looked(now, cost, is_complete),
            Message::Hint(hint) => {
                if hint.look {
                    self.schedule.look(now);
                }
                if !hint.grown.is_empty() {
                    self.grown.extend(hint.grown);
                    self.schedule.growth(now);
                }
            }
            Message::WatchEnded => self.schedule.blind(now),
            Message::InputEnded => self.left = Some(Left::NoTerminal),
            Message::Signal(signal) => self.left = Some(Left::Signal(signal)),
            Message::Died => return Err(io::Error::other("a part of the program failed; its message is above")),
        }
        Ok(())
    }

    fn news(&mut self, news: News) {
        let is_sessions = matches!(news, News::Sessions { .. });
        let jobs = self.model.take(news);
        for job in jobs {
            self.clerk.ask(job);
        }
        if is_sessions {
            self.model.settle();
            self.want_all();
        }
    }

    /// Wants the transcripts of the rows on the screen, then of the other rows, then of all others.
    fn want_all(&mut self) {
        let model = &self.model;
        let lines = model.roster.lines();
        let on_screen = on_screen(model);
        let others = lines[..model.viewport.top.min(lines.len())]
            .iter()
            .chain(&lines[on_screen.end..]);
        let shown = lines[on_screen].iter().chain(others).filter_map(|line| match line {
            Line::Session(at) => model.roster.entries().get(*at),
            Line::Heading(..) | Line::Snippet(_) => None,
        });
        // Without a reason to doubt it, what has been read and is at rest is not even looked at.
        let is_doubtful =
            |entry: &&Entry| self.look == Look::Precaution || entry.row.facts.is_none() || entry.row.state.is_live();
        let all = shown.chain(model.roster.entries());
        let mut seen = BTreeSet::new();
        let wanted = all
            .filter(is_doubtful)
            .filter_map(wanted)
            .filter(|(session, _)| seen.insert(*session));
        self.reader.want(wanted.collect());
        self.wanted_from = Some(model.viewport.top);
    }

    /// Wants the transcripts of the rows that have come onto the screen.
    fn want_visible(&mut self) {
        let model = &self.model;
        if self.wanted_from == Some(model.viewport.top) {
            return;
        }
        let visible = on_screen(model).filter_map(|line| model.roster.on_line(line));
        let wanted: Vec<Wanted> = visible
            .filter(|entry| entry.row.facts.is_none())
            .filter_map(wanted)
            .collect();
        if !wanted.is_empty() {
            self.reader.want(wanted);
        }
        self.wanted_from = Some(model.viewport.top);
    }

    fn serve(&mut self, requests: Vec<Request>) -> io::Result<()> {
        for request in requests {
            match request {
                Request::Leave => self.left = Some(Left::Quit),
                Request::Suspend => {
                    self.terminal.lend(suspend_this_process)??;
                    self.model.resize(self.terminal.window());
                    self.schedule.look(Instant::now());
                }
                Request::Redraw => self.terminal.redraw()?,
                Request::Resume(session) => self.resume(session)?,
                Request::Job(job) => self.clerk.ask(job),
            }
        }
        Ok(())
    }

    fn resume(&mut self, session: SessionId) -> io::Result<()> {
        let Some(entry) = self.model.roster.get(session) else {
            return Ok(());
        };
        let prepared = resume::prepare(&entry.row, &self.context.environment);
        self.model.notice = Some(match prepared {
            Ok(invocation) => {
                let notice = self.terminal.lend(|| resume::run(&invocation))?;
                self.model.resize(self.terminal.window());
                self.schedule.look(Instant::now());
                notice
            }
            Err(why) => Notice::failed(format!("{}: {why}", self.model.label(session))),
        });
        Ok(())
    }
}

fn on_screen(model: &Model) -> std::ops::Range<usize> {
    let len = model.roster.lines().len();
    let top = model.viewport.top.min(len);
    top..(top + model.viewport.height).min(len)
}

fn wanted(entry: &Entry) -> Option<Wanted> {
    Some((entry.row.session, entry.row.transcripts.first()?.clone()))
}
