//! `sexton trash`

use clap::Subcommand;
use sexton_yard::facts::SessionFacts;
use sexton_yard::item::ItemResult;
use sexton_yard::trash::{EmptyPlan, Selection, TrashItem, plan_empty};

use super::yard::{Consent, Ground, PlanRow, confirm, plan_table, report};
use crate::arguments::DryRun;
use crate::context::Context;
use crate::documents::{Item, ItemsDocument, Outcome};
use crate::error::CommandError;
use crate::render::{counted, size};
use crate::report::Report;

const EXAMPLES: &str = "\
Examples:
  sexton trash list
  sexton trash empty                    what has lain there for more than 30 days
  sexton trash empty --older-than 7d
  sexton trash empty --all --dry-run";

/// What was deleted and can still come back.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the trash, the newest first
    List,
    /// Remove what has lain in the trash for more than 30 days, for good
    ///
    /// Another age can be configured as `trash.older_than`. This is the one way, beside `delete --purge`, that bytes are removed. The tombstones stay.
    Empty(Empty),
}

#[derive(Debug, clap::Args)]
struct Empty {
    /// What is older than this goes
    #[arg(long, value_name = "AGE", conflicts_with = "all")]
    older_than: Option<String>,

    /// Everything goes
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    consent: Consent,

    #[command(flatten)]
    dry_run: DryRun,
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    match &arguments.action {
        Action::List => list(context),
        Action::Empty(arguments) => empty(arguments, context),
    }
}

fn list(context: &Context) -> Result<Report, CommandError> {
    let ground = Ground::look(context, sexton_sys::Effects::record())?;
    let trash = ground.trash();
    let problems: Vec<String> = trash.problems.iter().map(ToString::to_string).collect();
    let report = if context.json {
        let items = trash.items.iter().map(|item| {
            Item::named(item.id.as_str(), Outcome::Kept)
                .at(&item.generation)
                .with_facts(&facts(item), item.manifest.bytes)
        });
        Report::json(&ItemsDocument::new(false, items.collect(), &[], &problems))?
    } else if trash.items.is_empty() {
        Report::text("").with_notes(["the trash is empty".to_owned()])
    } else {
        Report::text(table(&trash.items, context))
    };
    Ok(report.with_problems(problems))
}

fn empty(arguments: &Empty, context: &Context) -> Result<Report, CommandError> {
    let ground = Ground::look(context, arguments.dry_run.effects())?;
    let selection = match &arguments.older_than {
        _ if arguments.all => Selection::All,
        Some(age) => Selection::Before(context.old_date_ms(age)?),
        None => Selection::Before(context.old_date_ms(context.configuration.trash.older_than.as_str())?),
    };
    let plan = plan_empty(&ground.trash(), selection);
    let problems: Vec<String> = plan.problems.iter().map(ToString::to_string).collect();
    if plan.is_empty() {
        return super::changes::report(
            context,
            &ground.effects,
            &["nothing to remove".to_owned()],
            Vec::new(),
            problems,
        );
    }
    let shown = show(&plan, context);
    if !arguments.dry_run.dry_run {
        confirm(
            context,
            arguments.consent,
            &shown,
            "Remove them for good? This can't be undone.",
        )?;
    }
    let applied = plan.apply(&ground.yard()).map_err(CommandError::refused)?;
    let done = |result: &ItemResult| format!("removed {}", result.id);
    let mut report = report(context, &ground.effects, &applied, Vec::new(), done, |_, item| item)?;
    if ground.effects.is_dry_run() && !context.json {
        report.stdout = shown + &report.stdout;
    }
    Ok(report.with_problems(problems))
}

fn show(plan: &EmptyPlan, context: &Context) -> String {
    format!(
        "{}{}, {}\n",
        table(&plan.items, context),
        counted(plan.items.len(), "session"),
        size(plan.bytes)
    )
}

fn table(items: &[TrashItem], context: &Context) -> String {
    let facts: Vec<SessionFacts> = items.iter().map(facts).collect();
    let rows = items.iter().zip(&facts).map(|(item, facts)| PlanRow {
        id: item.id.as_str(),
        facts,
        at_ms: item.at_ms,
        bytes: item.manifest.bytes,
        remark: if item.is_deleted_session() {
            String::new()
        } else {
            "left behind by a client".to_owned()
        },
    });
    plan_table(rows, context)
}

fn facts(item: &TrashItem) -> SessionFacts {
    SessionFacts {
        title: item.manifest.title.clone(),
        directory: item.manifest.directory.as_ref().map(|directory| directory.0.clone()),
        ..SessionFacts::default()
    }
}
