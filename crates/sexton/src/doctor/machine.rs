//! What all checks look at, looked at once.

use std::path::{Path, PathBuf};

use sexton_claude::cleanup::{CleanupPeriod, MANAGED_SETTINGS, cleanup_period};
use sexton_claude::settings::{SettingsFile, SettingsFileError, Status};
use sexton_index::catalogue::{Catalogue, Soundness};
use sexton_index::{IndexError, catalogue};
use sexton_register::{Reading, SessionId, read_session_tolerant, session_files};

use sexton_sys::FileTime;

use crate::context::Context;
use crate::indexing::catalogue_path;
use crate::roll::{Sources, look};

/// How much of the catalogue's file is looked through, in thousands of rows and pages: about a second's worth.
pub(super) const CATALOGUE_LOOK: u32 = 5_000;

/// What nobody has written to since, in an hour, can be called left behind.
pub(super) fn abandoned_before(now_ms: i64) -> FileTime {
    const HOUR_MS: i64 = 60 * 60 * 1000;
    FileTime::from_ms(now_ms.saturating_sub(HOUR_MS))
}

/// The facts of one examination.
pub(super) struct Machine<'a> {
    pub(super) context: &'a Context,
    /// Register, registries, transcripts, archives, tombstones; or why none of it could be looked at.
    pub(super) sources: Result<Sources, String>,
    /// The settings of each config directory.
    pub(super) settings: Vec<Settings>,
    /// How long the clients of each config directory keep transcripts.
    pub(super) periods: Vec<(PathBuf, CleanupPeriod)>,
    /// The catalogue, if there is one.
    pub(super) catalogue: Option<Result<Known, IndexError>>,
}

/// What the catalogue knows, and whether its file is sound.
pub(super) struct Known {
    pub(super) sessions: Vec<catalogue::CatalogueSession>,
    pub(super) soundness: Soundness,
}

/// One settings file.
pub(super) struct Settings {
    pub(super) path: PathBuf,
    pub(super) status: Result<Status, SettingsFileError>,
}

impl<'a> Machine<'a> {
    pub(super) fn look(context: &'a Context) -> Self {
        let managed = Path::new(MANAGED_SETTINGS);
        let directories = context.config_dirs.into_iter().map(|known| known.path.clone());
        Self {
            context,
            sources: look(context).map_err(|error| error.to_string()),
            settings: settings(context),
            periods: directories
                .map(|path| (path.clone(), cleanup_period(&path, Some(managed))))
                .collect(),
            catalogue: known(context),
        }
    }

    pub(super) fn now_ms(&self) -> i64 {
        self.context.now_ms()
    }

    /// Every file of the register with all its events.
    pub(super) fn register_files(&self) -> impl Iterator<Item = (SessionId, PathBuf, Reading)> {
        let listed = session_files(&self.context.places.register).unwrap_or_default();
        let read = |(session, path): (SessionId, PathBuf)| Some((session, read_session_tolerant(&path).ok()?, path));
        listed
            .files
            .into_iter()
            .filter_map(read)
            .map(|(session, reading, path)| (session, path, reading))
    }
}

fn settings(context: &Context) -> Vec<Settings> {
    let paths = context
        .config_dirs
        .into_iter()
        .map(|known| known.path.join("settings.json"));
    let read = |path: PathBuf| Settings {
        status: SettingsFile::at(path.clone()).and_then(|file| file.status()),
        path,
    };
    paths.map(read).collect()
}

/// What the catalogue knows, without making, renewing or mending one. One of an older version knows nothing, and is renewed by the next search.
fn known(context: &Context) -> Option<Result<Known, IndexError>> {
    let ask = |catalogue: &mut Catalogue| {
        Ok(Known {
            soundness: catalogue.check(CATALOGUE_LOOK)?,
            sessions: catalogue.sessions()?,
        })
    };
    Catalogue::look(&catalogue_path(context), ask).transpose()
}
