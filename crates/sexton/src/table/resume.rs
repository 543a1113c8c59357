//! Running the client on a session, and coming back.

use std::path::PathBuf;
use std::process::Command;

use sexton_sys::Environment;

use super::model::Notice;
use crate::render::path::safe;
use crate::roll::Row;

/// A client to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Invocation {
    program: &'static str,
    arguments: Vec<String>,
    directory: PathBuf,
    config_dir: Option<PathBuf>,
}

/// How to run the client on a session, or why not to.
pub(super) fn prepare(row: &Row, environment: &Environment) -> Result<Invocation, String> {
    if row.state.is_live() {
        return Err("it runs already: two clients on one session write over each other".to_owned());
    }
    if row.transcripts.is_empty() {
        return Err("it has no transcript to resume".to_owned());
    }
    let directory = row
        .directory()
        .ok_or_else(|| "nothing tells in which directory it worked".to_owned())?;
    if !directory.is_dir() {
        return Err(format!("its directory {} is gone", safe(&directory)));
    }
    // Named only where it isn't the client's own choice: with the variable set, the client keeps its settings elsewhere.
    let default = environment
        .directory("CLAUDE_CONFIG_DIR")
        .or_else(|| Some(environment.home()?.join(".claude")));
    Ok(Invocation {
        program: "claude",
        arguments: vec!["--resume".to_owned(), row.session.to_string()],
        directory,
        config_dir: row
            .config_dir
            .clone()
            .filter(|config_dir| Some(config_dir) != default.as_ref()),
    })
}

/// Runs it to its end and says what happened. The screen must be given back first.
pub(super) fn run(invocation: &Invocation) -> Notice {
    let mut command = Command::new(invocation.program);
    command.args(&invocation.arguments).current_dir(&invocation.directory);
    if let Some(config_dir) = &invocation.config_dir {
        command.env("CLAUDE_CONFIG_DIR", config_dir);
    }
    match command.status() {
        Ok(status) if status.success() => Notice::said("the client has ended"),
        Ok(status) => Notice::failed(format!("the client ended with {status}")),
        Err(error) => Notice::failed(format!("run `{}`: {error}", invocation.program)),
    }
}
