//! `sexton tombstone`

use clap::Subcommand;
use sexton_yard::item::ItemResult;
use sexton_yard::load_tombstones;
use sexton_yard::tombstones::{add_tombstones, remove_tombstones};

use super::yard::{Ground, report};
use crate::arguments::DryRun;
use crate::context::Context;
use crate::documents::{Item, ItemsDocument, Outcome};
use crate::error::CommandError;
use crate::render::lines;
use crate::render::one_line;
use crate::report::Report;

const EXAMPLES: &str = "\
Examples:
  sexton tombstone list
  sexton tombstone lift 3f8a21c4-….";

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
    /// Full ids
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
            let ground = Ground::look(context, change.dry_run.effects())?;
            let applied = add_tombstones(&ground.yard(), &change.ids).map_err(CommandError::refused)?;
            let done = |result: &ItemResult| format!("set a tombstone for {}", one_line(result.id.as_str()));
            report(context, &ground.effects, &applied, Vec::new(), done, |_, item| item)
        }
        Action::Lift(change) => {
            let ground = Ground::look(context, change.dry_run.effects())?;
            let applied = remove_tombstones(&ground.yard(), &change.ids).map_err(CommandError::refused)?;
            let done = |result: &ItemResult| format!("lifted the tombstone of {}", one_line(result.id.as_str()));
            report(context, &ground.effects, &applied, Vec::new(), done, |_, item| item)
        }
    }
}

fn list(context: &Context) -> Result<Report, CommandError> {
    let tombstones = load_tombstones(&context.places.tombstones).map_err(CommandError::unreadable)?;
    if context.json {
        let items = tombstones.iter().map(|id| Item::named(id, Outcome::Kept)).collect();
        return Report::json(&ItemsDocument::new(false, items, &[], &[]));
    }
    Ok(Report::text(lines(tombstones.iter().map(one_line))))
}
