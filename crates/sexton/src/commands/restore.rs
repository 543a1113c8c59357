//! `sexton restore`

mod failures;
mod meant;
mod scratch;

use std::path::PathBuf;

use clap::ValueEnum;
use sexton_index::vault::Vault;
use sexton_yard::Yard;
use sexton_yard::gate::Vouched;
use sexton_yard::item::{ItemId, ItemResult};
use sexton_yard::restore::{
    self, Extracted, RestoreOptions, RestorePlan, Source, Sources, apply_all, clear_abandoned, plan_restores,
};

use super::yard::{Ground, report};
use crate::arguments::{DryRun, Unasked};
use crate::context::Context;
use crate::error::CommandError;
use crate::indexing::vault;
use crate::render::path::safe;
use crate::report::Report;
use failures::{Failures, refused};
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
    let mut failures = Failures::of(found.len());
    let sources = choose(found, arguments.from.map(Into::into), &mut failures)?;
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
    let mut scratches = Vec::new();
    let restored = extract(sources, &vault, &yard, context, &mut scratches, &mut failures).and_then(|extracted| {
        let planned = plan_restores(&yard, &survey, &extracted, &options, &vouched).map_err(refused)?;
        let plans = failures.those_that_go(extracted.iter().map(|(source, _)| source.id()).zip(planned))?;
        let back_to: Vec<_> = plans.iter().map(main_place).collect();
        Ok((apply_all(plans, &yard).map_err(CommandError::refused)?, back_to))
    });
    // Whatever came of it: scratch directories go again.
    for scratch in scratches {
        let applied = restored.as_ref().ok().map(|(applied, _)| applied);
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
    let report = report(context, &ground.effects, &applied, failures.left, done, |_, item| item)?;
    Ok(report.with_warnings(warnings.iter().map(ToString::to_string)))
}

/// Where each session comes from.
fn choose(
    found: Vec<Sources>,
    from: Option<restore::From>,
    failures: &mut Failures,
) -> Result<Vec<(ItemId, Source)>, CommandError> {
    let chosen = found.into_iter().map(|sources| {
        let id = sources.id.clone();
        let source = sources.choose(from);
        (id.clone(), source.map(|source| (id, source)))
    });
    failures.those_that_go(chosen)
}

/// Extracts what comes from the vault, for real in a dry run, too: a copy that can't be given back is no plan.
fn extract(
    sources: Vec<(ItemId, Source)>,
    vault: &Vault,
    yard: &Yard<'_>,
    context: &Context,
    scratches: &mut Vec<Scratch>,
    failures: &mut Failures,
) -> Result<Vec<(Source, Option<Extracted>)>, CommandError> {
    let mut extracted = Vec::new();
    for (id, source) in sources {
        let filled = Scratch::of(&source, yard, context).and_then(|scratch| {
            let filled = scratch.fill(&source, vault);
            scratches.push(scratch);
            filled
        });
        match filled {
            Ok(copy) => extracted.push((source, copy)),
            Err(error) => failures.add(&id, error)?,
        }
    }
    Ok(extracted)
}

/// Where the main file of a session will be.
fn main_place(plan: &RestorePlan) -> (ItemId, Option<PathBuf>) {
    (plan.id.clone(), plan.moves.first().map(|(_, to)| to.clone()))
}
