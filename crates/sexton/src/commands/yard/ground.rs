//! The ground that a yard command works on, looked at once.

use std::path::PathBuf;
use std::time::Duration;

use sexton_claude::cleanup::{MANAGED_SETTINGS, cleanup_period};
use sexton_claude::projects::{ProjectsListing, list_projects};
use sexton_register::{SessionId, load_all_tolerant};
use sexton_sys::Effects;
use sexton_yard::archive::archive_directory;
use sexton_yard::facts::FileFacts;
use sexton_yard::gate::RegistryGate;
use sexton_yard::restore::RestoreOptions;
use sexton_yard::trash::{TrashListing, list_trash, trash_roots};
use sexton_yard::{Retained, Survey, Yard};

use crate::context::Context;
use crate::error::CommandError;
use crate::roll::registry_directories;

/// How long another operation is waited for before this one is refused.
const PATIENCE: Duration = Duration::from_secs(2);

/// Everything that a yard operation looks at and works with.
pub(crate) struct Ground<'a> {
    context: &'a Context,
    /// Carries changes out, or records them.
    pub(crate) effects: Effects,
    gate: RegistryGate,
    projects: ProjectsListing,
    /// The archives of all configuration directories, and the one that was named.
    pub(crate) archives: Vec<PathBuf>,
    retained: Vec<Retained>,
}

impl<'a> Ground<'a> {
    /// Looks at the ground; `archive` is an archive named on the command line.
    pub(crate) fn look(
        context: &'a Context,
        effects: Effects,
        archive: Option<&PathBuf>,
    ) -> Result<Self, CommandError> {
        let register = load_all_tolerant(&context.places.register).map_err(CommandError::unreadable)?;
        // A damaged file may hide the end of a session: its configuration directory counts as well.
        let lifecycles = register.sessions.values().chain(register.damaged.values());
        let registries = registry_directories(&context.config_dirs, lifecycles);
        let own = context
            .config_dirs
            .into_iter()
            .map(|directory| archive_directory(&directory.path));
        Ok(Self {
            context,
            effects,
            gate: RegistryGate::new(registries.into_iter().map(|directory| directory.path).collect()),
            projects: list_projects(context.config_dirs.as_slice()),
            archives: archive.cloned().into_iter().chain(own).collect(),
            retained: Vec::new(),
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
        }
    }

    /// What lies on the machine.
    pub(crate) fn survey(&self) -> Survey<'_> {
        Survey {
            config_dirs: self.context.config_dirs.as_slice(),
            projects: &self.projects,
            archives: &self.archives,
            retained: &self.retained,
            along: &|_: &SessionId| Vec::new(),
            facts: &FileFacts,
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
