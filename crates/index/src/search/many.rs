//! When more matches than anyone could rank: session by session, in order of activity, until there are enough.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::SearchContext;
use super::candidates::{Candidate, look_up, marks};
use super::scope::Scope;
use super::verify::verify;
use crate::catalogue::Catalogue;
use crate::engine::{Mark, MessageNumber, MessageRanges, Question};
use crate::error::IndexError;
use crate::message::Kind;
use crate::query::{Plan, SearchRequest, Sort, View};
use crate::spans;

/// Sessions that are asked for at once.
const CHUNK: usize = 16;

/// Of one file of a session with very many so many messages are looked at, the last ones.
const MOST_OF_ONE: usize = 100;

/// And so many of the kinds that people most likely mean.
const MOST_OF_BEST: usize = 20;

/// For the best of many, so many times as many sessions are found as are wanted.
const CHOICE: usize = 3;

/// See [`super::candidates::find`].
pub(super) fn find(
    catalogue: &Catalogue,
    scope: &Scope<'_>,
    context: SearchContext<'_>,
    request: &SearchRequest,
    plan: &Plan,
) -> Result<(Vec<Candidate>, bool), IndexError> {
    let mut sessions = scope.by_activity()?;
    if request.sort == Sort::Oldest {
        sessions.reverse();
    }
    let choice = if request.sort == Sort::Relevance { CHOICE } else { 1 };
    let wanted = request.limit.saturating_mul(choice).max(1);
    let mut found: Vec<Candidate> = Vec::new();
    let mut times: Vec<Option<i64>> = Vec::new();
    let mut is_exact = true;
    let mut chunks = sessions.chunks(CHUNK).peekable();
    while let Some(chunk) = chunks.next() {
        let numbers: Vec<i64> = chunk.iter().map(|(number, _)| *number).collect();
        let (mut some, is_all) = of_sessions(catalogue, scope, context, request, plan, &numbers)?;
        times.extend(times_of(&some, request.view));
        is_exact &= is_all;
        found.append(&mut some);
        let next = chunks.peek().and_then(|chunk| chunk.first());
        if times.len() >= wanted && !may_be_newer(request.sort, &mut times, wanted, next.and_then(|(_, last)| *last)) {
            break;
        }
    }
    Ok((found, is_exact && chunks.next().is_none()))
}

/// When each of what the view counts was said: a session's newest hit, or each message.
fn times_of(found: &[Candidate], view: View) -> Vec<Option<i64>> {
    match view {
        View::Messages => found.iter().map(|candidate| candidate.at_ms).collect(),
        View::Sessions => {
            let mut newest: BTreeMap<i64, Option<i64>> = BTreeMap::new();
            for candidate in found {
                let time = newest.entry(candidate.session.number).or_default();
                *time = (*time).max(candidate.at_ms);
            }
            newest.into_values().collect()
        }
    }
}

/// Whether sessions that were last active at `next`, or before, could still have newer hits than the `wanted` newest so far.
fn may_be_newer(sort: Sort, times: &mut [Option<i64>], wanted: usize, next: Option<i64>) -> bool {
    if sort != Sort::Newest {
        return false;
    }
    let (_, last, _) = times.select_nth_unstable_by_key(wanted - 1, |time| Reverse(*time));
    next > *last
}

/// The candidates of these sessions; the flag says whether it is all.
fn of_sessions(
    catalogue: &Catalogue,
    scope: &Scope<'_>,
    context: SearchContext<'_>,
    request: &SearchRequest,
    plan: &Plan,
    sessions: &[i64],
) -> Result<(Vec<Candidate>, bool), IndexError> {
    let (numbers, is_all) = numbers(catalogue, request, plan, sessions)?;
    let candidates = look_up(catalogue, scope, &request.filter, &numbers)?;
    Ok((verify(context.texts, &plan.verification, candidates), is_all))
}

/// Messages of these sessions, highest first; the flag says whether it is all.
fn numbers(
    catalogue: &Catalogue,
    request: &SearchRequest,
    plan: &Plan,
    sessions: &[i64],
) -> Result<(Vec<MessageNumber>, bool), IndexError> {
    let marks = marks(&request.filter);
    let within = spans::of_sessions(&catalogue.connection, sessions.iter().copied())?;
    let find = |marks: &[Vec<Mark>], within: &MessageRanges, most: usize| {
        let question = Question {
            plan: Some(plan),
            marks,
            within: Some(within),
        };
        catalogue.engine().find(question, most)
    };
    // Whoever lists messages gets as many of the newest as there is room for.
    let most_of_one = match request.view {
        View::Sessions => MOST_OF_ONE,
        View::Messages => MOST_OF_ONE.max(request.limit),
    };
    let most = most_of_one.saturating_mul(if sessions.len() > 1 { 4 } else { 1 });
    let mut numbers = find(&marks, &within, most.saturating_add(1))?;
    if numbers.len() <= most {
        return Ok((numbers, true));
    }
    numbers.clear();
    if let [session] = sessions {
        // Within a file higher numbers are newer; its files were read in any order.
        let best = [&marks[..], &[vec![Mark::Kind(Kind::Title), Mark::Kind(Kind::Prompt)]]].concat();
        for within in spans::of_files(&catalogue.connection, *session)? {
            numbers.extend(find(&marks, &within, most)?);
            numbers.extend(find(&best, &within, MOST_OF_BEST)?);
        }
        numbers.sort_unstable_by_key(|number| Reverse(*number));
        numbers.dedup();
    } else {
        // One of them has so much that the others would not get their turn.
        for session in sessions {
            numbers.extend(self::numbers(catalogue, request, plan, &[*session])?.0);
        }
    }
    Ok((numbers, false))
}
