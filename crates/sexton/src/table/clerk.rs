//! Looks at the machine and does what is asked, one thing after the other, beside the table.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use sexton_register::{MarkState, SessionId};
use sexton_sys::Effects;

use super::action::{Job, Request};
use super::message::{Message, spawn};
use super::model::{Entry, News, Notice, PageKind, PageLine};
use super::reader::Facts;
use super::scout::Scout;
use super::sheets;
use crate::commands::{mark, prune};
use crate::context::Context;
use crate::error::CommandError;
use crate::render::one_line;
use crate::render::path::safe;
use crate::roll::{Roll, ShortIds, look, record};

/// The thread that does it.
#[derive(Debug)]
pub(super) struct Clerk {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

struct Desk {
    context: Arc<Context>,
    facts: Facts,
    scout: Option<Scout>,
    messages: Sender<Message>,
}

impl Clerk {
    /// Starts it.
    pub(super) fn start(context: Arc<Context>, facts: Facts, scout: Option<Scout>, messages: Sender<Message>) -> Self {
        let (jobs, incoming) = channel();
        let desk = Desk {
            context,
            facts,
            scout,
            messages: messages.clone(),
        };
        let thread = spawn(messages, move |_| desk.work(&incoming));
        Self { jobs, thread }
    }

    /// Has something done.
    pub(super) fn ask(&self, job: Job) {
        // It only ends with the table, or by dying, which is told.
        let _ = self.jobs.send(job);
    }

    /// Ends it when it has finished what it was asked for.
    pub(super) fn end(self) {
        drop(self.jobs);
        let _ = self.thread.join();
    }
}

impl Desk {
    fn work(&self, jobs: &Receiver<Job>) {
        for job in jobs {
            let news = self
                .do_job(job)
                .unwrap_or_else(|error| vec![News::Said(refusal(&error))]);
            for news in news {
                if self.messages.send(Message::News(news)).is_err() {
                    return;
                }
            }
        }
    }

    fn do_job(&self, job: Job) -> Result<Vec<News>, CommandError> {
        Ok(match job {
            Job::Look => {
                let began = Instant::now();
                let news = self.look();
                // Told even if it failed: the next look waits for it.
                let _ = self.messages.send(Message::Looked(began.elapsed()));
                news?
            }
            Job::Mark { sessions, state, note } => self.mark(&sessions, state, note.as_deref())?,
            Job::PlanPrune => self.plan_prune()?,
            Job::Prune => {
                let report = prune::prune(&Effects::apply(), &self.context)?;
                let mut news = self.look()?;
                news.push(News::Said(last_word(&report.stdout, &report.problems)));
                news
            }
            Job::Details(session) => {
                let lines = sheets::details(session, &self.context)?;
                vec![News::Page(PageKind::Details(session), lines)]
            }
            Job::Events(session) => {
                let lines = sheets::events(session, &self.context)?;
                vec![News::Page(PageKind::Events(session), lines)]
            }
            Job::Read(session) => {
                let lines = sheets::conversation(session, &self.context)?;
                vec![News::Page(PageKind::Transcript(session), lines)]
            }
        })
    }

    fn look(&self) -> Result<Vec<News>, CommandError> {
        let context = &*self.context;
        // Watched before looking: what changes in between is told.
        if let Some(scout) = &self.scout {
            scout.watch(context);
        }
        let mut sources = look(context)?;
        let pass = record(context, &mut sources, &Effects::apply());
        let mut roll = Roll::join(sources, context);
        let configuration = context.configuration.problems.iter();
        roll.problems
            .extend(configuration.map(|problem| format!("{}:{problem}", safe(&context.places.configuration))));
        let failed = pass.problems.iter().chain(&pass.sweep.problems);
        roll.problems
            .extend(failed.map(|problem| format!("not recorded: {problem}")));
        let short_ids = ShortIds::of(&roll.rows);
        let home = context.environment.home();
        let entries = roll.rows.into_iter().map(|mut row| {
            if row.facts.is_none() {
                row.facts = self.facts.of(row.session);
            }
            let short_id = short_ids.get(row.session);
            Entry::new(row, short_id, home.as_deref(), roll.now_ms)
        });
        Ok(vec![News::Sessions {
            entries: entries.collect(),
            problems: roll.problems,
            now_ms: roll.now_ms,
        }])
    }

    fn mark(
        &self,
        sessions: &[SessionId],
        state: Option<MarkState>,
        note: Option<&str>,
    ) -> Result<Vec<News>, CommandError> {
        let effects = Effects::apply();
        for session in sessions {
            mark::append(&effects, &self.context, *session, state, note)?;
        }
        let mut news = self.look()?;
        let said = marked(sessions, state, &news);
        news.push(News::Said(Notice::said(said)));
        Ok(news)
    }

    fn plan_prune(&self) -> Result<Vec<News>, CommandError> {
        let effects = Effects::record();
        let report = prune::prune(&effects, &self.context)?;
        let lines: Vec<PageLine> = report.stdout.lines().map(PageLine::text).collect();
        if effects.recorded().is_empty() {
            return Ok(vec![News::Said(Notice::said("nothing to prune"))]);
        }
        Ok(vec![News::Question {
            title: "Remove what dead processes left in the registry?".to_owned(),
            lines,
            then: Request::Job(Job::Prune),
        }])
    }
}

/// What was marked, and that it isn't seen yet where that is so.
fn marked(sessions: &[SessionId], state: Option<MarkState>, news: &[News]) -> String {
    let entries = news.iter().find_map(|news| match news {
        News::Sessions { entries, .. } => Some(entries),
        _ => None,
    });
    let find = |session: &SessionId| entries?.iter().find(|entry| entry.row.session == *session);
    let what = match sessions {
        [one] => find(one)
            .and_then(|entry| entry.row.label())
            .unwrap_or_else(|| one.short().to_owned()),
        several => format!("{} sessions", several.len()),
    };
    let Some(state) = state else {
        return format!("cleared the mark of {what}");
    };
    let is_live = sessions
        .iter()
        .any(|session| find(session).is_some_and(|entry| entry.row.state.is_live()));
    let later = if is_live {
        "; shown when nothing runs it any more"
    } else {
        ""
    };
    format!("marked {what} {state}{later}")
}

/// A failure on one line.
fn refusal(error: &CommandError) -> Notice {
    let text = error.to_string();
    let message = text.lines().next().unwrap_or_default();
    Notice::failed(one_line(message))
}

/// What a command said, on one line.
fn last_word(stdout: &str, problems: &[String]) -> Notice {
    if let Some(problem) = problems.first() {
        return Notice::failed(one_line(problem));
    }
    match stdout.lines().collect::<Vec<_>>().as_slice() {
        [] => Notice::said("done"),
        [one] => Notice::said(one_line(one)),
        several => Notice::said(format!("{} and {} more", one_line(several[0]), several.len() - 1)),
    }
}
