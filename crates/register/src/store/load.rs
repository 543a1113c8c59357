//! Reading the whole store.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sexton_sys::listing::list_if_present;

use super::directory::{SUFFIX, session_of_name};
use super::read::{events_in, read_content};
use crate::summary::Newest;
use crate::{LifecycleError, SessionId, SessionLifecycle};

/// The files of a store, as far as their names tell.
#[derive(Debug, Default)]
pub struct SessionFiles {
    /// One file a session, by session.
    pub files: Vec<(SessionId, PathBuf)>,
    /// A problem for each file that has the store's ending but no session's name, by name.
    pub problems: Vec<LifecycleError>,
}

/// A store read as far as it can be.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Every session whose file could be read whole.
    pub sessions: BTreeMap<SessionId, SessionLifecycle>,
    /// What the good lines of damaged files say.
    ///
    /// Good enough to show, not to act upon: the end that a session seems to lack may be in the damaged line.
    pub damaged: BTreeMap<SessionId, SessionLifecycle>,
    /// Everything that is wrong, by file and line.
    pub problems: Vec<LifecycleError>,
}

/// Lists the session files in `directory`, without opening any; an absent directory holds none.
///
/// Names that don't end in `.jsonl` are none of the store's business.
pub fn session_files(directory: &Path) -> Result<SessionFiles, LifecycleError> {
    let mut listed = SessionFiles::default();
    for entry in list_if_present(directory).map_err(LifecycleError::read(directory))? {
        let name = entry.name.as_bytes();
        if !name.ends_with(SUFFIX) {
            continue;
        }
        let path = directory.join(&entry.name);
        match session_of_name(name) {
            Some(session) => listed.files.push((session, path)),
            None => listed.problems.push(LifecycleError::ForeignFile { path }),
        }
    }
    Ok(listed)
}

/// Summarizes every session in `directory`, or tells the first thing that is wrong; `load_all` of the lifecycle document.
///
/// An absent directory holds no sessions.
pub fn load_all(directory: &Path) -> Result<BTreeMap<SessionId, SessionLifecycle>, LifecycleError> {
    let loaded = load_all_tolerant(directory)?;
    match loaded.problems.into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(loaded.sessions),
    }
}

/// Summarizes every session in `directory` and tells everything that is wrong, so that one damaged file never hides the
/// others.
///
/// An error is left for a directory that can't be listed.
pub fn load_all_tolerant(directory: &Path) -> Result<Loaded, LifecycleError> {
    let SessionFiles { files, problems } = session_files(directory)?;
    let read: Vec<_> = files
        .par_iter()
        .map_init(Vec::new, |content, (session, path)| {
            summarize_file(*session, path, content)
        })
        .collect();

    let mut loaded = Loaded {
        problems,
        ..Loaded::default()
    };
    let mut whole = Vec::with_capacity(read.len());
    for (summary, mut problems) in read {
        match summary {
            Some(summary) if problems.is_empty() => whole.push((summary.session, summary)),
            Some(summary) => drop(loaded.damaged.insert(summary.session, summary)),
            None => {}
        }
        loaded.problems.append(&mut problems);
    }
    loaded.sessions = whole.into_iter().collect();
    // By file; within one the lines are in order already.
    loaded.problems.sort_by(|a, b| a.path().cmp(&b.path()));
    Ok(loaded)
}

/// The summary of one file, unless it can't be read at all, and what is wrong in it.
fn summarize_file(
    session: SessionId,
    path: &Path,
    content: &mut Vec<u8>,
) -> (Option<SessionLifecycle>, Vec<LifecycleError>) {
    if let Err(problem) = read_content(path, content) {
        return (None, vec![problem]);
    }
    let mut newest = Newest::default();
    let mut problems = Vec::new();
    for item in events_in(path, content) {
        match item {
            Ok(event) => newest.take(event),
            Err(problem) => problems.push(problem),
        }
    }
    (Some(newest.summary(session)), problems)
}
