//! `sexton undo`

use sexton_yard::item::ItemResult;
use sexton_yard::undo::{UndoError, UndoPlan, plan_undo};

use super::changes;
use super::yard::{Ground, report};
use crate::arguments::{DryRun, Unasked};
use crate::context::Context;
use crate::documents::{Item, Outcome};
use crate::error::CommandError;
use crate::render::ago;
use crate::report::Report;

const EXAMPLES: &str = "\
Examples:
  sexton undo                           takes back the last archive, delete, restore or tombstone change
  sexton undo                           and again: the one before that";

/// Take back the last operation; again and again further back.
///
/// Covers archive, delete, restore and changes of tombstones. Not marks and names (set them again), and not what was emptied or purged.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    dry_run: DryRun,

    #[command(flatten)]
    _unasked: Unasked,
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    let ground = Ground::look(context, arguments.dry_run.effects())?;
    let along = ground.along();
    let (yard, survey) = (ground.yard(), ground.survey(&along));
    let trash = ground.trash();
    let plan = match plan_undo(&yard, &survey, &trash, &ground.restore_options()) {
        Ok(plan) => plan,
        Err(UndoError::Nothing) => {
            return changes::report(
                context,
                &ground.effects,
                &["nothing to undo".to_owned()],
                Vec::new(),
                Vec::new(),
            );
        }
        Err(error) => return Err(CommandError::refused(error)),
    };
    let sentence = sentence(&plan, context.now_ms());
    let left = plan
        .refused
        .iter()
        .map(|(id, error)| Item::named(id.as_str(), Outcome::Failed).saying(error.to_string()));
    let left: Vec<Item> = left.collect();
    let applied = plan.apply(&yard, &survey).map_err(CommandError::refused)?;
    let report = report(
        context,
        &ground.effects,
        &applied,
        left,
        |result: &ItemResult| format!("undone: {}", result.id),
        |_, item| item,
    )?;
    Ok(report.with_notes([sentence]))
}

fn sentence(plan: &UndoPlan, now_ms: i64) -> String {
    let when = plan
        .at_ms
        .map(|at| format!(" of {}", ago(at, now_ms)))
        .unwrap_or_default();
    format!("the {}{when}", plan.kind.word())
}
