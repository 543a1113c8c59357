//! Why a session can't be gone back to.

use std::path::{Path, PathBuf};

use crate::error::CommandError;
use crate::render::path::safe;
use crate::render::shell::quoted;
use crate::roll::Disposal;

/// Why a session can't be gone back to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// It runs.
    #[error("resume the session: it runs already as process {pid}{}", on(.terminal.as_ref()))]
    Live {
        /// The process.
        pid: u32,
        /// Its terminal, if it has one.
        terminal: Option<PathBuf>,
    },
    /// It may run: a process has its pid.
    #[error("resume the session: process {pid} has its pid, and whether that is its client can't be told")]
    Unverified {
        /// The process.
        pid: u32,
    },
    /// It may run.
    #[error("resume the session: process {pid} claims it, and whether that lives can't be told from here")]
    NotJudgeable {
        /// The process.
        pid: u32,
    },
    /// There is nothing to go on with.
    #[error("resume the session: it has no transcript in any `projects/`{}", put_away(*.0))]
    NoTranscript(Option<Disposal>),
    /// Nothing says where it worked.
    #[error("resume the session: nothing tells in which directory it worked")]
    NoDirectory,
    /// Where it worked is gone.
    #[error("resume the session: its directory `{}` is gone", safe(.directory))]
    DirectoryGone {
        /// Where it worked.
        directory: PathBuf,
        /// Directories that are there and that have to do with it.
        others: Vec<PathBuf>,
    },
    /// What was asked for is no directory.
    #[error("resume the session in `{}`: there is no such directory", safe(.0))]
    NoSuchDirectory(PathBuf),
    /// There is no client.
    #[error("find `claude`: it is neither on `PATH` nor in `~/.local/bin` or `~/.claude/local`")]
    NoClient,
}

fn on(terminal: Option<&PathBuf>) -> String {
    terminal
        .map(|terminal| format!(" on {}", safe(terminal)))
        .unwrap_or_default()
}

fn put_away(disposal: Option<Disposal>) -> &'static str {
    match disposal {
        Some(Disposal::Archived) => "; it was archived",
        Some(Disposal::Deleted) => "; it was deleted",
        _ => "",
    }
}

impl ResumeError {
    /// What to do about it, each a sentence.
    #[must_use]
    pub fn hints(&self, session: &str) -> Vec<String> {
        let word = |path: &PathBuf| safe(Path::new(&quoted(path.as_os_str())));
        let in_directory =
            |directory: &PathBuf| format!("`sexton resume {session} --cwd {}` goes on there", word(directory));
        match self {
            Self::Live { .. } => vec![
                "go to that terminal, or end the process first: two clients on one session write over each other"
                    .into(),
            ],
            Self::Unverified { pid } => vec![
                format!("`ps -fp {pid}` shows what it is; if it is the session's client, go to its terminal"),
                "`--unverified` goes ahead if it is another program".into(),
            ],
            Self::NotJudgeable { .. } => vec![
                "it may run on another machine or in a container that shares this directory".into(),
                "`--unverified` goes ahead if you know that it doesn't run".into(),
            ],
            Self::NoTranscript(Some(_)) => vec![format!("`sexton restore {session}` brings it back")],
            Self::NoTranscript(None) => vec![
                "a session that never got a prompt has none, and Claude Code removes old ones".into(),
                format!("`sexton restore {session}` brings it back if a copy was kept"),
            ],
            Self::NoDirectory => vec![format!(
                "`sexton resume {session} --cwd DIR` goes on in a directory of your choice"
            )],
            Self::DirectoryGone { directory, others } => others
                .iter()
                .map(in_directory)
                .chain([format!(
                    "if it was moved, name where it is now with `--cwd`; `mkdir -p {}` makes it anew",
                    word(directory)
                )])
                .collect(),
            Self::NoSuchDirectory(_) => Vec::new(),
            Self::NoClient => vec!["install Claude Code, or put the directory of `claude` on `PATH`".into()],
        }
    }

    /// The error of a command that was asked to resume `session`.
    #[must_use]
    pub fn for_session(self, session: &str) -> CommandError {
        let hints = self.hints(session);
        hints.into_iter().fold(CommandError::refused(self), CommandError::hint)
    }
}
