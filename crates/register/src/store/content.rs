//! A file's bytes as lines, and what each of them is.

use crate::line::{Fault, InvalidLine, is_json};
use crate::{Event, parse_event};

/// One line of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Counted from 1, blank lines included.
    pub(super) number: usize,
    /// The bytes without the newline.
    pub(super) bytes: &'a [u8],
    /// Whether a newline follows; only a last line may have none.
    pub(super) is_terminated: bool,
}

/// What a line is.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one at a time, and never kept")]
pub(super) enum Judgement {
    /// White space.
    Blank,
    /// An event.
    Event(Event),
    /// The beginning of a line whose writer was stopped: the one damage that reading passes over.
    CutShort,
    /// Anything else.
    Damaged(InvalidLine),
}

/// The lines of `content`, in order.
pub(super) fn lines(content: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut rest = content;
    let mut number = 0;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        number += 1;
        let newline = memchr::memchr(b'\n', rest);
        let (bytes, after) = match newline {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (rest, &[][..]),
        };
        rest = after;
        let is_terminated = newline.is_some();
        Some(Line {
            number,
            bytes,
            is_terminated,
        })
    })
}

impl Line<'_> {
    /// Decides what the line is.
    pub(super) fn judge(&self) -> Judgement {
        let Ok(text) = std::str::from_utf8(self.bytes) else {
            // A writer can be stopped in the middle of a character, too.
            return if self.is_terminated {
                Judgement::Damaged(Fault::NotUtf8.into())
            } else {
                Judgement::CutShort
            };
        };
        if text.trim().is_empty() {
            return Judgement::Blank;
        }
        match parse_event(text) {
            Ok(event) => Judgement::Event(event),
            Err(_) if !self.is_terminated && !is_json(text.trim()) => Judgement::CutShort,
            Err(what) => Judgement::Damaged(what),
        }
    }
}
