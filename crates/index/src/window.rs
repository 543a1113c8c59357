//! A part of a conversation, as it was said.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::path::Path;

use sexton_claude::transcript::{Found, TranscriptReader};
use sexton_register::SessionId;

use crate::error::IndexError;
use crate::message::Kind;
use crate::pieces::{Assembler, Piece};
use crate::query::Role;
use crate::texts::{OpenText, Origin, Texts};

/// Which part is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The first messages.
    Start,
    /// The last messages.
    End,
    /// Messages before and after the one that this line, counted from 1, begins or ends with.
    Around(u64),
}

/// What is wanted of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowRequest {
    /// Which part.
    pub part: Part,
    /// How many messages; around a line so many on either side of it.
    pub count: usize,
    /// Whose words; empty for all.
    pub roles: BTreeSet<Role>,
    /// Longer messages are cut, in bytes.
    pub longest: usize,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowMessage {
    /// Its line, from 1.
    pub line: u64,
    /// Which part of the line, from 0.
    pub part: u32,
    /// What it is.
    pub kind: Kind,
    /// When it was said, in milliseconds since the Unix epoch.
    pub at_ms: Option<i64>,
    /// The tool that is called, or whose result it is.
    pub tool: Option<String>,
    /// What it says; not made safe for a terminal.
    pub text: String,
    /// How many bytes were cut off its end.
    pub cut: usize,
    /// Whether it stands in the line that was asked for.
    pub is_target: bool,
}

/// A part of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The messages, in the order of the file.
    pub messages: Vec<WindowMessage>,
    /// Where the text was found.
    pub origin: Origin,
    /// Whether there are messages before these.
    pub more_before: bool,
    /// Whether there are messages after these.
    pub more_after: bool,
    /// How many lines there are, if all of it was read.
    pub lines: Option<u64>,
}

/// Reads a part of the file of `session` that lies, or lay, at `path`; `None` if its text can't be had any more.
pub fn window(
    texts: Texts<'_>,
    session: SessionId,
    path: &Path,
    request: &WindowRequest,
) -> Result<Option<Window>, IndexError> {
    let open = texts.open(session, path);
    open.map(|open| window_of(open, path, request)).transpose()
}

/// Reads a part of an open text; `path` is named where that fails.
pub fn window_of(open: OpenText, path: &Path, request: &WindowRequest) -> Result<Window, IndexError> {
    let origin = open.origin();
    let mut gathering = Gathering::new(request);
    let mut assembler = Assembler::default();
    let mut reader = TranscriptReader::new();
    reader
        .read(open, &mut |found| {
            if let Found::Item(item) = found {
                assembler.take(&item, &mut |piece| gathering.take(piece));
            }
            if gathering.more_after {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
        .map_err(IndexError::io(path))?;
    assembler.finish(&mut |piece| gathering.take(piece));
    Ok(Window {
        messages: gathering.kept.into(),
        origin,
        more_before: gathering.dropped,
        more_after: gathering.more_after,
        lines: (!gathering.more_after).then(|| reader.state().lines()),
    })
}

struct Gathering<'r> {
    request: &'r WindowRequest,
    kept: VecDeque<WindowMessage>,
    /// Whether one was let go at the beginning.
    dropped: bool,
    more_after: bool,
    /// Messages that came after the line that was asked for.
    after: usize,
}

impl<'r> Gathering<'r> {
    fn new(request: &'r WindowRequest) -> Self {
        Self {
            request,
            kept: VecDeque::new(),
            dropped: false,
            more_after: false,
            after: 0,
        }
    }

    fn take(&mut self, piece: Piece<'_>) {
        if self.more_after {
            return;
        }
        let target = match self.request.part {
            Part::Around(line) => Some(line),
            Part::Start | Part::End => None,
        };
        let is_target = target == Some(piece.line);
        // The line that was asked for is shown whoever said it.
        if !is_target && !self.request.roles.is_empty() && !self.request.roles.contains(&Role::of(piece.kind)) {
            return;
        }
        let count = self.request.count;
        let is_full = match (self.request.part, target) {
            (Part::Start, _) => self.kept.len() >= count,
            (_, Some(line)) => piece.line > line && self.after >= count,
            _ => false,
        };
        if is_full {
            self.more_after = true;
            return;
        }
        if piece.again > 0 {
            // More of a message that was cut already.
            if let Some(last) = self
                .kept
                .back_mut()
                .filter(|last| last.part == piece.part && last.line == piece.line)
            {
                last.cut += piece.text.len() - piece.again;
            }
            return;
        }
        self.after += usize::from(target.is_some_and(|line| piece.line > line));
        self.kept.push_back(self.message(piece, is_target));
        let is_before = target.is_none_or(|line| piece.line < line);
        if self.request.part != Part::Start && is_before && self.kept.len() > count {
            self.kept.pop_front();
            self.dropped = true;
        }
    }

    fn message(&self, piece: Piece<'_>, is_target: bool) -> WindowMessage {
        let end = piece.text.floor_char_boundary(self.request.longest);
        WindowMessage {
            line: piece.line,
            part: piece.part,
            kind: piece.kind,
            at_ms: piece.at_ms,
            tool: piece.tool.map(str::to_owned),
            text: piece.text[..end].to_owned(),
            cut: piece.text.len() - end,
            is_target,
        }
    }
}
