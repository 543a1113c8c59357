//! `sexton mark`

use clap::ValueEnum;
use sexton_register::{
    Draft, Mark, MarkState, SessionId, Source, Stamps, Text, append_event, read_session_tolerant, session_file,
    summarize,
};
use sexton_sys::Effects;

use super::changes;
use crate::arguments::DryRun;
use crate::context::Context;
use crate::documents::{Item, Outcome};
use crate::error::CommandError;
use crate::report::Report;
use crate::roll::{Address, find_known};

const EXAMPLES: &str = "\
Examples:
  sexton mark 3f8a21c4 on-hold --note 'after the release'
  sexton mark parser-rewrite done
  sexton mark 3f8a21c4 clear";

/// Mark a session on-hold, blocked or done, or clear its mark.
///
/// A mark is shown while nothing runs the session, and stays until another one or `clear` replaces it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The session: its id, a prefix of at least 8 characters, or its exact name
    session: String,

    /// The mark
    mark: MarkWord,

    /// Why, in your own words
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    #[command(flatten)]
    dry_run: DryRun,
}

/// The marks as they are typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MarkWord {
    /// Put aside, to be taken up again
    OnHold,
    /// Can't go on until something else happens
    Blocked,
    /// Nothing is left to do
    Done,
    /// No mark
    Clear,
}

impl MarkWord {
    fn state(self) -> Option<MarkState> {
        match self {
            Self::OnHold => Some(MarkState::OnHold),
            Self::Blocked => Some(MarkState::Blocked),
            Self::Done => Some(MarkState::Done),
            Self::Clear => None,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    let (_, session) = find_known(context, &arguments.session, Address::IdOrName)?;
    let state = arguments.mark.state();
    let effects = arguments.dry_run.effects();
    append(&effects, context, session, state, arguments.note.as_deref())?;
    let sentence = match state {
        Some(state) => format!("marked {session} {state}"),
        None => format!("cleared the mark of {session}"),
    };
    let item = Item::of_session(session, Outcome::Done).saying(&sentence);
    changes::report(context, &effects, &[sentence], vec![item], Vec::new())
}

/// Records a mark, or with `None` that there is none any more.
pub(crate) fn append(
    effects: &Effects,
    context: &Context,
    session: SessionId,
    state: Option<MarkState>,
    note: Option<&str>,
) -> Result<(), CommandError> {
    let mark = Mark {
        state,
        note: note.and_then(Text::new),
    };
    let stamps = Stamps::new(context.clock.as_ref());
    let mut draft = Draft::new(session, Source::User, mark);
    // A mark dated before the one it replaces, by a clock that was ahead, would count for nothing. A damaged file still takes a mark.
    let events = read_session_tolerant(&session_file(&context.places.register, session)).map(|reading| reading.events);
    if let Some(last_at) = summarize(session, events.unwrap_or_default()).last_at {
        draft = draft.not_before(&last_at, &stamps);
    }
    append_event(effects, &context.places.register, draft, &stamps).map_err(CommandError::refused)?;
    Ok(())
}
