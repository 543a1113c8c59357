//! When more matches than anyone could rank: session by session, in order of activity, until there are enough.

use super::SearchContext;
use super::candidates::{Candidate, look_up, marks};
use super::scope::Scope;
use super::verify::verify;
use crate::catalogue::Catalogue;
use crate::engine::Question;
use crate::error::IndexError;
use crate::query::{Plan, SearchRequest, Sort, View};
use crate::spans;

/// Sessions that are asked for at once.
const CHUNK: usize = 16;

/// Of one session so many messages are looked at.
const MOST_OF_ONE: usize = 500;

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
    let mut enough = 0;
    let mut is_exact = true;
    let mut chunks = sessions.chunks(CHUNK);
    for chunk in chunks.by_ref() {
        let numbers: Vec<i64> = chunk.iter().map(|(number, _)| *number).collect();
        let (mut some, is_all) = of_sessions(catalogue, scope, context, request, plan, &numbers)?;
        enough += match request.view {
            View::Sessions => {
                let mut sessions: Vec<i64> = some.iter().map(|candidate| candidate.session.number).collect();
                sessions.sort_unstable();
                sessions.dedup();
                sessions.len()
            }
            View::Messages => some.len(),
        };
        is_exact &= is_all;
        found.append(&mut some);
        if enough >= wanted {
            break;
        }
    }
    Ok((found, is_exact && chunks.next().is_none()))
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
    let marks = marks(&request.filter);
    let within = spans::of_sessions(&catalogue.connection, sessions.iter().copied())?;
    let question = Question {
        plan: Some(plan),
        marks: &marks,
        within: Some(&within),
    };
    let most = MOST_OF_ONE * if sessions.len() > 1 { 4 } else { 1 };
    let numbers = catalogue.engine().find(question, most + 1)?;
    if numbers.len() <= most || sessions.len() == 1 {
        let candidates = look_up(catalogue, scope, &request.filter, &numbers)?;
        return Ok((
            verify(context.texts, &plan.verification, candidates),
            numbers.len() <= most,
        ));
    }
    // One of them has so much that the others would not get their turn.
    let mut all = Vec::new();
    for session in sessions {
        all.extend(of_sessions(catalogue, scope, context, request, plan, &[*session])?.0);
    }
    Ok((all, false))
}
