//! `sexton delete`

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use sexton_index::catalogue::Catalogue;
use sexton_index::facts::Facts;
use sexton_register::SessionId;
use sexton_sys::{Effects, FileTime};
use sexton_yard::delete::{Place, Refused};
use sexton_yard::item::ItemResult;
use sexton_yard::trash::plan_purge;
use sexton_yard::{DeleteError, DeleteOptions, DeletePlan, plan_delete};

use super::yard::{Consent, Ground, PlanRow, Wish, confirm, failure, nothing_to_move, plan_table, report};
use crate::arguments::DryRun;
use crate::context::Context;
use crate::documents::{Item, Outcome};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::indexing::{catalogue_path, fact_store};
use crate::render::path::safe;
use crate::render::{counted, size};
use crate::report::Report;

const EXAMPLES: &str = "\
Examples:
  sexton delete 3f8a21c4
  sexton delete --inactive-before 90d --routine --dry-run
  sexton delete --cwd ~/work/old-project
  sexton undo                            brings the last delete back

Filters are ANDed; several ids are a union. Dates are ages (12h, 30d, 2w, 1y), days (2026-03-01, which begins at local midnight) or RFC 3339 times.";

/// Move sessions into the trash, with everything that belongs to them.
///
/// Shows the plan and asks. Live sessions stay. Each id gets a tombstone first, so that nothing brings the session back; `sexton restore` and
/// `sexton undo` do, byte for byte, until the trash is emptied.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "they are the command's flags")]
pub struct Arguments {
    /// Sessions: full ids, or prefixes of at least 8 characters
    #[arg(value_name = "ID")]
    sessions: Vec<String>,

    /// Only sessions whose transcript file was last written before then
    #[arg(long, value_name = "DATE")]
    before: Option<String>,

    /// Only sessions whose newest message is older than then
    #[arg(long, value_name = "DATE")]
    inactive_before: Option<String>,

    /// Only sessions whose transcript directory's name contains TEXT
    #[arg(long, value_name = "TEXT")]
    project: Option<String>,

    /// Only sessions of this directory and those below it
    // An empty path is no filter, as an empty text is none; clap's own parser of paths takes no empty one.
    #[arg(long, short = 'C', value_name = "PATH", value_parser = OsStringValueParser::new().map(PathBuf::from))]
    cwd: Option<PathBuf>,

    /// Only sessions of at most N messages
    #[arg(long, value_name = "N")]
    max_messages: Option<u64>,

    /// Only routine sessions: hardly anything was said
    #[arg(long)]
    routine: bool,

    /// Take a session named by full id although its process can't be judged from here
    #[arg(long)]
    unverified: bool,

    #[command(flatten)]
    consent: Consent,

    /// Also do it if filters take ten sessions or more, and more than half of all
    #[arg(long)]
    yes_most: bool,

    /// Remove the bytes, too: from the trash, at once, for good
    #[arg(long)]
    purge: bool,

    #[command(flatten)]
    dry_run: DryRun,
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    let ground = Ground::look(context, arguments.dry_run.effects())?;
    let along = ground.along();
    let (yard, survey) = (ground.yard(), ground.survey(&along));
    let plan = plan_delete(&yard, &survey, &options(arguments, context)?).map_err(|error| refused(error, context))?;
    let left: Vec<Item> = plan.refused.iter().map(left_out).collect();
    if plan.matched.is_empty() {
        return nothing(context, &ground, left);
    }
    let shown = show(&plan, context);
    if !arguments.dry_run.dry_run {
        if plan.takes_most() && !arguments.yes_most {
            return Err(CommandError::refused(format_args!("delete {}", share(&plan)))
                .hint("look at the plan with `--dry-run`")
                .hint("add `--yes-most` if you mean it"));
        }
        confirm(context, arguments.consent, &shown, "Move them into the trash?")?;
        if arguments.purge {
            confirm(
                context,
                arguments.consent,
                "",
                "Then remove them from the trash for good? This can't be undone.",
            )?;
        }
    }
    let facts: Vec<_> = plan
        .matched
        .iter()
        .map(|item| (item.id.clone(), item.facts.clone(), item.footprint_bytes))
        .collect();
    let operation = plan.operation().clone();
    let stays: Vec<String> = left
        .iter()
        .filter(|item| item.outcome == Outcome::Kept)
        .map(failure)
        .collect();
    let preview = arguments.purge.then(|| plan.purge_preview());
    let applied = plan.apply(&yard, &survey).map_err(CommandError::refused)?;
    if let Some(preview) = preview {
        preview.record(&ground.effects).map_err(CommandError::refused)?;
    }
    let dress = |result: &ItemResult, item: Item| match facts.iter().find(|(id, ..)| *id == result.id) {
        Some((_, facts, bytes)) => item.with_facts(facts, *bytes),
        None => item,
    };
    let mut report = report(
        context,
        &ground.effects,
        &applied,
        left,
        |result| format!("deleted {}", result.id),
        dress,
    )?;
    if arguments.purge && !ground.effects.is_dry_run() {
        let purged = plan_purge(&ground.trash(), &operation)
            .apply(&yard)
            .map_err(CommandError::refused)?;
        let failed = purged.items.iter().filter_map(|item| item.outcome.error());
        let gone = applied.items.iter().filter(|item| item.outcome.is_success());
        let gone: Vec<SessionId> = gone.filter_map(|item| item.id.session().copied()).collect();
        report = report
            .with_problems(failed.map(ToString::to_string))
            .with_problems(forget(&gone, context))
            .with_notes(["purged: this can't be undone".to_owned()]);
    } else if applied.items.iter().any(|item| item.outcome.is_success())
        && !context.json
        && !ground.effects.is_dry_run()
    {
        report = report.with_notes(["`sexton undo` brings them back".to_owned()]);
    }
    if ground.effects.is_dry_run() && !context.json {
        report.stdout = shown + &report.stdout;
    }
    Ok(report.with_notes(stays.into_iter().map(|sentence| format!("left out: {sentence}"))))
}

/// Takes the words and titles of these sessions out of the catalogue and the facts; what failed, as sentences.
fn forget(sessions: &[SessionId], context: &Context) -> Vec<String> {
    let effects = Effects::apply();
    let mut failed = Vec::new();
    let path = catalogue_path(context);
    if path.is_file()
        && let Err(error) = Catalogue::open(&path, &effects, context.now_ms())
            .and_then(|mut catalogue| sessions.iter().try_for_each(|session| catalogue.forget(*session)))
    {
        failed.push(format!(
            "the text of purged sessions is still in {}: {error}; deleting the catalogue removes it, too, and loses nothing else",
            safe(&path)
        ));
    }
    let facts = fact_store(context);
    let is_remembered = |facts: &Facts| sessions.iter().any(|session| facts.remembered.contains_key(session));
    let forgotten = match facts.load() {
        Ok(known) if !is_remembered(&known) => Ok(()),
        _ => facts
            .update(&effects, |facts| {
                facts.remembered.retain(|session, _| !sessions.contains(session));
            })
            .map(drop),
    };
    failed.extend(
        forgotten
            .err()
            .map(|error| format!("the titles of purged sessions are still remembered: {error}")),
    );
    failed
}

fn options(arguments: &Arguments, context: &Context) -> Result<DeleteOptions, CommandError> {
    let date = |text: &Option<String>| {
        text.as_deref()
            .filter(|text| !text.is_empty())
            .map(|text| context.old_date_ms(text))
            .transpose()
    };
    Ok(DeleteOptions {
        before: date(&arguments.before)?.map(FileTime::from_ms),
        inactive_before_ms: date(&arguments.inactive_before)?,
        project: arguments.project.clone(),
        cwd: arguments
            .cwd
            .as_ref()
            .filter(|cwd| !cwd.as_os_str().is_empty())
            .map(|cwd| context.real_directory(cwd)),
        max_messages: arguments.max_messages,
        sessions: arguments.sessions.clone(),
        routine: arguments.routine,
        unverified: arguments.unverified,
    })
}

fn refused(error: DeleteError, context: &Context) -> CommandError {
    let hint = match &error {
        DeleteError::NoFilter => {
            "name sessions, or use `--before`, `--inactive-before`, `--project`, `--cwd`, `--max-messages` or `--routine`"
        }
        DeleteError::NotFound(_) => "`sexton list --all` shows every session; an id needs at least 8 characters",
        DeleteError::Ambiguous { .. } => "give more of the id",
        _ => return CommandError::refused(error),
    };
    let text = match &error {
        DeleteError::NotFound(text) => Some(text.clone()),
        _ => None,
    };
    let refused = CommandError::refused(error).hint(hint);
    match text {
        Some(text) => nothing_to_move(context, Wish::Delete, &text, refused),
        None => refused,
    }
}

/// The plan for a person: the sessions, then what share of everything they are.
fn show(plan: &DeletePlan, context: &Context) -> String {
    let rows = plan.matched.iter().map(|item| PlanRow {
        id: item.id.as_str(),
        facts: &item.facts,
        at_ms: item.facts.last_activity_ms.or(item.modified.map(FileTime::as_ms)),
        bytes: item.footprint_bytes,
        remark: match item.place {
            Place::Projects if item.facts.routine == Some(true) => "routine".to_owned(),
            Place::Projects => String::new(),
            place => place.word().to_owned(),
        },
    });
    format!("{}{}\n", plan_table(rows, context), share(plan))
}

fn share(plan: &DeletePlan) -> String {
    let (taken, all) = (plan.matched.len(), plan.sessions.max(plan.matched.len()));
    format!(
        "{taken} of {} ({}%), {}",
        counted(all, "session"),
        taken * 100 / all.max(1),
        size(plan.total_bytes)
    )
}

/// A session that was met and stays.
fn left_out(refused: &Refused) -> Item {
    let outcome = if refused.named { Outcome::Failed } else { Outcome::Kept };
    Item::named(refused.id.as_str(), outcome).saying(refused.error.to_string())
}

fn nothing(context: &Context, ground: &Ground<'_>, left: Vec<Item>) -> Result<Report, CommandError> {
    let failed: Vec<String> = left
        .iter()
        .filter(|item| item.outcome == Outcome::Failed)
        .map(failure)
        .collect();
    let kept: Vec<String> = left
        .iter()
        .filter(|item| item.outcome == Outcome::Kept)
        .map(failure)
        .collect();
    let exit = if failed.is_empty() { Exit::Done } else { Exit::Refused };
    let sentence = "nothing to delete".to_owned();
    let report = super::changes::report(context, &ground.effects, &[sentence], left, failed)?;
    Ok(report
        .exactly(exit)
        .with_notes(kept.into_iter().map(|sentence| format!("left out: {sentence}"))))
}
