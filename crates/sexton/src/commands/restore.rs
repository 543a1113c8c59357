//! `sexton restore`

use std::path::PathBuf;

use clap::ValueEnum;
use sexton_index::vault::Vault;
use sexton_sys::Effects;
use sexton_yard::Yard;
use sexton_yard::gate::Vouched;
use sexton_yard::item::{Applied, ItemError, ItemResult};
use sexton_yard::restore::{
    self, Extracted, RestoreError, RestoreOptions, Source, clear_abandoned, find_sources, plan_restore,
};

use super::yard::{Ground, report};
use crate::arguments::{DryRun, Unasked};
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
    let mut warnings = Vec::new();
    if !ground.effects.is_dry_run() {
        warnings.extend(clear_abandoned(&yard, &|extracted| {
            vault.holds_all(extracted).unwrap_or(false)
        }));
    }
    // Extracted for real in a dry run, too: a copy that can't be given back is no plan. The scratch directory goes again.
    let scratch = Scratch::of(&source, &yard, context)?;
    let restored = scratch.fill(&source, &vault).and_then(|extracted| {
        let plan = plan_restore(&yard, &survey, &source, extracted.as_ref(), &options, &vouched).map_err(refused)?;
        let back_to = plan.moves.first().map(|(_, to)| to.clone());
        let applied = plan.apply(&yard).map_err(CommandError::refused)?;
        Ok((applied, back_to))
    });
    let applied = restored.as_ref().ok().map(|(applied, _)| applied);
    warnings.extend(scratch.clear(&yard, applied).err());
    let (applied, back_to) = restored?;
    let done = |result: &ItemResult| match result.path.as_deref().or(back_to.as_deref()) {
        Some(path) => format!("restored {} to {}", result.id, safe(path)),
        None => format!("restored {}", result.id),
    };
    let report = report(context, &ground.effects, &applied, Vec::new(), done, |_, item| item)?;
    Ok(report.with_warnings(warnings.iter().map(ToString::to_string)))
}

/// Where a copy of the vault's is extracted.
enum Scratch {
    /// It isn't the vault that gives the session back.
    None,
    /// In the data directory, to be renamed from there.
    Real(restore::Scratch),
    /// Elsewhere: a dry run leaves no trace in the data directory, not even that something was there for a moment.
    Passing(tempfile::TempDir),
}

impl Scratch {
    fn of(source: &Source, yard: &Yard<'_>, context: &Context) -> Result<Self, CommandError> {
        if !matches!(source, Source::Vault(_)) {
            return Ok(Self::None);
        }
        if !yard.effects.is_dry_run() {
            return restore::Scratch::make(yard)
                .map(Self::Real)
                .map_err(CommandError::refused);
        }
        let place = context.environment.directory("TMPDIR").unwrap_or_else(|| "/tmp".into());
        let made = tempfile::Builder::new().prefix(".restore-").tempdir_in(place);
        made.map(Self::Passing)
            .map_err(|error| CommandError::refused(format_args!("extract the copy: {error}")))
    }

    /// Extracts the copy.
    fn fill(&self, source: &Source, vault: &Vault) -> Result<Option<Extracted>, CommandError> {
        let (Source::Vault(session), Some(directory)) = (source, self.directory()) else {
            return Ok(None);
        };
        let given = vault.extract(&Effects::apply(), *session, &directory);
        Ok(Some(Extracted {
            session: *session,
            config_dir: given.map_err(CommandError::refused)?.config_dir,
            directory,
        }))
    }

    fn directory(&self) -> Option<PathBuf> {
        match self {
            Self::None => None,
            Self::Real(scratch) => Some(scratch.directory()),
            Self::Passing(directory) => Some(directory.path().to_path_buf()),
        }
    }

    fn clear(self, yard: &Yard<'_>, applied: Option<&Applied>) -> Result<(), ItemError> {
        match self {
            Self::Real(scratch) => scratch.clear(yard, applied),
            Self::None | Self::Passing(_) => Ok(()),
        }
    }
}

pub(super) fn refused(error: RestoreError) -> CommandError {
    let hint = match &error {
        RestoreError::NotFound(_) => "`sexton trash list` and `sexton list --archived` show what can come back",
        RestoreError::Ambiguous { .. } => "give more of the id",
        RestoreError::SeveralSources { .. } => "choose one with `--from`",
        RestoreError::Present { .. } => "the session is there already; nothing needs to come back",
        RestoreError::BlankManifest { .. } => "name the directory with `--config-dir`; all else comes back by its name",
        RestoreError::BaseGone { .. } => "mount the disk, or make the directory again",
        _ => return CommandError::refused(error),
    };
    CommandError::refused(error).hint(hint)
}
