//! `sexton restore`

use clap::ValueEnum;
use sexton_index::vault::Vault;
use sexton_sys::Effects;
use sexton_yard::gate::Vouched;
use sexton_yard::item::ItemResult;
use sexton_yard::restore::{self, Extracted, RestoreError, RestoreOptions, Source, find_sources, plan_restore};

use super::yard::{Ground, report};
use crate::arguments::DryRun;
use crate::context::Context;
use crate::error::CommandError;
use crate::indexing::vault;
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
    let ground = Ground::look(context, arguments.dry_run.effects())?;
    let along = ground.along();
    let (yard, survey) = (ground.yard(), ground.survey(&along));
    let vault = vault(context);
    let held = vault.sessions().map_err(CommandError::unreadable)?;
    let sources = find_sources(&arguments.session, &ground.trash(), &ground.archives, &held).map_err(refused)?;
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
    // Extracted for real in a dry run, too: a copy that can't be given back is no plan. The scratch directory goes again.
    let scratch = Scratch::of(&source, &vault, &ground.effects, context)?;
    let plan = plan_restore(&yard, &survey, &source, scratch.extracted(), &options, &vouched).map_err(refused)?;
    let back_to = plan.moves.first().map(|(_, to)| to.clone());
    let applied = plan.apply(&yard).map_err(CommandError::refused)?;
    let done = |result: &ItemResult| match result.path.as_deref().or(back_to.as_deref()) {
        Some(path) => format!("restored {} to {}", result.id, safe(path)),
        None => format!("restored {}", result.id),
    };
    report(context, &ground.effects, &applied, Vec::new(), done, |_, item| item)
}

/// A copy of the vault's, extracted beside it where it is to be restored, so that it only has to be renamed on the same device.
struct Scratch {
    extracted: Option<(tempfile::TempDir, Extracted)>,
}

impl Scratch {
    fn of(source: &Source, vault: &Vault, effects: &Effects, context: &Context) -> Result<Self, CommandError> {
        let Source::Vault(session) = source else {
            return Ok(Self { extracted: None });
        };
        let failed = |error: std::io::Error| CommandError::refused(format_args!("extract the copy: {error}"));
        // A dry run leaves no trace in the data directory, not even that something was there for a moment.
        let temporary = || context.environment.directory("TMPDIR").unwrap_or_else(|| "/tmp".into());
        let place = if effects.is_dry_run() {
            temporary()
        } else {
            context.places.data.clone()
        };
        let directory = tempfile::Builder::new()
            .prefix(".restore-")
            .tempdir_in(place)
            .map_err(failed)?;
        let given = vault
            .extract(&Effects::apply(), *session, directory.path())
            .map_err(CommandError::refused)?;
        let extracted = Extracted {
            session: *session,
            directory: directory.path().to_path_buf(),
            config_dir: given.config_dir,
        };
        Ok(Self {
            extracted: Some((directory, extracted)),
        })
    }

    fn extracted(&self) -> Option<&Extracted> {
        self.extracted.as_ref().map(|(_, extracted)| extracted)
    }
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
