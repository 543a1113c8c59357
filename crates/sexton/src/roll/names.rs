//! The names that stand in no transcript, without a look at all the rest of the register.

use std::collections::{BTreeMap, BTreeSet};

use sexton_claude::registry::{SessionProcesses, by_session};
use sexton_index::IndexError;
use sexton_register::{
    KeptNames, LifecycleError, MAX_KEPT_BYTES, RecordedNames, SessionId, names_again, read_session_tolerant,
    session_file, summarize,
};
use sexton_sys::{Effects, read};

use super::gather::{keep, refusal_or_problem, unlisted};
use super::{Roll, join, observe};
use crate::context::Context;
use crate::error::CommandError;
use crate::indexing::Indexed;

/// What a search of words takes from elsewhere than transcripts.
#[derive(Debug, Default)]
pub struct Names {
    /// Names, the registry's and the recorded ones, each once, by session.
    pub names: Vec<(SessionId, String)>,
    /// All sessions that could be found, and others whose ids could be mistaken for theirs.
    pub known: Vec<SessionId>,
    /// What could not be read, as sentences.
    pub problems: Vec<String>,
}

impl From<&Roll> for Names {
    fn from(roll: &Roll) -> Self {
        let named = roll
            .rows
            .iter()
            .filter_map(|row| Some((row.session, row.name.clone()?)));
        Self {
            names: named.collect(),
            known: roll.rows.iter().map(|row| row.session).collect(),
            problems: roll.problems.clone(),
        }
    }
}

impl Names {
    /// The names of the sessions that the catalogue knows; `archived` are known, too. Of a register of a hundred thousand others nothing is
    /// looked at.
    pub fn of_indexed(
        indexed: &Indexed,
        ahead: NamesAhead,
        archived: impl IntoIterator<Item = SessionId>,
        context: &Context,
    ) -> Result<Self, CommandError> {
        let mut problems: Vec<String> = context.config_dirs.problems.iter().map(ToString::to_string).collect();
        let known = indexed_sessions(indexed).map_err(CommandError::unreadable)?;
        let mut recorded = ahead.names_of(&known, context, &mut problems)?;

        let observation = observe(&context.config_dirs, []);
        problems.extend(observation.problems.iter().cloned());
        problems.extend(unlisted(&indexed.report.survey.listing));
        problems.extend(indexed.problems.iter().cloned());
        let running = by_session(&observation.observed);
        for (session, claims) in &running {
            // Which of two names counts depends on who gave them.
            match name_of_running(*session, claims, context) {
                Some(name) => drop(recorded.insert(*session, name)),
                None => drop(recorded.remove(session)),
            }
        }
        let deleted = indexed.report.tombstones.iter();
        let others = running
            .keys()
            .copied()
            .chain(archived)
            .chain(deleted.filter_map(|id| SessionId::from_bytes(id.as_bytes())));
        Ok(Self {
            names: recorded.into_iter().collect(),
            known: known.into_iter().chain(others).collect(),
            problems,
        })
    }
}

/// Those that a search could find: deleted ones it doesn't.
fn indexed_sessions(indexed: &Indexed) -> Result<BTreeSet<SessionId>, IndexError> {
    let gone = indexed.catalogue.absent_sessions()?;
    let there = indexed.report.survey.files.iter().map(|file| file.session);
    let all = there.chain(gone.into_iter().map(|session| session.session));
    let tombstones = &indexed.report.tombstones;
    Ok(all.filter(|session| !tombstones.contains(session.as_str())).collect())
}

/// The names of the sessions that the last search asked for, read while it is still being found out which there are now.
#[derive(Debug)]
pub struct NamesAhead {
    kept: KeptNames,
    /// The sessions that were asked for, by session.
    asked: Vec<SessionId>,
    found: Result<RecordedNames, LifecycleError>,
}

impl NamesAhead {
    /// Reads them.
    #[must_use]
    pub fn read(context: &Context) -> Self {
        let kept = read::read_limited(&context.places.kept_names, MAX_KEPT_BYTES).unwrap_or_default();
        let kept = KeptNames::from(kept);
        let asked = kept.sessions();
        let found = names(context, asked.iter().copied(), kept.clone());
        Self { kept, asked, found }
    }

    /// The names of exactly these sessions.
    fn names_of(
        self,
        sessions: &BTreeSet<SessionId>,
        context: &Context,
        problems: &mut Vec<String>,
    ) -> Result<BTreeMap<SessionId, String>, CommandError> {
        /// So many more than are wanted may be asked for: they were deleted, or lie in another place now.
        const MORE: usize = 2;
        let is_asked = |session: &SessionId| self.asked.binary_search(session).is_ok();
        let new = sessions.iter().filter(|session| !is_asked(session)).copied();
        let whole = |kept| (RecordedNames::default(), names(context, sessions.iter().copied(), kept));
        let (ahead, rest) = match self.found {
            Ok(found) if found.keep.is_none() && self.asked.len() <= MORE * sessions.len() => {
                // Those that the register doesn't know are new each time. Those that it knows are kept from now on, with all the others.
                match names(context, new, KeptNames::default()) {
                    Ok(rest) if rest.keep.is_some() => whole(self.kept),
                    rest => (found, rest),
                }
            }
            Ok(_) => whole(self.kept),
            Err(error) => (RecordedNames::default(), Err(error)),
        };
        let rest = match rest {
            Ok(rest) => rest,
            Err(error) => {
                problems.push(refusal_or_problem(&error)?);
                RecordedNames::default()
            }
        };
        if let Some(kept) = rest.keep {
            keep(&context.places.kept_names, &kept, context, &Effects::apply());
        }
        // Others may have been asked for ahead: they have been deleted since.
        let told = ahead.problems.into_iter().chain(rest.problems);
        let told = told.filter(|(session, _)| sessions.contains(session));
        problems.extend(told.map(|(_, problem)| problem.to_string()));
        let all = ahead.names.into_iter().chain(rest.names);
        Ok(all
            .filter(|(session, _)| sessions.contains(session))
            .map(|(session, name)| (session, name.to_string()))
            .collect())
    }
}

fn names(
    context: &Context,
    sessions: impl IntoIterator<Item = SessionId>,
    kept: KeptNames,
) -> Result<RecordedNames, LifecycleError> {
    names_again(&context.places.register, sessions, kept, context.now_ms())
}

fn name_of_running(session: SessionId, claims: &SessionProcesses<'_>, context: &Context) -> Option<String> {
    let path = session_file(&context.places.register, session);
    let events = read_session_tolerant(&path).unwrap_or_default().events;
    let lifecycle = Some(Box::new(summarize(session, events)));
    join::row(session, lifecycle, Some(claims), context.now_ms()).name
}
