//! What mentions a session and is never touched: shared, live, or another program's.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use memchr::memmem;
use sexton_register::SessionId;
use sexton_sys::{listing, read};

use super::FootprintProblem;
use crate::config_dirs::ConfigDirectory;
use crate::lines::{Line, Lines};

/// Something that stays when a session goes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Mention {
    /// Lines of `history.jsonl`, the prompts of all sessions.
    History {
        /// The file.
        path: PathBuf,
        /// How many lines.
        lines: u64,
    },
    /// `jobs/<first 8 characters>/`, the daemon's.
    Job(PathBuf),
    /// `plans/<name>.md`, which a fork may share.
    Plan(PathBuf),
}

/// Mentions by session; sessions without any are left out.
#[derive(Debug, Default)]
pub struct Mentions {
    /// By session, in order.
    pub sessions: BTreeMap<SessionId, Vec<Mention>>,
    /// Files that couldn't be read.
    pub problems: Vec<FootprintProblem>,
}

/// What mentions each of `sessions`. Reads each `history.jsonl` once, whole, in bounded memory.
#[must_use]
pub fn mentions(config_dirs: &[ConfigDirectory], sessions: &BTreeSet<SessionId>) -> Mentions {
    let mut found = Mentions::default();
    let mut seen = BTreeSet::new();
    for config_dir in config_dirs {
        let path = config_dir.path.join("history.jsonl");
        let is_new = path.canonicalize().is_ok_and(|real| seen.insert(real));
        if is_new {
            match read::open_regular(&path).and_then(|(file, _)| count_lines(file, sessions)) {
                Ok(counts) => {
                    for (session, lines) in counts {
                        let path = path.clone();
                        found.add(session, Mention::History { path, lines });
                    }
                }
                Err(source) => found.problems.push(FootprintProblem {
                    path,
                    session: None,
                    source,
                }),
            }
        }
        found.add_jobs(&config_dir.path.join("jobs"), sessions, &mut seen);
    }
    found
}

impl Mentions {
    fn add_jobs(&mut self, directory: &Path, sessions: &BTreeSet<SessionId>, seen: &mut BTreeSet<PathBuf>) {
        let Ok(real) = directory.canonicalize() else { return };
        let entries = match listing::list_if_present(&real) {
            Ok(entries) if seen.insert(real) => entries,
            Ok(_) => return,
            Err(source) => {
                let path = directory.to_path_buf();
                return self.problems.push(FootprintProblem {
                    path,
                    session: None,
                    source,
                });
            }
        };
        let jobs: HashSet<OsString> = entries.into_iter().map(|entry| entry.name).collect();
        for session in sessions
            .iter()
            .filter(|session| jobs.contains(OsStr::new(session.short())))
        {
            self.add(*session, Mention::Job(directory.join(session.short())));
        }
    }

    fn add(&mut self, session: SessionId, mention: Mention) {
        self.sessions.entry(session).or_default().push(mention);
    }
}

/// How many lines of a history name each session.
fn count_lines(file: File, sessions: &BTreeSet<SessionId>) -> io::Result<BTreeMap<SessionId, u64>> {
    // In a string the quotes would be escaped, so that only the key itself is found.
    let key = memmem::Finder::new(b"\"sessionId\":\"");
    let mut counts = BTreeMap::new();
    let mut lines = Lines::new(file);
    while let Some(line) = lines.next()? {
        let Line::Whole { bytes, .. } = line else { continue };
        let session = key
            .find(bytes)
            .and_then(|at| bytes.get(at + key.needle().len()..)?.get(..36))
            .and_then(SessionId::from_bytes);
        if let Some(session) = session.filter(|session| sessions.contains(session)) {
            *counts.entry(session).or_insert(0) += 1;
        }
    }
    Ok(counts)
}

/// The plan called `name`, as a transcript's records tell it, if there is one in `config_dir`.
#[must_use]
pub fn plan_file(config_dir: &Path, name: &str) -> Option<PathBuf> {
    // The name comes out of a file: it must be one, and not a way out of the directory.
    let mut components = Path::new(name).components();
    let is_name = matches!(
        (components.next(), components.next()),
        (Some(Component::Normal(_)), None)
    );
    let path = config_dir.join("plans").join(format!("{name}.md"));
    (is_name && !name.contains('/') && path.is_file()).then_some(path)
}
