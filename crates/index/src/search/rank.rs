//! The order of hits.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use sexton_register::SessionId;

use crate::catalogue::FileRole;
use crate::message::Kind;
use crate::query::Sort;

/// What is ranked: a matching message.
pub(crate) trait Ranked {
    /// What its order hangs on.
    fn facts(&self) -> RankFacts<'_>;
}

/// What the order of a message hangs on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RankFacts<'f> {
    pub(crate) session: SessionId,
    pub(crate) agent: Option<&'f str>,
    pub(crate) role: FileRole,
    pub(crate) line: u64,
    pub(crate) part: u32,
    pub(crate) kind: Kind,
    pub(crate) at_ms: Option<i64>,
    pub(crate) last_ms: Option<i64>,
    pub(crate) is_routine: bool,
}

/// The matching messages of one session, best first.
#[derive(Debug)]
pub(crate) struct Group<T> {
    pub(crate) messages: Vec<T>,
    score: f64,
    newest: Option<i64>,
}

/// After so many days a session counts for half as much as today's, but for the half that age doesn't touch.
const HALF_LIFE_DAYS: f64 = 30.0;

/// Messages by session, sessions in order.
pub(crate) fn groups<T: Ranked>(found: Vec<T>, sort: Sort, now_ms: i64) -> Vec<Group<T>> {
    let mut by_session: BTreeMap<SessionId, Vec<T>> = BTreeMap::new();
    for message in found {
        by_session.entry(message.facts().session).or_default().push(message);
    }
    let mut groups: Vec<Group<T>> = by_session
        .into_values()
        .map(|messages| group(distinct(messages), now_ms))
        .collect();
    let routine = |group: &Group<T>| group.messages[0].facts().is_routine;
    match sort {
        Sort::Relevance => groups.sort_by(|a, b| {
            routine(a)
                .cmp(&routine(b))
                .then(b.score.total_cmp(&a.score))
                .then(b.newest.cmp(&a.newest))
        }),
        Sort::Newest => groups.sort_by_key(|group| Reverse(group.newest)),
        Sort::Oldest => groups.sort_by_key(|group| group.newest),
    }
    groups
}

/// Messages of one session without those that come again: the same message in two copies of a transcript is one.
fn distinct<T: Ranked>(messages: Vec<T>) -> Vec<T> {
    let mut seen = HashSet::with_capacity(messages.len());
    let is_new: Vec<bool> = messages
        .iter()
        .map(|message| {
            let facts = message.facts();
            seen.insert((facts.agent, facts.line, facts.part))
        })
        .collect();
    messages
        .into_iter()
        .zip(is_new)
        .filter_map(|(message, is_new)| is_new.then_some(message))
        .collect()
}

fn group<T: Ranked>(mut messages: Vec<T>, now_ms: i64) -> Group<T> {
    messages.sort_by(|a, b| {
        let (a, b) = (a.facts(), b.facts());
        let later = |facts: &RankFacts<'_>| Reverse((facts.at_ms, facts.line));
        weight(&b).total_cmp(&weight(&a)).then(later(&a).cmp(&later(&b)))
    });
    let best = messages[0].facts();
    let newest = messages
        .iter()
        .filter_map(|message| message.facts().at_ms)
        .max()
        .or(best.last_ms);
    #[expect(
        clippy::cast_precision_loss,
        reason = "a count and an age; nobody sees the last digits"
    )]
    let (count, age_ms) = (
        messages.len() as f64,
        now_ms.saturating_sub(newest.unwrap_or(0)).max(0) as f64,
    );
    let days = age_ms / 86_400_000.0;
    let recency = 0.5 + 0.5 * (-days / HALF_LIFE_DAYS).exp2();
    Group {
        score: (weight(&best) + 0.5 * count.ln_1p()) * recency,
        newest,
        messages,
    }
}

/// How likely a message is what was meant, by its kind: people look for what they said and were told.
fn weight(facts: &RankFacts<'_>) -> f64 {
    let weight = match facts.kind {
        Kind::Title => 8.0,
        Kind::Prompt => 5.0,
        Kind::Answer => 3.0,
        Kind::ToolCall => 2.0,
        Kind::Thinking | Kind::Note => 1.5,
        Kind::ToolResult => 1.0,
    };
    match facts.role {
        FileRole::Subagent => weight * 0.7,
        FileRole::Transcript => weight,
    }
}
