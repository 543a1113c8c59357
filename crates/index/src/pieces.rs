//! Messages put together from the items a reader gives: texts past 1 MiB come in several.
//!
//! A text that is longer than [`WINDOW`] is given in windows, so that memory has a bound whatever a line holds.

use sexton_claude::transcript::Item;

use crate::calls::OpenCalls;
use crate::message::{Kind, kind_of};

/// The reader cuts texts at 1 MiB; one that is much shorter is whole.
const SURELY_WHOLE: usize = 512 * 1024;

/// So much of a text is given at once, in bytes, and a little more.
pub(crate) const WINDOW: usize = 2 * 1024 * 1024;

/// How far a window reaches back into the one before, in bytes, so that what lies across the cut is seen.
const OVERLAP: usize = 64 * 1024;

/// One message with its text, or a window of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece<'p> {
    /// The line, from 1 where reading began.
    pub(crate) line: u64,
    /// Which item of its line it begins with, from 0.
    pub(crate) part: u32,
    pub(crate) kind: Kind,
    /// The tool that is called, or whose result it is if the call was among the items before.
    pub(crate) tool: Option<&'p str>,
    pub(crate) at_ms: Option<i64>,
    pub(crate) text: &'p str,
    /// How many bytes of the text were given with the piece before, of the same message; 0 for a message's first piece.
    pub(crate) again: usize,
}

/// Puts messages together.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    open: Option<Open>,
    calls: OpenCalls,
}

/// A message that may go on.
#[derive(Debug)]
struct Open {
    line: u64,
    part: u32,
    kind: Kind,
    tool: Option<String>,
    at_ms: Option<i64>,
    text: String,
    again: usize,
}

impl Open {
    fn piece(&self) -> Piece<'_> {
        Piece {
            line: self.line,
            part: self.part,
            kind: self.kind,
            tool: self.tool.as_deref(),
            at_ms: self.at_ms,
            text: &self.text,
            again: self.again,
        }
    }
}

impl Assembler {
    /// Takes an item; calls `see` with each message that is whole by now.
    pub(crate) fn take(&mut self, item: &Item<'_>, see: &mut dyn FnMut(Piece<'_>)) {
        if item.continues
            && let Some(open) = &mut self.open
        {
            if open.text.len() >= WINDOW {
                see(open.piece());
                let start = open.text.ceil_char_boundary(open.text.len() - OVERLAP);
                open.text.drain(..start);
                open.again = open.text.len();
            }
            open.text.push_str(item.text);
            return;
        }
        self.finish(see);
        let called = self.calls.take(item);
        let Some((kind, tool)) = kind_of(item) else {
            return;
        };
        let tool = tool.or(called.as_deref());
        if item.text.len() < SURELY_WHOLE {
            return see(Piece {
                line: item.line,
                part: item.part,
                kind,
                tool,
                at_ms: item.timestamp_ms,
                text: item.text,
                again: 0,
            });
        }
        self.open = Some(Open {
            line: item.line,
            part: item.part,
            kind,
            tool: tool.map(str::to_owned),
            at_ms: item.timestamp_ms,
            text: item.text.to_owned(),
            again: 0,
        });
    }

    /// Gives the last message, when no item follows.
    pub(crate) fn finish(&mut self, see: &mut dyn FnMut(Piece<'_>)) {
        if let Some(open) = self.open.take() {
            see(open.piece());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use sexton_claude::transcript::{Found, TranscriptReader};

    use super::*;

    /// The pieces of a message that says `text`, each as what is new in it and what was given before.
    fn pieces(text: &str) -> Vec<(String, String)> {
        let record = serde_json::json!({"type": "user", "message": {"role": "user", "content": text}});
        let mut pieces = Vec::new();
        let mut see = |piece: Piece<'_>| {
            let (again, new) = piece.text.split_at(piece.again);
            pieces.push((new.to_owned(), again.to_owned()));
        };
        let mut assembler = Assembler::default();
        TranscriptReader::new()
            .read(record.to_string().as_bytes(), &mut |found| {
                if let Found::Item(item) = found {
                    assembler.take(&item, &mut see);
                }
                ControlFlow::Continue(())
            })
            .unwrap();
        assembler.finish(&mut see);
        pieces
    }

    #[test]
    fn long_texts_come_in_windows_that_overlap() {
        let words: Vec<String> = (0..600_000).map(|number| format!("{number}é")).collect();
        let text = words.join(" ");
        let long = pieces(&text);
        assert!(long.len() > 2, "{}", long.len());
        assert_eq!(long.iter().map(|(new, _)| new.as_str()).collect::<String>(), text);
        for pair in long.windows(2) {
            let [(before, _), (_, again)] = pair else {
                unreachable!()
            };
            assert!(again.len() > OVERLAP - 4 && before.ends_with(again.as_str()));
        }
        assert_eq!(pieces("short"), [("short".to_owned(), String::new())]);
    }
}
