//! `sexton restore`

mod meant;
mod scratch;

use std::path::PathBuf;

use clap::ValueEnum;
use sexton_yard::gate::Vouched;
use sexton_yard::item::{Applied, ItemId, ItemResult};
use sexton_yard::restore::{
    self, Extracted, RestoreError, RestoreOptions, Source, Standing, apply_all, clear_abandoned, plan_restores,
};

use super::yard::{Ground, report};
use crate::arguments::{DryRun, Unasked};
use crate::context::Context;
use crate::documents::{Item, Outcome};
use crate::error::CommandError;
use crate::indexing::vault;
use crate::render::path::safe;
use crate::report::Report;
use meant::Meant;
use scratch::Scratch;

const EXAMPLES: &str = "\
Examples:
  sexton restore 3f8a21c4
  sexton restore parser-rewrite 9c01d2e3
  sexton restore 3f8a21c4 --from archive";

/// Bring sessions back from the trash, the archive or the vault.
///
/// Every file comes back to where it was, with content, mode and time; the tombstone is lifted. Files so old that Claude Code would delete
/// them at its next start get the present as their time, unless `--keep-mtime` says otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Sessions: ids, prefixes of at least 8 characters, or exact names
    #[arg(value_name = "ID|NAME", required = true)]
    sessions: Vec<String>,

    /// Where to take them from, if several places have one
    #[arg(long, value_name = "PLACE")]
    from: Option<From>,

    /// Leave all modification times as they were
    #[arg(long)]
    keep_mtime: bool,

    /// Restore although a session's process can't be judged from here; needs the full id
    #[arg(long)]
    unverified: bool,

    #[command(flatten)]
    dry_run: DryRun,

    #[command(flatten)]
    _unasked: Unasked,
}

/// The places that a session can come back from.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum From {
    /// The trash
    Trash,
    /// An archive
    Archive,
    /// The vault of compressed copies
    Vault,
}

impl std::convert::From<From> for restore::From {
    fn from(from: From) -> Self {
        match from {
            From::Trash => Self::Trash,
            From::Archive => Self::Archive,
            From::Vault => Self::Vault,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    let ground = Ground::look(context, arguments.dry_run.effects())?;
    let along = ground.along();
    let (yard, survey) = (ground.yard(), ground.survey(&along));
    let vault = vault(context);
    let found = Meant::look(&ground, &vault, context)?.sources(&arguments.sessions)?;
    let is_one = found.len() == 1;
    let from = arguments.from.map(Into::into);
    let (mut sources, mut left) = (Vec::new(), Vec::new());
    for sources_of_one in found {
        let id = sources_of_one.id.clone();
        match sources_of_one.choose(from) {
            Ok(source) => sources.push((id, source)),
            Err(error) if is_one => return Err(refused(error)),
            Err(error) => left.push(left_out(&id, &error)),
        }
    }
    let options = RestoreOptions {
        keep_mtime: arguments.keep_mtime,
        ..ground.restore_options()
    };
    let vouched = if arguments.unverified {
        Vouched::by_full_id(arguments.sessions.iter().map(String::as_str))
    } else {
        Vouched::nobody()
    };
    let mut warnings = Vec::new();
    if !ground.effects.is_dry_run() {
        warnings.extend(clear_abandoned(&yard, &|extracted| {
            vault.holds_all(extracted).unwrap_or(false)
        }));
    }
    // Extracted for real in a dry run, too: a copy that can't be given back is no plan. The scratch directories go again.
    let mut scratches = Vec::new();
    let mut extracted: Vec<(Source, Option<Extracted>)> = Vec::new();
    let mut failure = None;
    for (id, source) in sources {
        let filled = Scratch::of(&source, &yard, context).and_then(|scratch| {
            let filled = scratch.fill(&source, &vault);
            scratches.push(scratch);
            filled
        });
        match filled {
            Ok(copy) => extracted.push((source, copy)),
            Err(error) if is_one => failure = Some(error),
            Err(error) => left.push(Item::named(id.as_str(), Outcome::Failed).saying(error.to_string())),
        }
    }
    let restored = match failure {
        Some(error) => Err(error),
        None => plan_restores(&yard, &survey, &extracted, &options, &vouched)
            .map_err(refused)
            .and_then(|planned| {
                let mut plans = Vec::new();
                for ((source, _), plan) in extracted.iter().zip(planned) {
                    match plan {
                        Ok(plan) => plans.push(plan),
                        Err(error) if is_one => return Err(refused(error)),
                        Err(error) => left.push(left_out(&source.id(), &error)),
                    }
                }
                let back_to = plans.iter().map(|plan| {
                    let main = plan.moves.first().map(|(_, to)| to.clone());
                    (plan.id.clone(), main)
                });
                let back_to: Vec<(ItemId, Option<PathBuf>)> = back_to.collect();
                Ok((apply_all(plans, &yard).map_err(CommandError::refused)?, back_to))
            }),
    };
    let applied: Option<&Applied> = restored.as_ref().ok().map(|(applied, _)| applied);
    for scratch in scratches {
        warnings.extend(scratch.clear(&yard, applied).err());
    }
    let (applied, back_to) = restored?;
    let done = |result: &ItemResult| {
        let planned = back_to.iter().find(|(id, _)| *id == result.id);
        let planned = planned.and_then(|(_, path)| path.as_deref());
        match result.path.as_deref().or(planned) {
            Some(path) => format!("restored {} to {}", result.id, safe(path)),
            None => format!("restored {}", result.id),
        }
    };
    let report = report(context, &ground.effects, &applied, left, done, |_, item| item)?;
    Ok(report.with_warnings(warnings.iter().map(ToString::to_string)))
}

/// One of several that can't come back, and what to do about it.
fn left_out(id: &ItemId, error: &RestoreError) -> Item {
    let said = error.to_string();
    let what = said.strip_prefix(&format!("restore `{id}`: ")).unwrap_or(&said);
    let detail = match hint(error) {
        Some(hint) => format!("{what}; {hint}"),
        None => what.to_owned(),
    };
    Item::named(id.as_str(), Outcome::Failed).saying(detail)
}

fn hint(error: &RestoreError) -> Option<String> {
    let hint = match error {
        RestoreError::NotFound(_) => "`sexton trash list` and `sexton list --archived` show what can come back",
        RestoreError::Ambiguous { .. } => "give more of the id",
        RestoreError::SeveralSources { .. } => "choose one with `--from`",
        RestoreError::Present {
            standing: Standing::Same,
            ..
        } => "it holds what would come back; nothing needs to",
        RestoreError::Present {
            standing: Standing::Further,
            ..
        } => "it holds what would come back, and more; nothing needs to",
        RestoreError::Present { id, from, .. } => {
            let from = from.word();
            // The archive has room for one transcript of a session.
            let away = if from == restore::From::Archive.word() {
                format!("`sexton delete {id}`")
            } else {
                format!("`sexton archive {id}`")
            };
            return Some(format!(
                "the {from} holds other content: {away} puts away what is there, then `sexton restore {id} --from {from}` brings that back"
            ));
        }
        RestoreError::BlankManifest { .. } => "name the directory with `--config-dir`; all else comes back by its name",
        RestoreError::BaseGone { .. } => "mount the disk, or make the directory again",
        _ => return None,
    };
    Some(hint.to_owned())
}

fn refused(error: RestoreError) -> CommandError {
    let hint = hint(&error);
    let refused = CommandError::refused(error);
    match hint {
        Some(hint) => refused.hint(hint),
        None => refused,
    }
}
