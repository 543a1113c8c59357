//! `sexton archive`

use std::path::{Path, PathBuf};

use sexton_yard::archive::{ArchiveError, ArchiveItem, ArchiveRequest};
use sexton_yard::gate::Vouched;
use sexton_yard::item::ItemResult;
use sexton_yard::plan_archive;

use super::yard::{Ground, Wish, nothing_to_move, report};
use crate::arguments::{DryRun, Unasked};
use crate::context::Context;
use crate::documents::{Item, Outcome};
use crate::error::CommandError;
use crate::render::path::safe;
use crate::report::Report;

const EXAMPLES: &str = "\
Examples:
  sexton archive 3f8a21c4
  sexton archive ~/.claude/projects/-home-me-work/3f8a21c4-….jsonl --archive-dir ~/old-sessions
  sexton restore 3f8a21c4               brings it back to where it was";

/// Move sessions out of the projects tree, where Claude Code deletes them after some weeks.
///
/// The whole session goes along, to `archive/` of its configuration directory or to `archive_dir` of the configuration. Prints where each transcript lies
/// afterwards. Live sessions are refused.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Sessions: full ids, prefixes of at least 8 characters, or paths of transcripts
    #[arg(value_name = "ID|PATH", required = true)]
    sessions: Vec<PathBuf>,

    /// Take a session named by full id although its process can't be judged from here
    #[arg(long)]
    unverified: bool,

    #[command(flatten)]
    dry_run: DryRun,

    #[command(flatten)]
    _unasked: Unasked,
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    let archive = context.configuration.archive_dir.as_deref();
    let ground = Ground::look(context, arguments.dry_run.effects())?;
    let along = ground.along();
    let (yard, survey) = (ground.yard(), ground.survey(&along));
    let requests: Vec<ArchiveRequest> = arguments.sessions.iter().map(|text| request(text, context)).collect();
    let vouched = if arguments.unverified {
        Vouched::by_full_id(arguments.sessions.iter().filter_map(|text| text.to_str()))
    } else {
        Vouched::nobody()
    };
    let plan = plan_archive(&yard, &survey, &requests, archive, &vouched).map_err(|error| refused(error, context))?;
    let left = plan
        .refused
        .iter()
        .map(|(id, error)| Item::named(id.as_str(), Outcome::Failed).saying(error.to_string()));
    let left: Vec<Item> = left.collect();
    let planned: Vec<ArchiveItem> = plan.items.clone();
    let applied = plan.apply(&yard, &survey).map_err(CommandError::refused)?;
    let planned_of = |result: &ItemResult| planned.iter().find(|item| result.id.session() == Some(&item.session));
    // One path a line: the answer that scripts read.
    let done = |result: &ItemResult| {
        let path = result
            .path
            .as_deref()
            .or_else(|| planned_of(result).map(|item| item.to.as_path()));
        path.map(safe).unwrap_or_default()
    };
    let dress = |result: &ItemResult, item: Item| match planned_of(result) {
        Some(planned) => item.at(&planned.to).with_facts(&planned.facts, planned.bytes),
        None => item,
    };
    report(context, &ground.effects, &applied, left, done, dress)
}

/// A path if it looks like one, else an id: ids have neither a slash nor an ending.
fn request(text: &Path, context: &Context) -> ArchiveRequest {
    let looks_like_path = text.components().count() > 1 || text.extension().is_some();
    match text.to_str().filter(|_| !looks_like_path) {
        Some(id) => ArchiveRequest::Id(id.to_owned()),
        None => ArchiveRequest::Path(context.absolute(text)),
    }
}

fn refused(error: ArchiveError, context: &Context) -> CommandError {
    let hint = match &error {
        ArchiveError::NotFound(_) => "`sexton list --all` shows every session; an id needs at least 8 characters",
        ArchiveError::Ambiguous { .. } => "give more of the id",
        ArchiveError::InsideProjects(_) => {
            "choose a directory outside `projects/`: Claude Code deletes old files there"
        }
        _ => return CommandError::refused(error),
    };
    let text = match &error {
        ArchiveError::NotFound(text) => Some(text.clone()),
        _ => None,
    };
    let refused = CommandError::refused(error).hint(hint);
    match text {
        Some(text) => nothing_to_move(context, Wish::Archive, &text, refused),
        None => refused,
    }
}
