//! Messages put together from the items a reader gives: texts past 1 MiB come in several.

use sexton_claude::transcript::{Item, ItemKind};

use crate::message::{Kind, kind_of};

/// The reader cuts texts at 1 MiB; one that is much shorter is whole.
const SURELY_WHOLE: usize = 512 * 1024;

/// One message with all of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece<'p> {
    /// The line, from 1 where reading began.
    pub(crate) line: u64,
    /// Which item of its line it begins with, from 0.
    pub(crate) part: u32,
    pub(crate) kind: Kind,
    pub(crate) tool: Option<&'p str>,
    pub(crate) at_ms: Option<i64>,
    pub(crate) text: &'p str,
}

/// Puts messages together.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    open: Option<Open>,
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
}

impl Assembler {
    /// Takes an item; calls `see` with each message that is whole by now.
    pub(crate) fn take(&mut self, item: &Item<'_>, see: &mut dyn FnMut(Piece<'_>)) {
        if item.continues
            && let Some(open) = &mut self.open
        {
            open.text.push_str(item.text);
            return;
        }
        self.finish(see);
        let Some((kind, tool)) = kind_of(item) else {
            return;
        };
        if item.text.len() < SURELY_WHOLE {
            return see(Piece {
                line: item.line,
                part: item.part,
                kind,
                tool,
                at_ms: item.timestamp_ms,
                text: item.text,
            });
        }
        self.open = Some(Open {
            line: item.line,
            part: item.part,
            kind,
            tool: match &item.kind {
                ItemKind::ToolCall { name } => Some(name.to_string()),
                _ => None,
            },
            at_ms: item.timestamp_ms,
            text: item.text.to_owned(),
        });
    }

    /// Gives the last message, when no item follows.
    pub(crate) fn finish(&mut self, see: &mut dyn FnMut(Piece<'_>)) {
        if let Some(open) = self.open.take() {
            see(Piece {
                line: open.line,
                part: open.part,
                kind: open.kind,
                tool: open.tool.as_deref(),
                at_ms: open.at_ms,
                text: &open.text,
            });
        }
    }
}
