//! `sexton undo`

use sexton_yard::item::ItemResult;
use sexton_yard::undo::{UndoError, UndoPlan, plan_possible_undo, plan_undo};

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
  sexton undo                           and again: the one before that
  sexton undo --skip                    passes over what can't be taken back";

/// Take back the last operation; again and again further back.
///
/// Covers archive, delete, restore and changes of tombstones. Not marks and names (set them again); what was emptied or purged is passed
/// over.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Pass over operations of which nothing can be taken back as things are
    #[arg(long)]
    skip: bool,

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
    let options = ground.restore_options();
    let plan = if arguments.skip {
        plan_possible_undo(&yard, &survey, &trash, &options)
    } else {
        plan_undo(&yard, &survey, &trash, &options)
    };
    let plan = match plan {
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
    let further = plan
        .is_empty()
        .then(|| "nothing of it can be taken back now; `sexton undo --skip` goes on to the one before".to_owned());
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
    Ok(report.with_notes([sentence]).with_notes(further))
}

fn sentence(plan: &UndoPlan, now_ms: i64) -> String {
    let when = plan
        .at_ms
        .map(|at| format!(" of {}", ago(at, now_ms)))
        .unwrap_or_default();
    format!("the {}{when}", plan.kind.word())
}
