//! The order of hits.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use super::candidates::Candidate;
use crate::catalogue::FileRole;
use crate::message::Kind;
use crate::query::{SearchRequest, Sort};

/// The matching messages of one session, best first.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) messages: Vec<Candidate>,
    score: f64,
    newest: Option<i64>,
}

/// After so many days a session counts for half as much as today's, but for the half that age doesn't touch.
const HALF_LIFE_DAYS: f64 = 30.0;

/// Messages by session, sessions in the request's order.
pub(super) fn groups(found: Vec<Candidate>, request: &SearchRequest) -> Vec<Group> {
    let mut seen = HashSet::new();
    let mut by_session: BTreeMap<i64, Vec<Candidate>> = BTreeMap::new();
    for candidate in found {
        // The same message in two copies of a transcript is one.
        if candidate.name.is_some() || seen.insert(candidate.key()) {
            by_session.entry(candidate.session.number).or_default().push(candidate);
        }
    }
    let mut groups: Vec<Group> = by_session
        .into_values()
        .map(|mut messages| {
            messages.sort_by(|a, b| {
                let later = |candidate: &Candidate| Reverse((candidate.at_ms, candidate.line));
                weight(b).total_cmp(&weight(a)).then(later(a).cmp(&later(b)))
            });
            let newest = messages
                .iter()
                .filter_map(|message| message.at_ms)
                .max()
                .or(messages[0].session.last_ms);
            Group {
                score: score(&messages, newest, request.now_ms),
                newest,
                messages,
            }
        })
        .collect();
    match request.sort {
        Sort::Relevance => groups.sort_by(|a, b| {
            let routine = |group: &Group| group.messages[0].session.is_routine;
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

/// What a message's kind says about how much it is what was meant: people look for what they said and were told.
fn weight(candidate: &Candidate) -> f64 {
    let weight = match candidate.kind {
        Kind::Title => 8.0,
        Kind::Prompt => 5.0,
        Kind::Answer => 3.0,
        Kind::ToolCall => 2.0,
        Kind::Thinking | Kind::Note => 1.5,
        Kind::ToolResult => 1.0,
    };
    if candidate.file.role == FileRole::Subagent {
        weight * 0.7
    } else {
        weight
    }
}

fn score(messages: &[Candidate], newest: Option<i64>, now_ms: i64) -> f64 {
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
    (weight(&messages[0]) + 0.5 * count.ln_1p()) * recency
}
