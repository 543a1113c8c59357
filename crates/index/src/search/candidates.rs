//! Messages that match, from the engine and verified.

use std::rc::Rc;

use super::many;
use super::rank::{RankFacts, Ranked};
use super::scope::{FileFacts, Scope, SessionFacts};
use super::verify::verify;
use super::{MOST_CANDIDATES, SearchContext};
use crate::catalogue::Catalogue;
use crate::engine::{Mark, MessageNumber, Question};
use crate::error::IndexError;
use crate::message::Kind;
use crate::query::{Filter, Plan, Role, SearchRequest};
use crate::spans::{self, Lookup};
use crate::texts::OpenText;

/// So many sessions are named in one question to the engine; beyond that they are sorted out afterwards.
const MOST_NAMED: usize = 64;

/// A matching message.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) session: Rc<SessionFacts>,
    pub(super) file: Rc<FileFacts>,
    pub(super) line: u64,
    pub(super) offset: u64,
    pub(super) part: u32,
    pub(super) kind: Kind,
    pub(super) at_ms: Option<i64>,
    /// The text itself, for a name that stands in no file.
    pub(super) name: Option<String>,
}

impl Candidate {
    /// Calls `see` with the text of the message; not at all if it isn't where it was.
    pub(super) fn read(&self, open: &mut OpenText, see: &mut dyn FnMut(&str)) -> std::io::Result<()> {
        read_part(open, self.offset, self.part, self.kind, see)
    }
}

impl Ranked for Candidate {
    fn facts(&self) -> RankFacts<'_> {
        RankFacts {
            session: self.session.id,
            agent: self.file.agent.as_deref(),
            role: self.file.role,
            line: self.line,
            part: self.part,
            kind: self.kind,
            at_ms: self.at_ms,
            last_ms: self.session.last_ms,
            is_routine: self.session.is_routine,
        }
    }
}

/// Calls `see` with the text of one part of a line, if it is of this kind.
pub(super) fn read_part(
    open: &mut OpenText,
    offset: u64,
    part: u32,
    kind: Kind,
    see: &mut dyn FnMut(&str),
) -> std::io::Result<()> {
    open.line(offset, &mut |piece| {
        if (piece.part, piece.kind) != (part, kind) {
            return;
        }
        match piece.tool {
            // Tokens of a call are those of its tool's name and of its input.
            Some(tool) if piece.kind == Kind::ToolCall => see(&format!("{tool}\n{}", piece.text)),
            _ => see(piece.text),
        }
    })
}

/// All candidates, or those of the first sessions by activity; the flag says whether it is all.
pub(super) fn find(
    catalogue: &Catalogue,
    scope: &Scope<'_>,
    context: SearchContext<'_>,
    request: &SearchRequest,
    plan: &Plan,
) -> Result<(Vec<Candidate>, bool), IndexError> {
    let marks = marks(&request.filter);
    let mut within = None;
    if let Some(allowed) = &scope.allowed {
        if allowed.is_empty() {
            return Ok((Vec::new(), true));
        }
        if allowed.len() <= MOST_NAMED {
            within = Some(spans::of_sessions(&catalogue.connection, allowed.keys().copied())?);
        }
    }
    let question = Question {
        plan: Some(plan),
        marks: &marks,
        within: within.as_ref(),
    };
    let numbers = catalogue.engine().find(question, MOST_CANDIDATES + 1)?;
    if numbers.len() > MOST_CANDIDATES {
        return many::find(catalogue, scope, context, request, plan);
    }
    let candidates = look_up(catalogue, scope, &request.filter, &numbers)?;
    Ok((verify(context.texts, &plan.verification, candidates), true))
}

/// The marks that a filter asks for.
pub(super) fn marks(filter: &Filter) -> Vec<Vec<Mark>> {
    let mut marks = Vec::new();
    if !filter.roles.is_empty() {
        let kinds = Kind::ALL
            .into_iter()
            .filter(|kind| filter.roles.contains(&Role::of(*kind)));
        marks.push(kinds.map(Mark::Kind).collect());
    }
    if !filter.tools.is_empty() {
        marks.push(filter.tools.iter().map(|tool| Mark::Tool(tool.clone())).collect());
    }
    marks
}

/// What the catalogue knows of these messages, as far as the filter lets them through.
pub(super) fn look_up(
    catalogue: &Catalogue,
    scope: &Scope<'_>,
    filter: &Filter,
    numbers: &[MessageNumber],
) -> Result<Vec<Candidate>, IndexError> {
    let mut lookup = Lookup::new(&catalogue.connection);
    let mut candidates = Vec::with_capacity(numbers.len());
    for number in numbers {
        let Some((file, placed)) = lookup.find(*number)? else {
            continue;
        };
        let Some(file) = scope.file(file)? else { continue };
        let Some(session) = scope.session(file.session)? else {
            continue;
        };
        let time = placed.at_ms.or(session.last_ms);
        let in_time = filter
            .since_ms
            .is_none_or(|since| time.is_some_and(|time| time >= since))
            && filter
                .before_ms
                .is_none_or(|before| time.is_some_and(|time| time < before));
        if in_time {
            candidates.push(Candidate {
                session,
                file,
                line: placed.line,
                offset: placed.offset,
                part: placed.part,
                kind: placed.kind,
                at_ms: placed.at_ms,
                name: None,
            });
        }
    }
    Ok(candidates)
}
