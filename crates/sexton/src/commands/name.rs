//! `sexton name`

use sexton_register::{SeenName, Source, Stamps, capture_name};

use super::changes;
use crate::arguments::DryRun;
use crate::context::Context;
use crate::documents::{Item, Outcome};
use crate::error::CommandError;
use crate::render::visible;
use crate::report::Report;
use crate::roll::{Address, Row, find_known};

const EXAMPLES: &str = "\
Examples:
  sexton name 3f8a21c4 parser-rewrite
  sexton name parser-rewrite 'parser, second try'";

/// Give a session a name.
///
/// The name is kept when the process ends. A name that you give here outranks those the client makes up, until you rename the session in the client.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The session: its id, a prefix of at least 8 characters, or its exact name
    session: String,

    /// The name
    name: String,

    #[command(flatten)]
    dry_run: DryRun,
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    if arguments.name.trim().is_empty() {
        return Err(
            CommandError::usage("use an empty name").hint("a name needs at least one character that can be seen")
        );
    }
    let (roll, session) = find_known(context, &arguments.session, Address::IdOrName)?;
    let row = roll.rows.iter().find(|row| row.session == session);
    let lifecycle = row.and_then(|row| row.lifecycle.as_deref());
    let effects = arguments.dry_run.effects();
    let stamps = Stamps::new(context.clock.as_ref());
    let name = arguments.name.as_str();
    let seen = SeenName {
        session,
        name,
        name_source: Some("user"),
    };
    let written = capture_name(
        &effects,
        &context.places.register,
        lifecycle,
        seen,
        Source::User,
        &stamps,
    );
    let written = written.map_err(CommandError::refused)?;
    let (sentence, outcome) = match written {
        Some(_) => (format!("named {session} `{}`", visible(name)), Outcome::Done),
        None => (
            format!("{session} is called `{}` already", visible(name)),
            Outcome::Kept,
        ),
    };
    let item = Item::of_session(session, outcome).saying(&sentence);
    let report = changes::report(context, &effects, &[sentence], vec![item], Vec::new())?;
    Ok(report.with_warnings(row.and_then(|row| outranked(row, name))))
}

/// A name that a person gave in the client outranks this one for as long as the client's record is there.
fn outranked(row: &Row, name: &str) -> Option<String> {
    let newest = row.processes.iter().max_by_key(|process| process.started_at_ms)?;
    let shown = row.name.as_deref().filter(|shown| *shown != name)?;
    (newest.name_source.as_deref() == Some("user")).then(|| {
        format!(
            "the client calls it `{}`, as somebody named it there, and so do lists while its record is there: rename it in the client, \
             or, if it has ended, run `sexton prune` first",
            visible(shown)
        )
    })
}
