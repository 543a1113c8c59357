//! Reading the whole store.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sexton_sys::listing::OpenDirectory;

use super::again::{Kept, Store};
use super::directory::{SUFFIX, session_file, session_of_name};
use crate::kept;
use crate::{LifecycleError, SessionId, SessionLifecycle};

/// The files of a store, as far as their names tell.
#[derive(Debug, Default)]
pub struct SessionFiles {
    /// One file a session, by session.
    pub files: Vec<(SessionId, PathBuf)>,
    /// A problem for each file that has the store's ending but no session's name, by name.
    pub problems: Vec<LifecycleError>,
}

/// Sessions with their summaries, by id. A summary is half a kilobyte, and ten thousand of them are handed on from here to there.
pub type Lifecycles = BTreeMap<SessionId, Box<SessionLifecycle>>;

/// A store read as far as it can be.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Every session whose file could be read whole.
    pub sessions: Lifecycles,
    /// What the good lines of damaged files say.
    ///
    /// Good enough to show, not to act upon: the end that a session seems to lack may be in the damaged line.
    pub damaged: Lifecycles,
    /// Everything that is wrong, by file and line.
    pub problems: Vec<LifecycleError>,
}

impl Loaded {
    /// All that could be read of any session: of damaged files what their good lines say.
    pub fn every(&self) -> impl Iterator<Item = &SessionLifecycle> {
        self.sessions.values().chain(self.damaged.values()).map(Box::as_ref)
    }
}

/// Lists the session files in `directory`, without opening any; an absent directory holds none.
///
/// Names that don't end in `.jsonl` are none of the store's business.
pub fn session_files(directory: &Path) -> Result<SessionFiles, LifecycleError> {
    let mut listed = list(directory)?;
    listed.sessions.sort_unstable();
    listed.problems.sort_by(|a, b| a.path().cmp(&b.path()));
    let files = listed.sessions.into_iter();
    Ok(SessionFiles {
        files: files
            .map(|session| (session, session_file(directory, session)))
            .collect(),
        problems: listed.problems,
    })
}

/// Summarizes every session in `directory`, or tells the first thing that is wrong; `load_all` of the lifecycle document.
///
/// An absent directory holds no sessions.
pub fn load_all(directory: &Path) -> Result<Lifecycles, LifecycleError> {
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
    load_all_again(directory, Vec::new(), 0).map(|again| again.loaded)
}

/// A load that went by what an earlier one had kept.
#[derive(Debug, Default)]
pub struct LoadedAgain {
    /// What [`load_all_tolerant`] would have loaded.
    pub loaded: Loaded,
    /// What to keep in place of what was kept, where so much has changed that it pays.
    pub keep: Option<Vec<u8>>,
}

/// As [`load_all_tolerant`], without opening the files that look as they did when `kept` was made of them.
///
/// `kept` is what the last [`LoadedAgain::keep`] was, and may be damaged, of another version, of another store, or empty: what it doesn't
/// tell is read. `now_ms` is the time, in milliseconds since the Unix epoch.
pub fn load_all_again(directory: &Path, kept: Vec<u8>, now_ms: i64) -> Result<LoadedAgain, LifecycleError> {
    let Listed {
        directory: open,
        mut sessions,
        problems,
    } = list(directory)?;
    sessions.sort_unstable();
    let store = Store {
        directory,
        open: open.as_ref(),
        now_ms,
    };
    let kept = Kept {
        bytes: kept.into(),
        header: kept::SUMMARIES,
        recall: |entry, stamp| entry.summary(stamp).map(Box::new),
    };
    let (read, keep) = store.read_again(&sessions, &kept, Box::new);

    let mut loaded = Loaded {
        problems,
        ..Loaded::default()
    };
    let mut whole = Vec::with_capacity(read.len());
    for read in read {
        match read.value {
            Some(summary) if read.problems.is_empty() => whole.push((summary.session, summary)),
            Some(summary) => drop(loaded.damaged.insert(summary.session, summary)),
            None => {}
        }
        loaded.problems.extend(read.problems);
    }
    loaded.sessions = whole.into_iter().collect();
    // By file; within one the lines are in order already.
    loaded.problems.sort_by(|a, b| a.path().cmp(&b.path()));
    Ok(LoadedAgain { loaded, keep })
}

/// A store's directory, listed.
struct Listed {
    /// `None` if there is none.
    directory: Option<OpenDirectory>,
    sessions: Vec<SessionId>,
    /// By name.
    problems: Vec<LifecycleError>,
}

/// Lists the session files by their names alone.
fn list(directory: &Path) -> Result<Listed, LifecycleError> {
    let mut listed = Listed {
        directory: None,
        sessions: Vec::new(),
        problems: Vec::new(),
    };
    let open = match OpenDirectory::open(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(listed),
        other => other.map_err(LifecycleError::read(directory))?,
    };
    open.each(|name, _| {
        let name = name.to_bytes();
        if !name.ends_with(SUFFIX) {
            return;
        }
        match session_of_name(name) {
            Some(session) => listed.sessions.push(session),
            None => listed.problems.push(LifecycleError::ForeignFile {
                path: directory.join(OsStr::from_bytes(name)),
            }),
        }
    })
    .map_err(LifecycleError::read(directory))?;
    listed.directory = Some(open);
    Ok(listed)
}
