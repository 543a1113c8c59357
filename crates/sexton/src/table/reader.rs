//! Reads what transcripts say, for the rows that need it, beside the table.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rayon::prelude::*;
use sexton_claude::transcript::summarize_ends;
use sexton_register::SessionId;
use sexton_sys::FileIdentity;

use super::message::{Message, spawn};
use super::model::News;
use crate::roll;

/// The first rows are wanted soon.
const FIRST: usize = 64;
/// The others may come in larger pieces.
const PIECE: usize = 512;

/// A transcript that is wanted.
pub(super) type Wanted = (SessionId, PathBuf);

/// What has been read so far, with the file it was read from.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts(Arc<Mutex<HashMap<SessionId, (FileIdentity, roll::Facts)>>>);

impl Facts {
    /// What is known of a session.
    pub(super) fn of(&self, session: SessionId) -> Option<roll::Facts> {
        self.with(|facts| facts.get(&session).map(|(_, summary)| summary.clone()))
    }

    fn is_current(&self, session: SessionId, identity: &FileIdentity) -> bool {
        self.with(|facts| facts.get(&session).is_some_and(|(known, _)| known == identity))
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashMap<SessionId, (FileIdentity, roll::Facts)>) -> T) -> T {
        // Each change is one insertion; a panic elsewhere leaves the map whole.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The thread that reads.
#[derive(Debug)]
pub(super) struct Reader {
    wanted: Sender<Vec<Wanted>>,
    thread: JoinHandle<()>,
}

impl Reader {
    /// Starts it.
    pub(super) fn start(facts: Facts, messages: Sender<Message>) -> Self {
        let (wanted, incoming) = channel();
        let thread = spawn(messages, move |messages| read(&facts, &incoming, messages));
        Self { wanted, thread }
    }

    /// Wants these, in this order, before all that was wanted earlier; many of them, instead of that. A transcript that has not changed is
    /// not read again.
    pub(super) fn want(&self, wanted: Vec<Wanted>) {
        // It only ends with the table.
        let _ = self.wanted.send(wanted);
    }

    /// Ends it when it has finished the piece at hand.
    pub(super) fn end(self) {
        drop(self.wanted);
        let _ = self.thread.join();
    }
}

fn read(facts: &Facts, incoming: &Receiver<Vec<Wanted>>, messages: &Sender<Message>) {
    let mut rest: Vec<Wanted> = Vec::new();
    loop {
        // What came last is wanted first; with nothing left to do, wait.
        let next = if rest.is_empty() {
            match incoming.recv() {
                Ok(next) => Some(next),
                Err(_) => return,
            }
        } else {
            match incoming.try_recv() {
                Ok(next) => Some(next),
                Err(std::sync::mpsc::TryRecvError::Empty) => None,
                Err(std::sync::mpsc::TryRecvError::Disconnected) => return,
            }
        };
        let piece = if let Some(mut next) = next {
            // A long list is all that is wanted; a short one comes before the rest. Taken from the end, so the order is turned around.
            if next.len() > FIRST {
                rest.clear();
            }
            next.reverse();
            rest.append(&mut next);
            FIRST
        } else {
            PIECE
        };
        let piece = rest.split_off(rest.len().saturating_sub(piece));
        let news = summaries(facts, &piece);
        if !news.is_empty() && messages.send(Message::News(News::Facts(news))).is_err() {
            return;
        }
    }
}

/// What changed transcripts say now. One that can't be read, or vanished meanwhile, tells nothing.
fn summaries(facts: &Facts, piece: &[Wanted]) -> Vec<(SessionId, roll::Facts)> {
    let read = piece.par_iter().filter_map(|(session, path)| {
        let identity = FileIdentity::of(&path.metadata().ok()?);
        if facts.is_current(*session, &identity) {
            return None;
        }
        let ends = summarize_ends(path).ok()?;
        Some((*session, ends))
    });
    let read: Vec<_> = read.collect();
    let mut news = Vec::with_capacity(read.len());
    for (session, ends) in read {
        let said = roll::Facts::from(&ends.summary);
        facts.with(|facts| facts.insert(session, (ends.identity, said.clone())));
        news.push((session, said));
    }
    news
}
