//! What to say of a session that can't be put away, since no transcript of it is where it would be taken from.

use std::fmt;

use sexton_register::SessionId;

use crate::context::Context;
use crate::error::CommandError;
use crate::render::visible;
use crate::roll::{Address, Disposal, Evidence, Row, find_known};

/// What was to be done with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    Archive,
    Delete,
}

impl fmt::Display for Wish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Archive => "archive",
            Self::Delete => "delete",
        })
    }
}

/// Why nothing answers to `text`, if a list shows a session that does; else `otherwise`.
pub(crate) fn nothing_to_move(context: &Context, wish: Wish, text: &str, otherwise: CommandError) -> CommandError {
    let Ok((roll, session)) = find_known(context, text, Address::IdOrName) else {
        return otherwise;
    };
    let Some(row) = roll.rows.iter().find(|row| row.session == session) else {
        return otherwise;
    };
    if !session.as_str().starts_with(&text.to_ascii_lowercase()) {
        // What moves sessions must not hang on a name that another one may get.
        let hint = match wish {
            Wish::Archive => format!("`sexton archive {session}`"),
            Wish::Delete => format!("`sexton delete {session}`"),
        };
        return CommandError::refused(format_args!(
            "{wish} `{}`: that is a name, and only ids are taken",
            visible(text)
        ))
        .hint(hint);
    }
    without_transcript(wish, session, row)
}

fn without_transcript(wish: Wish, session: SessionId, row: &Row) -> CommandError {
    let refused = |why: &str| CommandError::refused(format_args!("{wish} `{session}`: {why}"));
    if row.disposal == Some(Disposal::Deleted) {
        let hint = format!("`sexton restore {session}` brings it back, as long as the trash has it");
        return refused("it is deleted already").hint(hint);
    }
    if let Some(process) = row.process() {
        let why = format!("it has no transcript yet, and process {} runs it", process.pid);
        return refused(&why);
    }
    if row.has_copy {
        return refused("its transcript is gone, and a copy is left")
            .hint(format_args!("`sexton restore {session}` brings it back from the copy"));
    }
    let done = format!("`sexton mark {session} done` takes it out of the list");
    if row.evidence == Evidence::Catalogue || row.missing_since_ms.is_some() {
        return refused("its transcript is gone, and no copy was kept").hint(done);
    }
    refused("it has no transcript; only the register knows it")
        .hint("a session that never got a prompt has none, and Claude Code removes old ones")
        .hint(done)
}
