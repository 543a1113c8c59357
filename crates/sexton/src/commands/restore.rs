//! `sexton restore`

use clap::ValueEnum;
use sexton_yard::gate::Vouched;
use sexton_yard::item::ItemResult;
use sexton_yard::restore::{self, RestoreError, RestoreOptions, find_sources, plan_restore};

use super::yard::{Ground, report};
use crate::arguments::DryRun;
use crate::context::Context;
use crate::error::CommandError;
use crate::render::path::safe;
use crate::report::Report;

const EXAMPLES: &str = "\
Examples:
  sexton restore 3f8a21c4
  sexton restore 3f8a21c4 --from archive";

/// Bring a session back from the trash, the archive or the vault.
///
/// Every file comes back to where it was, with content, mode and time; the tombstone is lifted. Files so old that Claude Code would delete
/// them at its next start get the present as their time, unless `--keep-mtime` says otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The session: its id, or a prefix of at least 8 characters
    #[arg(value_name = "ID")]
    session: String,

    /// Where to take it from, if several places have it
    #[arg(long, value_name = "PLACE")]
    from: Option<From>,

    /// Leave all modification times as they were
    #[arg(long)]
    keep_mtime: bool,

    /// Restore although the session's process can't be judged from here; needs the full id
    #[arg(long)]
    unverified: bool,

    #[command(flatten)]
    dry_run: DryRun,
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
    let ground = Ground::look(context, arguments.dry_run.effects(), None)?;
    let (yard, survey) = (ground.yard(), ground.survey());
    let sources = find_sources(&arguments.session, &ground.trash(), &ground.archives, &[]).map_err(refused)?;
    let source = sources.choose(arguments.from.map(Into::into)).map_err(refused)?;
    let options = RestoreOptions {
        keep_mtime: arguments.keep_mtime,
        ..ground.restore_options()
    };
    let vouched = if arguments.unverified {
        Vouched::by_full_id([arguments.session.as_str()])
    } else {
        Vouched::nobody()
    };
    let plan = plan_restore(&yard, &survey, &source, None, &options, &vouched).map_err(refused)?;
    let back_to = plan.moves.first().map(|(_, to)| to.clone());
    let applied = plan.apply(&yard).map_err(CommandError::refused)?;
    let done = |result: &ItemResult| match result.path.as_deref().or(back_to.as_deref()) {
        Some(path) => format!("restored {} to {}", result.id, safe(path)),
        None => format!("restored {}", result.id),
    };
    report(context, &ground.effects, &applied, Vec::new(), done, |_, item| item)
}

pub(super) fn refused(error: RestoreError) -> CommandError {
    let hint = match &error {
        RestoreError::NotFound(_) => "`sexton trash list` and `sexton list --archived` show what can come back",
        RestoreError::Ambiguous { .. } => "give more of the id",
        RestoreError::SeveralSources { .. } => "choose one with `--from`",
        RestoreError::Present { .. } => "the session is there already; nothing needs to come back",
        RestoreError::BaseGone { .. } => "mount the disk, or make the directory again",
        _ => return CommandError::refused(error),
    };
    CommandError::refused(error).hint(hint)
}
