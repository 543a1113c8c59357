//! Looking at everything once, recording what would be lost, and joining it into rows.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use rayon::prelude::*;
use sexton_claude::projects::{Listed, ProjectsListing, TranscriptFile, list_projects};
use sexton_claude::registry::{by_session, this_session};
use sexton_claude::transcript;
use sexton_register::{LifecycleError, Loaded, SessionId, SessionLifecycle, load_all_tolerant};

use super::observation::{Observation, observe};
use super::{Disposal, Row, join};
use crate::context::Context;
use crate::error::CommandError;
use crate::render::path::safe;

/// What was seen, before it is joined.
#[derive(Debug)]
pub struct Sources {
    /// The register.
    pub register: Loaded,
    /// The live registries.
    pub observation: Observation,
    /// What lies in the project directories.
    pub projects: ProjectsListing,
    /// Sessions that were put away.
    pub disposals: BTreeMap<SessionId, Disposal>,
    /// What could not be read, as sentences.
    pub problems: Vec<String>,
}

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

/// Looks at register, registries and transcripts; changes nothing.
pub fn look(context: &Context) -> Result<Sources, CommandError> {
    let mut problems: Vec<String> = context.config_dirs.problems.iter().map(ToString::to_string).collect();
    let register = match load_all_tolerant(&context.places.register) {
        Ok(loaded) => loaded,
        Err(LifecycleError::Read { path, source }) if source.kind() == io::ErrorKind::NotADirectory => {
            return Err(
                CommandError::refused(format_args!("read the register: `{}` is not a directory", safe(&path)))
                    .hint("name the register's directory with `--register-dir` or `SEXTON_REGISTER_DIR`"),
            );
        }
        Err(error) => {
            problems.push(error.to_string());
            Loaded::default()
        }
    };
    problems.extend(register.problems.iter().map(ToString::to_string));
    let observation = observe(&context.config_dirs, register.sessions.values());
    problems.extend(observation.problems.iter().cloned());
    let projects = list_projects(context.config_dirs.as_slice());
    problems.extend(unlisted(&projects));
    Ok(Sources {
        register,
        observation,
        projects,
        disposals: BTreeMap::new(),
        problems,
    })
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
        let Loaded { sessions, damaged, .. } = sources.register;
        let mut lifecycles: BTreeMap<SessionId, SessionLifecycle> = damaged.into_iter().chain(sessions).collect();
        let ids: BTreeSet<SessionId> = lifecycles
            .keys()
            .chain(claims.keys())
            .copied()
            .chain(projects.transcripts.iter().map(|file| file.session))
            .collect();
        let rows = ids.into_iter().map(|session| {
            let mut files: Vec<&TranscriptFile> = projects.transcripts_of(&session).iter().collect();
            // The first configuration directory in order owns what several reach.
            files.sort_by_key(|file| file.config_dir);
            let owner = files.first().and_then(|file| config_dirs.get(file.config_dir));
            let mut row = join::row(session, lifecycles.remove(&session), claims.get(&session), now_ms);
            row.transcripts = files.iter().map(|file| file.path.clone()).collect();
            row.config_dir = owner.map(|owner| owner.path.clone()).or(row.config_dir);
            row.disposal = sources.disposals.get(&session).copied();
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
                    .map(|ends| ends.summary);
            });
    }
}

/// The project directories that could not be listed, each as a sentence.
fn unlisted(projects: &ProjectsListing) -> impl Iterator<Item = String> {
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
