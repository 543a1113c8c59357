//! What Claude Code is about to delete, and of which no copy is kept.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sexton_claude::cleanup::{CleanupPeriod, MANAGED_SETTINGS, cleanup_period};
use sexton_claude::projects::TranscriptFile;
use sexton_register::SessionId;

use crate::context::Context;
use crate::indexing::vault;
use crate::roll::Sources;

/// Sessions that are due within this many milliseconds are worth a word.
const SOON_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// The sessions of one configuration directory that are due within a week.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Due {
    /// The configuration directory.
    pub(crate) directory: PathBuf,
    /// How many days its clients keep transcripts.
    pub(crate) days: u32,
    /// The sessions of which nothing is kept.
    pub(crate) sessions: BTreeSet<SessionId>,
}

/// How long the clients of each configuration directory keep transcripts.
pub(crate) fn periods(context: &Context) -> Vec<(PathBuf, CleanupPeriod)> {
    let managed = Path::new(MANAGED_SETTINGS);
    let directories = context.config_dirs.into_iter().map(|known| known.path.clone());
    directories
        .map(|path| (path.clone(), cleanup_period(&path, Some(managed))))
        .collect()
}

/// What is due of all that lies there; `periods` is of the configuration directories in their order.
pub(crate) fn due(sources: &Sources, periods: &[(PathBuf, CleanupPeriod)], context: &Context) -> Vec<Due> {
    let copies: BTreeSet<SessionId> = vault(context).sessions().unwrap_or_default().into_iter().collect();
    let soon_ms = context.now_ms().saturating_add(SOON_MS);
    let of_directory = |(index, (directory, period)): (usize, &(PathBuf, CleanupPeriod))| {
        let oldest_kept_ms = period.oldest_kept_ms(soon_ms);
        let is_due = |file: &&TranscriptFile| {
            file.config_dir == index
                && !copies.contains(&file.session)
                && !sources.deleted.contains(&file.session)
                && file
                    .identity()
                    .is_ok_and(|identity| identity.modified.as_ms() < oldest_kept_ms)
        };
        let files = sources.projects.transcripts.iter().filter(is_due);
        Due {
            directory: directory.clone(),
            days: period.days,
            sessions: files.map(|file| file.session).collect(),
        }
    };
    let all = periods.iter().enumerate().map(of_directory);
    all.filter(|due| !due.sessions.is_empty()).collect()
}
