//! What all checks look at, looked at once.

use std::path::PathBuf;

use rayon::prelude::*;
use sexton_claude::cleanup::CleanupPeriod;
use sexton_claude::settings::{SettingsFile, SettingsFileError, Status};
use sexton_index::catalogue::{Catalogue, Soundness};
use sexton_index::{IndexError, catalogue};
use sexton_register::{SessionId, read_session_tolerant, session_files};
use sexton_sys::FileTime;

use crate::context::Context;
use crate::due::periods;
use crate::indexing::catalogue_path;
use crate::roll::{Sources, archive_places, look};

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
    /// The files of the register that can be read, by session.
    pub(super) recorded: Vec<RegisterFile>,
    /// The settings of each config directory.
    pub(super) settings: Vec<Settings>,
    /// How long the clients of each config directory keep transcripts.
    pub(super) periods: Vec<(PathBuf, CleanupPeriod)>,
    /// The catalogue, if there is one.
    pub(super) catalogue: Option<Result<Known, IndexError>>,
}

/// One file of the register, with what only all of its events tell.
pub(super) struct RegisterFile {
    pub(super) session: SessionId,
    pub(super) path: PathBuf,
    /// How many events stand under another session's id.
    pub(super) foreign: usize,
    /// The latest time of any event, in milliseconds since the Unix epoch.
    pub(super) latest_ms: Option<i64>,
    /// By how many milliseconds an event is earlier than the one before it, at most.
    pub(super) went_back_ms: i64,
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
        // Each takes about as long, and none needs another.
        let (sources, (recorded, catalogue)) = rayon::join(
            || look(context),
            || rayon::join(|| recorded(context), || known(context)),
        );
        Self {
            context,
            sources: sources.map_err(|error| error.to_string()),
            recorded,
            settings: settings(context),
            periods: periods(context),
            catalogue,
        }
    }

    pub(super) fn now_ms(&self) -> i64 {
        self.context.now_ms()
    }

    /// Every archive that is known.
    pub(super) fn archives(&self) -> Vec<PathBuf> {
        // What can't be read of the list is told with everything else that was looked at.
        archive_places(self.context, &mut Vec::new())
    }
}

fn recorded(context: &Context) -> Vec<RegisterFile> {
    let listed = session_files(&context.places.register).unwrap_or_default();
    let files = listed.files.into_par_iter();
    files
        .filter_map(|(session, path)| {
            let events = read_session_tolerant(&path).ok()?.events;
            let times: Vec<i64> = events.iter().map(|event| event.at.ms()).collect();
            let steps = times.windows(2).map(|pair| pair[0].saturating_sub(pair[1]));
            Some(RegisterFile {
                session,
                path,
                foreign: events.iter().filter(|event| event.session != session).count(),
                latest_ms: times.iter().max().copied(),
                went_back_ms: steps.max().unwrap_or(0),
            })
        })
        .collect()
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
