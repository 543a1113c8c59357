//! Looking at everything once, recording what would be lost, and joining it into rows.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rayon::prelude::*;
use sexton_claude::projects::{Listed, ProjectsListing, TranscriptFile, list_projects};
use sexton_claude::registry::{by_session, this_session};
use sexton_claude::transcript;
use sexton_register::{LifecycleError, Loaded, LoadedAgain, MAX_KEPT_BYTES, SessionId, load_all_again};
use sexton_sys::{Durability, Effects, read};
use sexton_yard::archive::{KnownArchives, archive_directory, list_archive};
use sexton_yard::load_tombstones;

use super::observation::{Observation, observe};
use super::{Facts, Row, join};
use crate::context::Context;
use crate::error::CommandError;
use crate::render::path::safe;

/// What was seen, before it is joined.
#[derive(Debug)]
pub struct Sources {
    /// The register.
    pub register: Loaded,
    /// What to keep of it for the next look, where that pays.
    pub(super) keep: Option<Vec<u8>>,
    /// The live registries.
    pub observation: Observation,
    /// What lies in the project directories.
    pub projects: ProjectsListing,
    /// The transcripts of archived sessions.
    pub archived: BTreeMap<SessionId, PathBuf>,
    /// Sessions with a tombstone.
    pub deleted: BTreeSet<SessionId>,
    /// What could not be read, as sentences.
    pub problems: Vec<String>,
}

impl Sources {
    /// The directories in which archived sessions lie.
    #[must_use]
    pub fn archives(&self) -> Vec<PathBuf> {
        let directories: BTreeSet<&Path> = self.archived.values().filter_map(|path| path.parent()).collect();
        directories.into_iter().map(PathBuf::from).collect()
    }

    /// Keeps what the load of the register learnt, so that the next one need not open every file. What was written since looks new to it.
    pub(crate) fn keep_summaries(&mut self, context: &Context, effects: &Effects) {
        if let Some(kept) = self.keep.take() {
            keep(&context.places.kept_summaries, &kept, context, effects);
        }
        // A list of archives that can't be written costs a reading of the journal, here and the next time.
        let data = &context.places.data;
        if !effects.is_dry_run()
            && let Ok(known) = KnownArchives::of(data)
            && known.is_new
        {
            let _ = known.keep(data, effects);
        }
    }
}

/// Writes what one reading of the register keeps for the next.
pub(super) fn keep(place: &Path, kept: &[u8], context: &Context, effects: &Effects) {
    if effects.is_dry_run() {
        return;
    }
    // A cache that can't be written costs time, and is nobody's concern; one that a power cut left half written tells so itself.
    let _ = effects
        .create_directory(&context.places.cache)
        .and_then(|()| effects.replace_file_with(place, kept, Durability::Buffered));
}

/// What to say of a register that can't be listed: it is refused if it is none, else a problem among others.
pub(super) fn refusal_or_problem(error: &LifecycleError) -> Result<String, CommandError> {
    match error {
        LifecycleError::Read { path, source } if source.kind() == io::ErrorKind::NotADirectory => {
            let refusal = format_args!("read the register: `{}` is not a directory", safe(path));
            Err(CommandError::refused(refusal)
                .hint("name the register's directory with `--register-dir` or `SEXTON_REGISTER_DIR`"))
        }
        other => Ok(other.to_string()),
    }
}

/// So many rows are made faster than another thread is woken.
pub(super) const FEW: usize = 256;

/// Every session once.
#[derive(Debug)]
pub struct Roll {
    /// The rows, by id.
    pub rows: Vec<Row>,
    /// What could not be read, as sentences.
    pub problems: Vec<String>,
    /// The time the roll was taken, in milliseconds since the Unix epoch.
    pub now_ms: i64,
}

/// Looks at register, registries, transcripts, archives and tombstones; changes nothing.
pub fn look(context: &Context) -> Result<Sources, CommandError> {
    Recorded::read(context)?.look_beside(list_projects(context.config_dirs.as_slice()), context)
}

/// The register as it was read, before anything else is looked at.
#[derive(Debug)]
pub struct Recorded {
    register: Loaded,
    keep: Option<Vec<u8>>,
    problems: Vec<String>,
}

impl Recorded {
    /// Reads the register beside `work`, which does not depend on it: each takes as long as there are many sessions. `then` is done
    /// while the reading still goes on, or after it.
    pub fn read_beside<T>(
        context: &Context,
        work: impl FnOnce() -> T,
        then: impl FnOnce(&T),
    ) -> Result<(T, Self), CommandError> {
        /// The register must not be older than this when the processes are looked at: what was recorded since would be recorded again.
        const FRESH: Duration = Duration::from_millis(100);
        let (working, worked) = channel::<()>();
        let (done, recorded) = thread::scope(|scope| {
            let reader = scope.spawn(move || {
                let recorded = Self::read(context);
                // Given back at once if it is too old already: the work that takes so long needs the memory.
                let is_old = worked.recv_timeout(FRESH) == Err(RecvTimeoutError::Timeout);
                (!is_old).then_some(recorded)
            });
            let done = work();
            drop(working);
            then(&done);
            (done, reader.join())
        });
        let recorded = recorded.unwrap_or_else(|panic| resume_unwind(panic));
        Ok((done, recorded.unwrap_or_else(|| Self::read(context))?))
    }

    fn read(context: &Context) -> Result<Self, CommandError> {
        let mut problems: Vec<String> = context.config_dirs.problems.iter().map(ToString::to_string).collect();
        // Kept summaries that can't be read are none: the files themselves tell all.
        let kept = read::read_limited(&context.places.kept_summaries, MAX_KEPT_BYTES).unwrap_or_default();
        let loaded = load_all_again(&context.places.register, kept, context.now_ms());
        let LoadedAgain { loaded: register, keep } = match loaded {
            Ok(loaded) => loaded,
            Err(error) => {
                problems.push(refusal_or_problem(&error)?);
                LoadedAgain::default()
            }
        };
        problems.extend(register.problems.iter().map(ToString::to_string));
        Ok(Self {
            register,
            keep,
            problems,
        })
    }

    /// Looks at everything else, with a listing of the projects that was made already.
    pub fn look_beside(self, projects: ProjectsListing, context: &Context) -> Result<Sources, CommandError> {
        let Self {
            register,
            keep,
            mut problems,
        } = self;
        let observation = observe(&context.config_dirs, register.sessions.values().map(Box::as_ref));
        problems.extend(observation.problems.iter().cloned());
        problems.extend(unlisted(&projects));
        let archived = archived(context, &mut problems);
        let deleted = match load_tombstones(&context.places.tombstones) {
            Ok(tombstones) => {
                let ids = tombstones.iter().map(str::as_bytes);
                ids.filter_map(SessionId::from_bytes).collect()
            }
            Err(error) => {
                problems.push(error.to_string());
                BTreeSet::new()
            }
        };
        Ok(Sources {
            register,
            keep,
            observation,
            projects,
            archived,
            deleted,
            problems,
        })
    }
}

/// The archives of all configuration directories, the configured one, and each that sessions were put into before.
pub(crate) fn archive_places(context: &Context, problems: &mut Vec<String>) -> Vec<PathBuf> {
    let own = context
        .config_dirs
        .into_iter()
        .map(|directory| archive_directory(&directory.path));
    let mut places: Vec<PathBuf> = own.collect();
    let named = match KnownArchives::of(&context.places.data) {
        Ok(known) => known.directories,
        // What lies in the others is found all the same.
        Err(error) => {
            problems.push(error.to_string());
            BTreeSet::new()
        }
    };
    for archive in context.configuration.archive_dir.clone().into_iter().chain(named) {
        if !places.contains(&archive) {
            places.push(archive);
        }
    }
    places
}

/// The sessions in [`archive_places`].
pub fn archived(context: &Context, problems: &mut Vec<String>) -> BTreeMap<SessionId, PathBuf> {
    let mut found = BTreeMap::new();
    for archive in archive_places(context, problems) {
        match list_archive(&archive) {
            Ok(sessions) => found.extend(sessions.into_iter().map(|id| (id, archive.join(format!("{id}.jsonl"))))),
            Err(error) => problems.push(error.to_string()),
        }
    }
    found
}

/// [`look`], then [`Roll::join`].
pub fn gather(context: &Context) -> Result<Roll, CommandError> {
    Ok(Roll::join(look(context)?, context))
}

impl Roll {
    /// One row per session that any source knows.
    #[must_use]
    pub fn join(sources: Sources, context: &Context) -> Self {
        let now_ms = context.now_ms();
        let current = this_session(
            &context.environment,
            sources.observation.observed.iter().map(|observed| &observed.record),
        );
        let claims = by_session(&sources.observation.observed);
        let config_dirs = context.config_dirs.as_slice();
        let projects = &sources.projects;
        let Loaded {
            sessions: mut lifecycles,
            damaged,
            ..
        } = sources.register;
        for (session, lifecycle) in damaged {
            lifecycles.entry(session).or_insert(lifecycle);
        }
        let mut ids: Vec<SessionId> = lifecycles
            .keys()
            .chain(claims.keys())
            .copied()
            .chain(projects.transcripts.iter().map(|file| file.session))
            .chain(sources.archived.keys().copied())
            .chain(sources.deleted.iter().copied())
            .collect();
        // Runs that are sorted already.
        ids.sort();
        ids.dedup();
        // Of each source what belongs to an id comes next when the id does: all are sorted, and all of theirs are among the ids.
        let mut lifecycles = lifecycles.into_iter().peekable();
        let mut transcripts = projects.transcripts.as_slice();
        let parts = ids.into_iter().map(|session| {
            let lifecycle = lifecycles.next_if(|(own, _)| *own == session);
            let own = transcripts.iter().take_while(|file| file.session == session).count();
            let (own, rest) = transcripts.split_at(own);
            transcripts = rest;
            (session, lifecycle.map(|(_, lifecycle)| lifecycle), own)
        });
        let parts: Vec<_> = parts.collect();
        let rows = parts
            .into_par_iter()
            .with_min_len(FEW)
            .map(|(session, lifecycle, own)| {
                let mut files: Vec<&TranscriptFile> = own.iter().collect();
                // The first configuration directory in order owns what several reach.
                files.sort_by_key(|file| file.config_dir);
                let owner = files.first().and_then(|file| config_dirs.get(file.config_dir));
                let mut row = join::row(session, lifecycle, claims.get(&session), now_ms);
                row.transcripts = files.iter().map(|file| file.path.clone()).collect();
                row.config_dir = owner.map(|owner| owner.path.clone()).or(row.config_dir);
                row.dispose(sources.deleted.contains(&session), sources.archived.get(&session));
                row.is_current = current.is_some_and(|current| current.session == session);
                row
            });
        Self {
            rows: rows.collect(),
            problems: sources.problems,
            now_ms,
        }
    }

    /// Reads the two ends of each row's transcript, in parallel, for title, directory, model and activity; rows that have been read
    /// already are left as they are.
    pub fn read_transcripts(&mut self) {
        self.rows
            .par_iter_mut()
            .filter(|row| row.facts.is_none())
            .for_each(|row| {
                // A transcript that can't be read, or vanished meanwhile, tells nothing; `show` says why.
                row.facts = row
                    .transcripts
                    .first()
                    .and_then(|path| transcript::summarize_ends(path).ok())
                    .map(|ends| Facts::from(&ends.summary));
            });
    }
}

/// The project directories that could not be listed, each as a sentence.
pub(super) fn unlisted(projects: &ProjectsListing) -> impl Iterator<Item = String> {
    let roots = projects.roots.iter().map(|root| (&root.path, &root.listed));
    let directories = projects
        .directories
        .iter()
        .map(|directory| (&directory.path, &directory.listed));
    roots.chain(directories).filter_map(|(path, listed)| match listed {
        Listed::Failed(error) => Some(format!("list `{}`: {error}", safe(path))),
        _ => None,
    })
}
