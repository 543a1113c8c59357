//! Looking through the transcripts themselves, so that the absence of a text can be proven; needs no index.
//!
//! What is compared is the decoded text, as in a search. A plain ASCII text is looked for in the raw bytes first, since JSON spells it
//! as it is; lines that have it, or could spell it with escapes, are then decoded.

mod files;
mod pattern;

use std::collections::BTreeMap;
use std::path::PathBuf;

use rayon::prelude::*;
use sexton_register::SessionId;
use sexton_yard::tombstones::Tombstones;

pub use pattern::Pattern;

use crate::catalogue::FileRole;
use crate::error::IndexError;
use crate::facts::Facts;
use crate::query::{Filter, Sort, View};
use crate::search::rank::{self, RankFacts, Ranked};
use crate::search::{Answer, Hit};
use crate::texts::Texts;

/// A file to look through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanFile {
    /// The session it belongs to.
    pub session: SessionId,
    /// What it is to the session.
    pub role: FileRole,
    /// Where it lies, or lay: then the archive or the vault is asked.
    pub path: PathBuf,
}

/// What is known of a session whose files are looked through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScanSession {
    /// Its title.
    pub title: Option<String>,
    /// Its directory.
    pub directory: Option<PathBuf>,
    /// Its last activity, in milliseconds since the Unix epoch.
    pub last_ms: Option<i64>,
    /// Whether it is routine.
    pub is_routine: bool,
}

/// What to look for, and where.
#[derive(Clone, Copy)]
pub struct ScanRequest<'s> {
    /// What to look for.
    pub pattern: &'s Pattern,
    /// The files.
    pub files: &'s [ScanFile],
    /// What is known of their sessions; for filters by directory and time, and for showing hits.
    pub sessions: &'s BTreeMap<SessionId, ScanSession>,
    /// Narrows the files first, then the messages.
    pub filter: &'s Filter,
    /// Where texts are.
    pub texts: Texts<'s>,
    /// What is deleted; none of it is shown.
    pub tombstones: &'s Tombstones,
    /// Missing stamps and a person's routine verdicts.
    pub facts: &'s Facts,
    /// In which order.
    pub sort: Sort,
    /// Sessions or messages.
    pub view: View,
    /// At most so many hits are kept.
    pub limit: usize,
    /// How wide snippets are, in characters.
    pub width: usize,
    /// The time, in milliseconds since the Unix epoch.
    pub now_ms: i64,
}

/// The answer to a scan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scanned {
    /// The hits; `total` is always exact.
    pub answer: Answer,
    /// How many files were looked through.
    pub files: usize,
    /// Files, or parts of them, that couldn't be: absence isn't proven there.
    pub problems: Vec<(PathBuf, String)>,
}

/// Of one file so many hits are kept to be shown; all are counted.
const MOST_OF_ONE: usize = 1000;

/// Looks through all files of the request.
pub fn scan(request: ScanRequest<'_>) -> Result<Scanned, IndexError> {
    let matchers = pattern::Matchers::new(request.pattern)?;
    let files: Vec<&ScanFile> = request
        .files
        .iter()
        .filter(|file| files::is_wanted(file, &request))
        .collect();
    let results: Vec<files::FileResult> = files
        .par_iter()
        .map(|file| files::look_through(file, &request, &matchers))
        .collect();
    let mut scanned = Scanned {
        files: files.len(),
        ..Scanned::default()
    };
    let mut hits = Vec::new();
    let mut uncounted: BTreeMap<SessionId, usize> = BTreeMap::new();
    for (file, result) in files.iter().zip(results) {
        *uncounted.entry(file.session).or_default() += result.beyond;
        hits.extend(result.hits);
        scanned
            .problems
            .extend(result.problem.map(|reason| (file.path.clone(), reason)));
    }
    let groups = rank::groups(hits, request.sort, request.now_ms);
    let mut all = Vec::new();
    for group in groups {
        let beyond = group
            .messages
            .first()
            .and_then(|hit| uncounted.get(&hit.session))
            .copied()
            .unwrap_or(0);
        let count = group.messages.len() + beyond;
        scanned.answer.total += if request.view == View::Sessions { 1 } else { count };
        let shown = if request.view == View::Sessions { 1 } else { usize::MAX };
        all.extend(
            group
                .messages
                .into_iter()
                .take(shown)
                .map(|hit| Hit { matches: count, ..hit }),
        );
    }
    if request.view == View::Messages && request.sort != Sort::Relevance {
        all.sort_by_key(|hit| hit.at_ms);
        if request.sort == Sort::Newest {
            all.reverse();
        }
    }
    all.truncate(request.limit);
    scanned.answer.hits = all;
    scanned.answer.is_exact = true;
    Ok(scanned)
}

impl Ranked for Hit {
    fn facts(&self) -> RankFacts<'_> {
        RankFacts {
            session: self.session,
            agent: self.agent.as_deref(),
            role: if self.agent.is_some() {
                FileRole::Subagent
            } else {
                FileRole::Transcript
            },
            line: self.line,
            part: self.part,
            kind: self.kind,
            at_ms: self.at_ms,
            last_ms: self.last_ms,
            is_routine: self.is_routine,
        }
    }
}
