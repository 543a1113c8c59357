//! Going back to a session: where, with which settings, with which client, or why not.
//!
//! Measured with Claude Code 2.1.332: `claude --resume ID` finds the one transcript of an id from any directory and goes on in it, but works
//! in the directory it is started in; with the variable `CLAUDE_CONFIG_DIR` set, even to its default, the client keeps its own state
//! elsewhere; and a client that inherits the marks of another one's child records nothing.

mod directory;
mod error;

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use sexton_claude::registry::Liveness;
use sexton_register::SessionId;
use sexton_sys::{Environment, process};

pub use error::ResumeError;

use crate::render::shell::quoted;
use crate::roll::{Disposal, Row};

/// What a client finds in its environment when another one started it; inherited, they make it a child that records nothing.
const MARKS_OF_A_CHILD: [&str; 8] = [
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SESSION_KIND",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR",
];

/// How to go back to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resumption {
    /// The session.
    pub session: SessionId,
    /// The directory to be in.
    pub directory: PathBuf,
    /// What to do about `CLAUDE_CONFIG_DIR`.
    pub config_dir: ConfigDirVariable,
    /// The client.
    pub client: PathBuf,
    /// Further arguments for it.
    pub arguments: Vec<OsString>,
}

/// What to do about `CLAUDE_CONFIG_DIR`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigDirVariable {
    /// It says the right thing already.
    Keep,
    /// It must be unset: the session is one of `~/.claude`.
    Unset,
    /// It must be this.
    Set(PathBuf),
}

/// What a person asks for.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    /// Another directory than the session's.
    pub directory: Option<PathBuf>,
    /// Whether to go ahead where a process that claims the session can't be judged.
    pub unverified: bool,
    /// Further arguments for the client.
    pub arguments: Vec<OsString>,
}

/// How to go back to a session, from its row with its transcript read.
pub fn resumption(row: &Row, environment: &Environment, wishes: Wishes) -> Result<Resumption, ResumeError> {
    free(row, wishes.unverified)?;
    // A client looks for transcripts in `projects/` alone.
    if row.transcripts.is_empty() || row.disposal == Some(Disposal::Archived) {
        return Err(ResumeError::NoTranscript(row.disposal));
    }
    let directory = match wishes.directory {
        Some(directory) if directory.is_dir() => directory,
        Some(directory) => return Err(ResumeError::NoSuchDirectory(directory)),
        None => directory::of(row)?,
    };
    Ok(Resumption {
        session: row.session,
        directory,
        config_dir: config_dir_variable(row.config_dir.as_deref(), environment),
        client: client(environment).ok_or(ResumeError::NoClient)?,
        arguments: wishes.arguments,
    })
}

/// Refuses a session that a process holds: two clients on one transcript write over each other.
fn free(row: &Row, unverified: bool) -> Result<(), ResumeError> {
    let Some(holder) = row.process() else {
        return Ok(());
    };
    match holder.liveness {
        Liveness::Alive { verified: true } => Err(ResumeError::Live {
            pid: holder.pid,
            terminal: process::terminal(holder.pid),
        }),
        _ if unverified => Ok(()),
        Liveness::Alive { .. } => Err(ResumeError::Unverified { pid: holder.pid }),
        _ => Err(ResumeError::NotJudgeable { pid: holder.pid }),
    }
}

fn config_dir_variable(wanted: Option<&Path>, environment: &Environment) -> ConfigDirVariable {
    let Some(wanted) = wanted else {
        return ConfigDirVariable::Keep;
    };
    let real = wanted.canonicalize().ok();
    let same = |other: &PathBuf| other == wanted || (real.is_some() && other.canonicalize().ok() == real);
    let variable = environment.directory("CLAUDE_CONFIG_DIR");
    let is_home = environment
        .home()
        .map(|home| home.join(".claude"))
        .is_some_and(|home| same(&home));
    match variable {
        Some(variable) if same(&variable) => ConfigDirVariable::Keep,
        None if is_home => ConfigDirVariable::Keep,
        Some(_) if is_home => ConfigDirVariable::Unset,
        _ => ConfigDirVariable::Set(wanted.to_path_buf()),
    }
}

/// The client: the first `claude` on `$PATH`, else where its installers put it.
pub(crate) fn client(environment: &Environment) -> Option<PathBuf> {
    let on_path = environment.get("PATH").map(OsStr::to_os_string).unwrap_or_default();
    let on_path: Vec<PathBuf> = std::env::split_paths(&on_path)
        .filter(|directory| directory.is_absolute())
        .collect();
    let home = environment.home().into_iter();
    let installed = home.flat_map(|home| [home.join(".local/bin"), home.join(".claude/local")]);
    let candidates = on_path
        .into_iter()
        .chain(installed)
        .map(|directory| directory.join("claude"));
    let can_run = |path: &PathBuf| {
        path.metadata()
            .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    candidates.into_iter().find(can_run)
}

impl Resumption {
    /// The command that runs the client.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.client);
        command.arg("--resume").arg(self.session.as_str()).args(&self.arguments);
        command.current_dir(&self.directory).env("PWD", &self.directory);
        for mark in MARKS_OF_A_CHILD {
            command.env_remove(mark);
        }
        match &self.config_dir {
            ConfigDirVariable::Keep => {}
            ConfigDirVariable::Unset => drop(command.env_remove("CLAUDE_CONFIG_DIR")),
            ConfigDirVariable::Set(path) => drop(command.env("CLAUDE_CONFIG_DIR", path)),
        }
        command
    }

    /// The same as a line for a shell, in the bytes that the paths have.
    #[must_use]
    pub fn shell_line(&self) -> OsString {
        let mut line = OsString::from("cd ");
        line.push(quoted(self.directory.as_os_str()));
        line.push(" && ");
        match &self.config_dir {
            ConfigDirVariable::Keep => {}
            ConfigDirVariable::Unset => line.push("env -u CLAUDE_CONFIG_DIR "),
            ConfigDirVariable::Set(path) => {
                line.push("CLAUDE_CONFIG_DIR=");
                line.push(quoted(path.as_os_str()));
                line.push(" ");
            }
        }
        line.push(quoted(self.client.as_os_str()));
        line.push(" --resume ");
        line.push(self.session.as_str());
        for argument in &self.arguments {
            line.push(" ");
            line.push(quoted(argument));
        }
        line
    }
}
