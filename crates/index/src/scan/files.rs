//! One file of a scan.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use grep_matcher::Matcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use sexton_claude::transcript::{Found, ProblemKind, TranscriptReader};

use super::pattern::Matchers;
use super::{MOST_OF_ONE, ScanFile, ScanRequest};
use crate::pieces::{Assembler, Piece};
use crate::query::Role;
use crate::search::Hit;
use crate::search::scope::agent_of;
use crate::snippet::snippet;
use crate::texts::Origin;

/// A longer line than this, in bytes, is a problem of its file: as for the reader, with room for the buffer around it.
const LONGEST_LINE: usize = 72 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct FileResult {
    pub(super) hits: Vec<Hit>,
    /// Hits that were counted only.
    pub(super) beyond: usize,
    pub(super) problem: Option<String>,
}

/// Whether the filter and the tombstones let this file through.
pub(super) fn is_wanted(file: &ScanFile, request: &ScanRequest<'_>) -> bool {
    let filter = request.filter;
    if request.tombstones.contains(file.session.as_str()) {
        return false;
    }
    let known = request.sessions.get(&file.session);
    let in_project = filter.project.as_ref().is_none_or(|text| {
        // Of a subagent's path the project is the directory above the session's own.
        let above = file
            .path
            .ancestors()
            .find(|path| path.file_stem().is_some_and(|stem| stem == file.session.as_str()));
        let label = above
            .and_then(Path::parent)
            .and_then(Path::file_name)
            .unwrap_or_default();
        memchr::memmem::find(label.as_encoded_bytes(), text.as_bytes()).is_some()
    });
    let in_directory = filter.cwd.as_ref().is_none_or(|cwd| {
        known
            .and_then(|known| known.directory.as_ref())
            .is_some_and(|directory| directory.starts_with(cwd))
    });
    let is_recent = filter
        .since_ms
        .is_none_or(|since| known.and_then(|known| known.last_ms).is_none_or(|last| last >= since));
    let is_named = filter
        .sessions
        .as_ref()
        .is_none_or(|sessions| sessions.contains(&file.session));
    in_project && in_directory && is_recent && is_named
}

/// Finds everything in one file.
pub(super) fn look_through(file: &ScanFile, request: &ScanRequest<'_>, matchers: &Matchers) -> FileResult {
    let mut result = FileResult::default();
    let Some(open) = request.texts.open(file.session, &file.path) else {
        result.problem = Some("its text can't be had any more".to_owned());
        return result;
    };
    let mut looking = Looking {
        file,
        request,
        matchers,
        origin: open.origin(),
        result,
    };
    // Which tool a result is of is told by lines that need not hold the text.
    let outcome = match &matchers.raw {
        Some(raw) if request.filter.tools.is_empty() => {
            let mut searcher = SearcherBuilder::new()
                .line_number(true)
                .binary_detection(BinaryDetection::none())
                .heap_limit(Some(LONGEST_LINE))
                .bom_sniffing(false)
                .build();
            searcher.search_reader(raw, open, &mut looking)
        }
        _ => looking.decode(open, 0),
    };
    let mut result = looking.result;
    if let Err(error) = outcome {
        result.problem = Some(error.to_string());
    }
    result
}

struct Looking<'l> {
    file: &'l ScanFile,
    request: &'l ScanRequest<'l>,
    matchers: &'l Matchers,
    origin: Origin,
    result: FileResult,
}

impl Looking<'_> {
    /// Decodes what `source` holds; the lines before it are `before`.
    fn decode(&mut self, source: impl io::Read, before: u64) -> io::Result<()> {
        let mut too_long = None;
        let mut assembler = Assembler::default();
        TranscriptReader::new().read(source, &mut |found| {
            match found {
                Found::Item(item) => assembler.take(&item, &mut |piece| self.look_at(piece, before)),
                Found::Problem(problem) if problem.kind == ProblemKind::TooLong => {
                    too_long = Some(problem.line + before);
                }
                Found::Problem(_) => {}
            }
            ControlFlow::Continue(())
        })?;
        assembler.finish(&mut |piece| self.look_at(piece, before));
        if let Some(line) = too_long {
            self.result.problem = Some(format!("line {line} is too long to be looked through"));
        }
        Ok(())
    }

    fn look_at(&mut self, piece: Piece<'_>, before: u64) {
        let filter = self.request.filter;
        let is_wanted = (filter.roles.is_empty() || filter.roles.contains(&Role::of(piece.kind)))
            && (filter.tools.is_empty()
                || piece
                    .tool
                    .is_some_and(|tool| filter.tools.iter().any(|wanted| wanted.eq_ignore_ascii_case(tool))))
            && filter
                .since_ms
                .is_none_or(|since| piece.at_ms.is_none_or(|at| at >= since))
            && filter
                .before_ms
                .is_none_or(|before| piece.at_ms.is_none_or(|at| at < before));
        if !is_wanted {
            return;
        }
        let mut found = Vec::new();
        // The matcher's own error type has no values.
        let _ = self.matchers.text.find_iter(piece.text.as_bytes(), |place| {
            // An expression can match inside a character only if it turns Unicode off.
            let is_whole = piece.text.is_char_boundary(place.start()) && piece.text.is_char_boundary(place.end());
            found.extend(is_whole.then(|| place.start()..place.end()));
            found.len() < 50
        });
        if found.is_empty() {
            return;
        }
        let is_counted = |hit: &Hit| (hit.line, hit.part) == (piece.line + before, piece.part);
        if piece.again > 0 && self.result.hits.last().is_some_and(is_counted) {
            return;
        }
        if self.result.hits.len() >= MOST_OF_ONE {
            self.result.beyond += 1;
            return;
        }
        let session = self.file.session;
        let known = self.request.sessions.get(&session).cloned().unwrap_or_default();
        let verdict = self.request.facts.routine.get(&session);
        self.result.hits.push(Hit {
            session,
            title: known.title,
            directory: known.directory,
            last_ms: known.last_ms,
            agent: agent_of(&self.file.path, self.file.role),
            path: self.file.path.clone(),
            line: piece.line + before,
            part: piece.part,
            kind: piece.kind,
            at_ms: piece.at_ms,
            matches: 0,
            snippet: Some(snippet(piece.text, &found, self.request.width)),
            origin: Some(self.origin),
            missing_since_ms: self.request.facts.missing.get(&session).copied(),
            is_routine: verdict.copied().unwrap_or(known.is_routine),
        });
    }
}

impl Sink for Looking<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> io::Result<bool> {
        let before = line.line_number().unwrap_or(1) - 1;
        self.decode(line.bytes(), before)?;
        Ok(true)
    }
}
