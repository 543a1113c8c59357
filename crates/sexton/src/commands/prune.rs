//! `sexton prune`

use sexton_claude::registry::{Removal, StaleRecord, remove_stale, stale_records};
use sexton_sys::Effects;
use sexton_sys::process::own_pid_domain;

use super::changes;
use crate::arguments::{DryRun, Unasked};
use crate::context::Context;
use crate::documents::{Item, Outcome};
use crate::error::CommandError;
use crate::render::path::safe;
use crate::report::Report;
use crate::roll::{look, record, record_crashes};

const EXAMPLES: &str = "\
Examples:
  sexton prune --dry-run
  sexton prune";

/// Remove registry files that dead processes left behind.
///
/// Claude Code leaves the registry file and the key file of a killed client for ever. What only they know, the name and the crash, is recorded
/// first; then those are removed whose process is provably dead at that moment.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    dry_run: DryRun,

    #[command(flatten)]
    _unasked: Unasked,
}

/// Runs the command.
pub fn run(arguments: Arguments, context: &Context) -> Result<Report, CommandError> {
    prune(&arguments.dry_run.effects(), context)
}

/// Prunes, or records what pruning would do.
pub(crate) fn prune(effects: &Effects, context: &Context) -> Result<Report, CommandError> {
    let mut sources = look(context)?;
    let observation = &sources.observation;
    let stale: Vec<StaleRecord> = observation
        .registries
        .iter()
        .flat_map(|registry| stale_records(&registry.scan, &observation.observed[registry.range.clone()]))
        .collect();
    let pass = record(context, &mut sources, effects);
    let crashes = record_crashes(context, &mut sources, &stale, effects);
    let mut problems: Vec<String> = sources.problems.clone();
    problems.extend(
        pass.problems
            .iter()
            .chain(&pass.sweep.problems)
            .chain(&crashes.problems)
            .map(ToString::to_string),
    );

    let (mut sentences, mut items) = (Vec::new(), Vec::new());
    let own = own_pid_domain();
    for record in &stale {
        let session = record.record.session;
        let file = &record.record.path;
        if crashes.unrecorded.contains(&session) || pass.unnamed.contains(&session) {
            items.push(
                Item::of_session(session, Outcome::Failed)
                    .at(file)
                    .saying("what it knows could not be recorded"),
            );
            problems.push(format!("kept {}: what it knows could not be recorded", file.display()));
            continue;
        }
        let item = match remove_stale(effects, record, own.as_ref()) {
            Ok(Removal::Removed(files)) => {
                sentences.extend(files.iter().map(|file| format!("removed {}", safe(file))));
                Item::of_session(session, Outcome::Done).at(file)
            }
            Ok(Removal::Kept(why)) => {
                sentences.push(format!("kept {}: it {why}", safe(file)));
                Item::of_session(session, Outcome::Kept)
                    .at(file)
                    .saying(why.to_string())
            }
            Ok(_) => Item::of_session(session, Outcome::Kept).at(file),
            Err(error) => {
                problems.push(error.to_string());
                Item::of_session(session, Outcome::Failed)
                    .at(file)
                    .saying(error.to_string())
            }
        };
        items.push(item);
    }
    let problems = changes::each_once(problems);
    if sentences.is_empty() && problems.is_empty() {
        sentences.push("nothing to prune".to_owned());
    }
    changes::report(context, effects, &sentences, items, problems)
}

#[cfg(test)]
mod tests;
