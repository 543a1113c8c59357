//! What `doctor --fix` does: what takes nothing from anyone.

use std::path::{Path, PathBuf};

use sexton_claude::settings::{Edit, SettingsFile};
use sexton_index::catalogue::{Catalogue, Soundness};
use sexton_sys::{Effect, Effects, is_abandoned};
use sexton_yard::load_tombstones;
use sexton_yard::recovery::{Recovered, Settlement, recover};
use sexton_yard::restore::clear_abandoned;
use sexton_yard::stub::{leftovers, plan_tidy};

use crate::commands::hooks::own_program;
use crate::commands::prune::prune;
use crate::commands::yard::Ground;
use crate::context::Context;
use crate::doctor::machine::{CATALOGUE_LOOK, abandoned_before};
use crate::error::CommandError;
use crate::indexing::{catalogue_path, vault};

/// Something that mends findings by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fix {
    /// Finish or take back what was interrupted.
    Recover,
    /// Put the stubs of sessions that were put away into the trash.
    Tidy,
    /// Record what stale registry files know, and remove them.
    Prune,
    /// Point the hooks in this settings file to this program.
    Hooks(PathBuf),
    /// Give a directory these permission bits.
    Mode(PathBuf, u32),
    /// Set the catalogue aside.
    Catalogue,
    /// Remove what a killed process was writing.
    Abandoned(Vec<PathBuf>),
    /// Remove the copies that a killed restore had extracted, and that can be extracted again.
    Extracted,
}

/// What came of a fix.
#[derive(Debug, Default)]
pub(crate) struct Fixed {
    /// What could not be done, as sentences.
    pub(crate) failed: Vec<String>,
    /// What a dry run would have done.
    pub(crate) recorded: Vec<Effect>,
}

impl Fix {
    /// Does it, or records it.
    pub(crate) fn apply(&self, context: &Context, effects: Effects) -> Result<Fixed, CommandError> {
        let (failed, effects) = match self {
            Self::Recover => {
                let ground = Ground::look(context, effects)?;
                (settle(&ground)?, ground.effects)
            }
            Self::Tidy => {
                let ground = Ground::look(context, effects)?;
                (tidy(&ground, context)?, ground.effects)
            }
            Self::Prune => (prune(&effects, context)?.problems, effects),
            Self::Hooks(path) => {
                let edit = Edit::Install(own_program(&context.environment)?);
                let file = SettingsFile::at(path.clone()).map_err(CommandError::refused)?;
                file.edit(&edit, &effects, std::thread::sleep)
                    .map_err(CommandError::refused)?;
                (Vec::new(), effects)
            }
            Self::Mode(path, mode) => {
                effects.set_mode(path, *mode)?;
                (Vec::new(), effects)
            }
            Self::Catalogue => {
                set_catalogue_aside(context, &effects)?;
                (Vec::new(), effects)
            }
            Self::Abandoned(paths) => {
                let failed = remove_abandoned(paths, context, &effects);
                (failed, effects)
            }
            Self::Extracted => {
                let ground = Ground::look(context, effects)?;
                let vault = vault(context);
                let is_held = |extracted: &Path| vault.holds_all(extracted).unwrap_or(false);
                let failed = clear_abandoned(&ground.yard(), &is_held);
                (failed.iter().map(ToString::to_string).collect(), ground.effects)
            }
        };
        let recorded = effects.recorded();
        Ok(Fixed { failed, recorded })
    }
}

fn remove_abandoned(paths: &[PathBuf], context: &Context, effects: &Effects) -> Vec<String> {
    let mut failed = Vec::new();
    for path in paths {
        // Looked at again: somebody else may have been here.
        if is_abandoned(path, abandoned_before(context.now_ms()))
            && let Err(error) = effects.remove_file(path)
            && !error.is_not_found()
        {
            failed.push(error.to_string());
        }
    }
    failed
}

fn settle(ground: &Ground<'_>) -> Result<Vec<String>, CommandError> {
    // What will become of each item is only decided when it is looked at under the lock.
    if ground.effects.is_dry_run() {
        return Ok(Vec::new());
    }
    let recovered = recover(&ground.yard()).map_err(CommandError::refused)?;
    let is_open = |item: &&Recovered| matches!(item.settlement, Settlement::StillOpen(_));
    Ok(recovered.iter().filter(is_open).map(ToString::to_string).collect())
}

fn tidy(ground: &Ground<'_>, context: &Context) -> Result<Vec<String>, CommandError> {
    let along = ground.along();
    let (yard, survey) = (ground.yard(), ground.survey(&along));
    let tombstones = load_tombstones(&context.places.tombstones).map_err(CommandError::unreadable)?;
    let plan = plan_tidy(&yard, &survey, leftovers(&survey, &tombstones)).map_err(CommandError::refused)?;
    let refused = plan
        .refused
        .iter()
        .map(|(session, error)| format!("{session}: {error}"));
    let mut failed: Vec<String> = refused.collect();
    let applied = plan.apply(&yard, &survey).map_err(CommandError::refused)?;
    let failures = applied
        .items
        .iter()
        .filter_map(|item| Some(format!("{}: {}", item.id, item.outcome.error()?)));
    failed.extend(failures.chain(applied.problems.iter().cloned()));
    Ok(failed)
}

/// Opening it sets a damaged one aside; a dry run says that the file would go.
fn set_catalogue_aside(context: &Context, effects: &Effects) -> Result<(), CommandError> {
    let path = catalogue_path(context);
    let now_ms = context.now_ms();
    if effects.is_dry_run() {
        let mut aside = path.clone().into_os_string();
        aside.push(format!(".set-aside-{now_ms}"));
        return Ok(effects.rename(&path, aside.as_ref())?);
    }
    let mut catalogue = Catalogue::open(&path, effects, now_ms).map_err(CommandError::refused)?;
    let is_damaged = match catalogue.check(CATALOGUE_LOOK) {
        Ok(soundness) => matches!(soundness, Soundness::Damaged(_)),
        Err(error) => error.is_damage(),
    };
    if catalogue.set_aside().is_none() && (is_damaged || catalogue.sessions().is_err_and(|error| error.is_damage())) {
        catalogue.rebuild(effects, now_ms).map_err(CommandError::refused)?;
    }
    Ok(())
}
