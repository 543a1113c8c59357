//! `sexton tombstone`

use clap::Subcommand;
use sexton_register::SessionId;
use sexton_yard::item::{Applied, ItemId, ItemResult, Outcome as Came};
use sexton_yard::recovery::{Recovered, recover};
use sexton_yard::tombstones::{Tombstones, add_tombstones, remove_tombstones};
use sexton_yard::{Yard, YardError, load_tombstones, matches_session_id};

use super::yard::{Ground, report};
use crate::arguments::DryRun;
use crate::context::Context;
use crate::documents::{Item, ItemsDocument, Outcome};
use crate::error::CommandError;
use crate::render::{counted, lines, one_line, visible};
use crate::report::Report;
use crate::roll::{Address, find_known};

const EXAMPLES: &str = "\
Examples:
  sexton tombstone list
  sexton tombstone lift 3f8a21c4        the session is seen again, if it still lies where it was";

/// The ids of deleted sessions, which no tool that reads them brings back.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print every tombstone, one id a line
    List,
    /// Set tombstones: the sessions vanish from list and search; their files stay where they are
    Add(Change),
    /// Lift tombstones
    Lift(Change),
}

#[derive(Debug, clap::Args)]
struct Change {
    /// Sessions: full ids, or prefixes of at least 8 characters
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,

    #[command(flatten)]
    dry_run: DryRun,
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    match &arguments.action {
        Action::List => list(context),
        Action::Add(change) => {
            let done = |result: &ItemResult| match result.outcome {
                Came::AlreadyDone => format!("{} has a tombstone already", result.id),
                _ => format!("set a tombstone for {}", result.id),
            };
            let ground = Ground::look(context, change.dry_run.effects())?;
            let (recovered, tombstones) = settled(&ground, context)?;
            let ids = distinct(change, |text| to_add(text, context))?;
            let (there, open): (Vec<String>, Vec<String>) = ids.into_iter().partition(|id| tombstones.contains(id));
            let applied = apply(&ground, recovered, &there, &open, add_tombstones)?;
            report(context, &ground.effects, &applied, Vec::new(), done, |_, item| item)
        }
        Action::Lift(change) => {
            let done = |result: &ItemResult| match result.outcome {
                Came::AlreadyDone => format!("{} had no tombstone", result.id),
                _ => format!("lifted the tombstone of {}", one_line(result.id.as_str())),
            };
            let ground = Ground::look(context, change.dry_run.effects())?;
            let (recovered, tombstones) = settled(&ground, context)?;
            let ids = distinct(change, |text| to_lift(text, &tombstones))?;
            let (open, there): (Vec<String>, Vec<String>) = ids.into_iter().partition(|id| tombstones.contains(id));
            let applied = apply(&ground, recovered, &there, &open, remove_tombstones)?;
            report(context, &ground.effects, &applied, Vec::new(), done, |_, item| item)
        }
    }
}

/// The tombstones, once what was interrupted is settled: that can set and lift them, and is done whether or not there is more to do.
fn settled(ground: &Ground<'_>, context: &Context) -> Result<(Vec<Recovered>, Tombstones), CommandError> {
    let recovered = if ground.effects.is_dry_run() {
        Vec::new()
    } else {
        recover(&ground.yard()).map_err(CommandError::refused)?
    };
    let tombstones = load_tombstones(&context.places.tombstones).map_err(CommandError::unreadable)?;
    Ok((recovered, tombstones))
}

/// The ids that were typed, each once, in their order.
fn distinct(change: &Change, id: impl Fn(&str) -> Result<String, CommandError>) -> Result<Vec<String>, CommandError> {
    let mut ids: Vec<String> = Vec::new();
    for text in &change.ids {
        let id = id(text)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// The session that gets a tombstone: any full id, since whatever brought it back may not have come yet; a prefix only of what is known.
fn to_add(text: &str, context: &Context) -> Result<String, CommandError> {
    match SessionId::parse(&text.to_ascii_lowercase()) {
        Ok(session) => Ok(session.to_string()),
        Err(_) => find_known(context, text, Address::IdOnly).map(|(_, session)| session.to_string()),
    }
}

/// The tombstone that is lifted: a line of the file, which other tools may have written, whole, or by the prefix of a session's id.
fn to_lift(text: &str, tombstones: &Tombstones) -> Result<String, CommandError> {
    let lower = text.to_ascii_lowercase();
    if tombstones.contains(text) {
        return Ok(text.to_owned());
    }
    if SessionId::parse(&lower).is_ok() {
        return Ok(lower);
    }
    let is_meant = |id: &&str| SessionId::parse(id).is_ok() && matches_session_id(id, &lower);
    let meant: Vec<&str> = tombstones.iter().filter(is_meant).collect();
    match meant.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => Err(
            CommandError::refused(format_args!("there is no tombstone `{}`", visible(text)))
                .hint("`sexton tombstone list` shows them; an id needs at least 8 characters"),
        ),
        several => {
            let error = CommandError::refused(format_args!(
                "`{}` could be {}",
                visible(text),
                counted(several.len(), "session")
            ));
            let error = several
                .iter()
                .fold(error, |error, one| error.hint(format_args!("it could be {one}")));
            Err(error.hint("give more of the id"))
        }
    }
}

/// Changes what is not yet as it should be; where nothing is, no operation begins, and there is none to undo.
fn apply(
    ground: &Ground<'_>,
    recovered: Vec<Recovered>,
    there: &[String],
    open: &[String],
    change: impl Fn(&Yard<'_>, &[String]) -> Result<Applied, YardError>,
) -> Result<Applied, CommandError> {
    let mut applied = change(&ground.yard(), open).map_err(CommandError::refused)?;
    applied.recovered.splice(..0, recovered);
    applied.items.extend(there.iter().map(|id| ItemResult {
        id: ItemId::of_stem(id),
        outcome: Came::AlreadyDone,
        path: None,
        notes: Vec::new(),
    }));
    Ok(applied)
}

fn list(context: &Context) -> Result<Report, CommandError> {
    let tombstones = load_tombstones(&context.places.tombstones).map_err(CommandError::unreadable)?;
    if context.json {
        let items = tombstones.iter().map(|id| Item::named(id, Outcome::Kept)).collect();
        return Report::json(&ItemsDocument::new(false, items, &[], &[]));
    }
    Ok(Report::text(lines(tombstones.iter().map(one_line))))
}
