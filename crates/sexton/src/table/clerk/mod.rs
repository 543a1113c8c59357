//! Looks at the machine and does what is asked, one thing after the other, beside the table.

mod look;
mod mark;
mod put_away;
mod search;
mod taken_back;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use sexton_sys::Effects;

use super::action::{Job, Request};
use super::message::{Message, spawn};
use super::model::{News, Notice, PageKind, PageLine};
use super::reader::Facts;
use super::scout::Scout;
use super::sheets;
use crate::commands::prune;
use crate::context::Context;
use crate::error::CommandError;
use crate::render::one_line;
use look::Looker;
use put_away::Pending;

/// The thread that does it.
#[derive(Debug)]
pub(super) struct Clerk {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

impl Clerk {
    /// Starts it.
    pub(super) fn start(context: Arc<Context>, facts: Facts, scout: Option<Scout>, messages: Sender<Message>) -> Self {
        let (jobs, incoming) = channel();
        let thread = spawn(messages, move |messages| {
            let desk = Desk {
                context: &context,
                looker: Looker::new(&context, facts, scout),
                pending: None,
                messages,
            };
            desk.work(&incoming);
        });
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

struct Desk<'a> {
    context: &'a Context,
    looker: Looker<'a>,
    /// The plan that was shown last: what is agreed to is that very one.
    pending: Option<Pending<'a>>,
    messages: &'a Sender<Message>,
}

impl Desk<'_> {
    fn work(mut self, jobs: &Receiver<Job>) {
        // Before anything else: a person has opened the table, and looks at it.
        let _ = self.messages.send(Message::News(self.looker.glance()));
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

    fn do_job(&mut self, job: Job) -> Result<Vec<News>, CommandError> {
        let context = self.context;
        Ok(match job {
            Job::Look { thorough } => {
                let began = Instant::now();
                let news = if thorough {
                    self.looker.look_thoroughly()
                } else {
                    self.looker.look()
                };
                // Told even if it failed: the next look waits for it.
                let _ = self.messages.send(Message::Looked {
                    cost: began.elapsed(),
                    is_complete: self.looker.is_complete(),
                });
                vec![news?]
            }
            Job::Mark { sessions, state, note } => {
                mark::append(context, &sessions, state, note.as_deref())?;
                let seen = self.looker.look()?;
                let said = mark::said(&sessions, state, &seen);
                vec![seen, News::Said(Notice::said(said))]
            }
            Job::Search(query) => {
                let mut news = Vec::new();
                if self.looker.indexed().is_none() {
                    news.push(self.looker.look_thoroughly()?);
                }
                news.push(search::found(&query, &self.looker));
                news
            }
            Job::PlanPrune => vec![plan_prune(context)?],
            Job::Prune => {
                let report = prune::prune(&Effects::apply(), context)?;
                vec![
                    self.looker.look()?,
                    News::Said(last_word(&report.stdout, &report.problems)),
                ]
            }
            Job::Archive(sessions) => {
                let said = put_away::archive(context, &sessions)?;
                vec![self.looker.look()?, News::Said(said)]
            }
            Job::PlanDelete(sessions) => {
                let (news, pending) = put_away::plan_delete(context, &sessions)?;
                self.pending = pending;
                vec![news]
            }
            Job::PlanUndo => {
                let (news, pending) = put_away::plan_undo(context)?;
                self.pending = pending;
                vec![news]
            }
            Job::Agreed => match self.pending.take() {
                Some(pending) => {
                    let said = pending.apply()?;
                    vec![self.looker.look()?, News::Said(said)]
                }
                None => Vec::new(),
            },
            Job::Details(session) => vec![News::Page(
                PageKind::Details(session),
                sheets::details(session, context)?,
            )],
            Job::Events(session) => vec![News::Page(PageKind::Events(session), sheets::events(session, context)?)],
            Job::Read(session, place) => {
                let lines = sheets::conversation(session, place.as_ref(), context)?;
                vec![News::Page(PageKind::Transcript(session, place), lines)]
            }
        })
    }
}

fn plan_prune(context: &Context) -> Result<News, CommandError> {
    let effects = Effects::record();
    let report = prune::prune(&effects, context)?;
    if effects.recorded().is_empty() {
        return Ok(News::Said(Notice::said("nothing to prune")));
    }
    Ok(News::Question {
        title: "Remove what dead processes left in the registry?".to_owned(),
        lines: report.stdout.lines().map(PageLine::text).collect(),
        then: Request::Job(Job::Prune),
    })
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
