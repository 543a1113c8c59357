//! Answering a search: candidates from the engine, verified in the texts, ranked, and shown with a snippet.
//!
//! Up to [`MOST_CANDIDATES`] messages are looked at all together. A query that matches more is so common that no rank of all of them
//! could mean anything: then sessions are gone through in order of their activity until enough have been found.

mod candidates;
mod many;
mod name;
pub(crate) mod rank;
pub(crate) mod scope;
mod verify;

use std::path::PathBuf;

use sexton_register::SessionId;
use sexton_yard::tombstones::Tombstones;

use crate::catalogue::Catalogue;
use crate::error::IndexError;
use crate::facts::Facts;
use crate::matching::Needle;
use crate::message::Kind;
use crate::query::{SearchRequest, Sort, View};
use crate::snippet::{Snippet, snippet};
use crate::texts::{Origin, Texts};
use candidates::Candidate;
use scope::Scope;

/// So many matching messages are looked at together; looking one up takes some two microseconds.
const MOST_CANDIDATES: usize = 4000;

/// The width of a snippet unless a caller wants another, in characters.
pub const SNIPPET_WIDTH: usize = 160;

/// So many finds of a word are marked in one message at most.
const MOST_MARKS: usize = 50;

/// What a search needs to know beside the catalogue.
#[derive(Clone, Copy)]
pub struct SearchContext<'s> {
    /// Where texts are.
    pub texts: Texts<'s>,
    /// What is deleted; whatever the catalogue says, none of it is shown.
    pub tombstones: &'s Tombstones,
    /// Missing stamps and a person's routine verdicts.
    pub facts: &'s Facts,
    /// Names that only the caller knows, such as those in the register: they are found like titles.
    pub names: &'s [(SessionId, String)],
    /// How wide snippets are, in characters.
    pub width: usize,
}

/// A message that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The session it belongs to; that of the parent for a subagent's.
    pub session: SessionId,
    /// The session's title.
    pub title: Option<String>,
    /// The session's directory.
    pub directory: Option<PathBuf>,
    /// The session's last activity, in milliseconds since the Unix epoch.
    pub last_ms: Option<i64>,
    /// The subagent that it was said to or by: its file's name without `.jsonl`.
    pub agent: Option<String>,
    /// Where the file lies, or lay.
    pub path: PathBuf,
    /// The line of that file, from 1; 0 for a name that stands in no file.
    pub line: u64,
    /// Which part of the line, from 0.
    pub part: u32,
    /// What it is.
    pub kind: Kind,
    /// When it was said, in milliseconds since the Unix epoch.
    pub at_ms: Option<i64>,
    /// Matching messages of the session; at least so many if the answer is not [`Answer::is_exact`].
    pub matches: usize,
    /// What it says; `None` if the text can't be had any more.
    pub snippet: Option<Snippet>,
    /// Where the text was found.
    pub origin: Option<Origin>,
    /// Since when the session's transcript is missed, if it is.
    pub missing_since_ms: Option<i64>,
    /// Whether the session is routine.
    pub is_routine: bool,
}

/// The answer to a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The hits, in order, at most as many as were asked for.
    pub hits: Vec<Hit>,
    /// How many hits there are in all: sessions or messages, as the view says.
    pub total: usize,
    /// Whether `total` is exact; else there are more.
    pub is_exact: bool,
}

/// Searches the catalogue.
pub fn search(
    catalogue: &Catalogue,
    context: SearchContext<'_>,
    request: &SearchRequest,
) -> Result<Answer, IndexError> {
    let plan = request.query.plan()?;
    // One snapshot for all questions, while other processes write.
    let _snapshot = catalogue.connection.unchecked_transaction()?;
    let scope = Scope::of(catalogue, context, request)?;
    let (mut found, is_exact) = candidates::find(catalogue, &scope, context, request, &plan)?;
    name::add(catalogue, &scope, context, request, &mut found)?;
    let groups = rank::groups(found, request.sort, request.now_ms);
    let total = match request.view {
        View::Sessions => groups.len(),
        View::Messages => groups.iter().map(|group| group.messages.len()).sum(),
    };
    let mut chosen: Vec<(Candidate, usize)> = Vec::new();
    for group in groups {
        let matches = group.messages.len();
        let shown = if request.view == View::Sessions { 1 } else { matches };
        chosen.extend(group.messages.into_iter().take(shown).map(|message| (message, matches)));
    }
    if request.view == View::Messages && request.sort != Sort::Relevance {
        chosen.sort_by_key(|(message, _)| message.at_ms);
        if request.sort == Sort::Newest {
            chosen.reverse();
        }
    }
    chosen.truncate(request.limit);
    let needles: Vec<Needle> = request
        .query
        .positive_terms()
        .map(|term| Needle::new(&term.text, term.open_end))
        .collect();
    let hits = chosen
        .into_iter()
        .map(|(message, matches)| hit(context, &needles, &message, matches));
    Ok(Answer {
        hits: hits.collect(),
        total,
        is_exact,
    })
}

fn hit(context: SearchContext<'_>, needles: &[Needle], message: &Candidate, matches: usize) -> Hit {
    let mut snippet_of = None;
    let mut is_marked = false;
    let mut origin = None;
    let mut show = |text: &str| {
        let found: Vec<_> = needles
            .iter()
            .flat_map(|needle| needle.find(text, MOST_MARKS))
            .collect();
        // Of a text that comes in windows, the first that has something.
        if snippet_of.is_none() || (!is_marked && !found.is_empty()) {
            is_marked = !found.is_empty();
            snippet_of = Some(snippet(text, &found, context.width));
        }
    };
    let session = message.session.id;
    match &message.name {
        Some(name) => show(name),
        None => {
            if let Some(mut open) = context.texts.open(session, &message.file.path) {
                origin = Some(open.origin());
                // A text that can't be read is a hit without a snippet.
                let _ = message.read(&mut open, &mut show);
            }
        }
    }
    Hit {
        session,
        title: message.session.title.clone(),
        directory: message.session.directory.clone(),
        last_ms: message.session.last_ms,
        agent: message.file.agent.clone(),
        path: message.file.path.clone(),
        line: message.line,
        part: message.part,
        kind: message.kind,
        at_ms: message.at_ms,
        matches,
        snippet: snippet_of,
        origin,
        missing_since_ms: context.facts.missing.get(&session).copied(),
        is_routine: message.session.is_routine,
    }
}
