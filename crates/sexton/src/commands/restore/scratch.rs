//! Where a copy of the vault's is extracted before it is put back.

use std::path::PathBuf;

use sexton_index::vault::Vault;
use sexton_sys::Effects;
use sexton_yard::Yard;
use sexton_yard::item::{Applied, ItemError};
use sexton_yard::restore::{self, Extracted, Source};

use crate::context::Context;
use crate::error::CommandError;

/// Where a copy of the vault's is extracted.
pub(super) enum Scratch {
    /// It isn't the vault that gives the session back.
    None,
    /// In the data directory, to be renamed from there.
    Real(restore::Scratch),
    /// Elsewhere: a dry run leaves no trace in the data directory, not even that something was there for a moment.
    Passing(tempfile::TempDir),
}

impl Scratch {
    pub(super) fn of(source: &Source, yard: &Yard<'_>, context: &Context) -> Result<Self, CommandError> {
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
    pub(super) fn fill(&self, source: &Source, vault: &Vault) -> Result<Option<Extracted>, CommandError> {
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

    pub(super) fn clear(self, yard: &Yard<'_>, applied: Option<&Applied>) -> Result<(), ItemError> {
        match self {
            Self::Real(scratch) => scratch.clear(yard, applied),
            Self::None | Self::Passing(_) => Ok(()),
        }
    }
}
