//! Looking at everything once, recording what would be lost, and joining it into rows.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use rayon::prelude::*;
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
    /// The transcripts of each session, with the configuration directory that owns each.
    pub transcripts: BTreeMap<SessionId, Vec<(PathBuf, PathBuf)>>,
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
    let transcripts = transcripts(context, &mut problems);
    Ok(Sources {
        register,
        observation,
        transcripts,
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
        let mut transcripts = sources.transcripts;
        let Loaded { sessions, damaged, .. } = sources.register;
        let mut lifecycles: BTreeMap<SessionId, SessionLifecycle> = damaged.into_iter().chain(sessions).collect();
        let ids: BTreeSet<SessionId> = lifecycles
            .keys()
            .chain(claims.keys())
            .chain(transcripts.keys())
            .copied()
            .collect();
        let rows = ids.into_iter().map(|session| {
            let files = transcripts.remove(&session).unwrap_or_default();
            let mut row = join::row(
                session,
                lifecycles.remove(&session),
                claims.get(&session),
                files,
                now_ms,
            );
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

fn transcripts(context: &Context, problems: &mut Vec<String>) -> BTreeMap<SessionId, Vec<(PathBuf, PathBuf)>> {
    use sexton_sys::listing::{EntryKind, list_if_present};
    let mut found: BTreeMap<SessionId, Vec<(PathBuf, PathBuf)>> = BTreeMap::new();
    for directory in &context.config_dirs {
        let projects = directory.path.join("projects");
        let listed =
            list_if_present(&projects).map_err(|error| problems.push(format!("list `{}`: {error}", safe(&projects))));
        for project in listed.unwrap_or_default() {
            if project.kind == EntryKind::File {
                continue;
            }
            let project = projects.join(project.name);
            for entry in list_if_present(&project).unwrap_or_default() {
                let path = project.join(&entry.name);
                if let Some(session) = sexton_register::session_of_file(&path) {
                    found.entry(session).or_default().push((directory.path.clone(), path));
                }
            }
        }
    }
    found
}
