//! The ground that a yard command works on, looked at once.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use sexton_claude::cleanup::{MANAGED_SETTINGS, cleanup_period};
use sexton_claude::projects::{ProjectsListing, list_projects};
use sexton_index::facts::Facts;
use sexton_index::vault::Vault;
use sexton_register::{SessionId, load_all_tolerant};
use sexton_sys::Effects;
use sexton_yard::archive::list_archive;
use sexton_yard::facts::SessionFacts;
use sexton_yard::gate::RegistryGate;
use sexton_yard::restore::RestoreOptions;
use sexton_yard::trash::{TrashListing, list_trash, trash_roots};
use sexton_yard::{Retained, Survey, Yard, load_tombstones};

use super::facts::KnownFacts;
use crate::context::Context;
use crate::error::CommandError;
use crate::indexing::{fact_store, facts_error, vault};
use crate::roll::{archive_places, registry_directories};

/// How long another operation is waited for before this one is refused.
const PATIENCE: Duration = Duration::from_secs(2);

/// Everything that a yard operation looks at and works with.
pub(crate) struct Ground<'a> {
    context: &'a Context,
    /// Carries changes out, or records them.
    pub(crate) effects: Effects,
    gate: RegistryGate,
    projects: ProjectsListing,
    /// Every archive that is known.
    pub(crate) archives: Vec<PathBuf>,
    retained: Vec<Retained>,
    facts: KnownFacts,
    vault: Vault,
}

impl<'a> Ground<'a> {
    /// Looks at the ground.
    pub(crate) fn look(context: &'a Context, effects: Effects) -> Result<Self, CommandError> {
        let register = load_all_tolerant(&context.places.register).map_err(CommandError::unreadable)?;
        // A damaged file may hide the end of a session: its configuration directory counts as well.
        let registries = registry_directories(&context.config_dirs, register.every());
        // What can't be read of the journal stops an operation when it begins.
        let archives = archive_places(context, &mut Vec::new());
        let projects = list_projects(context.config_dirs.as_slice());
        let facts = fact_store(context).load().map_err(|error| facts_error(&error))?;
        let retained = retained(context, &facts, &projects, &archives)?;
        Ok(Self {
            context,
            effects,
            gate: RegistryGate::new(registries.into_iter().map(|directory| directory.path).collect()),
            projects,
            archives,
            retained,
            facts: KnownFacts { routine: facts.routine },
            vault: vault(context),
        })
    }

    /// The yard.
    pub(crate) fn yard(&self) -> Yard<'_> {
        Yard {
            effects: &self.effects,
            clock: self.context.clock.as_ref(),
            gate: &self.gate,
            data: self.context.places.data.clone(),
            tombstones: self.context.places.tombstones.clone(),
            patience: PATIENCE,
            along_lock: Some(self.vault.lock_path()),
        }
    }

    /// What goes along with a session into the trash: its copy in the vault.
    pub(crate) fn along(&self) -> impl Fn(&SessionId) -> Vec<PathBuf> {
        |session| vec![self.vault.session_directory(*session)]
    }

    /// What lies on the machine; `along` is [`Self::along`].
    pub(crate) fn survey<'s>(&'s self, along: &'s dyn Fn(&SessionId) -> Vec<PathBuf>) -> Survey<'s> {
        Survey {
            config_dirs: self.context.config_dirs.as_slice(),
            projects: &self.projects,
            archives: &self.archives,
            retained: &self.retained,
            along,
            facts: &self.facts,
        }
    }

    /// What lies in the trash of the data directory and of every configuration directory and archive.
    pub(crate) fn trash(&self) -> TrashListing {
        let config_dirs = self
            .context
            .config_dirs
            .into_iter()
            .map(|directory| directory.path.as_path());
        let bases = config_dirs.chain(self.archives.iter().map(PathBuf::as_path));
        list_trash(&trash_roots(&self.context.places.data, bases))
    }

    /// How sessions come back, by the cleanup period of the first configuration directory: the shortest is what endangers them.
    pub(crate) fn restore_options(&self) -> RestoreOptions {
        let managed = std::path::Path::new(MANAGED_SETTINGS);
        let periods = self
            .context
            .config_dirs
            .into_iter()
            .map(|directory| cleanup_period(&directory.path, Some(managed)));
        let shortest = periods.min_by_key(|period| period.days);
        RestoreOptions {
            from: None,
            keep_mtime: false,
            cleanup: shortest.unwrap_or_else(|| cleanup_period(&self.context.places.data, Some(managed))),
        }
    }
}

/// The sessions of which only a fact or a copy is left: no transcript in projects or archive, and not deleted.
fn retained(
    context: &Context,
    facts: &Facts,
    projects: &ProjectsListing,
    archives: &[PathBuf],
) -> Result<Vec<Retained>, CommandError> {
    let tombstones = load_tombstones(&context.places.tombstones).map_err(CommandError::unreadable)?;
    let vault = vault(context);
    let copies = vault.sessions().map_err(CommandError::unreadable)?;
    let put_away: BTreeSet<SessionId> = archives
        .iter()
        .flat_map(|archive| list_archive(archive).unwrap_or_default())
        .collect();
    let known: BTreeSet<SessionId> = facts.missing.keys().copied().chain(copies).collect();
    let is_gone = |session: &SessionId| {
        projects.transcripts_of(session).is_empty()
            && !put_away.contains(session)
            && !tombstones.contains(session.as_str())
    };
    let retained = known.into_iter().filter(is_gone).map(|session| {
        // Where the transcript lay is told by its copy; without one nothing but the id is left.
        let manifest = vault.manifest(session).ok().flatten();
        let transcript = manifest.and_then(|manifest| {
            let own = manifest.files().find(|name| {
                name.starts_with("projects") && name.file_stem().is_some_and(|stem| stem == session.as_str())
            })?;
            Some(manifest.config_dir().join(own))
        });
        Retained {
            session,
            transcript: transcript.unwrap_or_default(),
            modified: None,
            facts: SessionFacts {
                routine: facts.routine.get(&session).copied(),
                ..SessionFacts::default()
            },
        }
    });
    Ok(retained.collect())
}
