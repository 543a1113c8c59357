//! `sexton resume`

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;

use crate::context::Context;
use crate::documents::ResumptionDocument;
use crate::error::CommandError;
use crate::render::path::safe;
use crate::report::Report;
use crate::resume::{Wishes, resumption};
use crate::roll::{Address, find_known};

const EXAMPLES: &str = "\
Examples:
  sexton resume 3f8a21c4
  sexton resume parser-rewrite -- --model opus 'go on with the tests'
  sexton resume 3f8a21c4 --cwd ~/projects/renamed
  sexton resume 3f8a21c4 --print";

/// Go back to a session: in its directory, with its settings, become the client.
///
/// Refused while a process holds the session, since two clients on one session write over each other.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The session: its id, a prefix of at least 8 characters, or its exact name
    session: String,

    /// Go on in this directory, such as the new place of a project that was moved
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    cwd: Option<PathBuf>,

    /// Go ahead although a process that claims the session can't be judged from here
    #[arg(long)]
    unverified: bool,

    /// Print the command for a shell instead of running it
    #[arg(long, short = 'n', visible_alias = "dry-run")]
    print: bool,

    /// Further arguments for `claude`
    #[arg(last = true, value_name = "ARGUMENT")]
    further: Vec<OsString>,
}

/// Runs the command; if all is well it becomes the client and does not return.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    let (mut roll, session) = find_known(context, &arguments.session, Address::IdOrName)?;
    roll.rows.retain(|row| row.session == session);
    roll.read_transcripts();
    let row = roll
        .rows
        .first()
        .ok_or_else(|| CommandError::refused("find the session again"))?;
    let absolute = |path: &PathBuf| match context.environment.current_directory() {
        Some(directory) => directory.join(path),
        None => path.clone(),
    };
    let wishes = Wishes {
        directory: arguments.cwd.as_ref().map(absolute),
        unverified: arguments.unverified,
        arguments: arguments.further.clone(),
    };
    let resumption =
        resumption(row, &context.environment, wishes).map_err(|error| error.for_session(session.as_str()))?;
    let warning = (row.transcripts.len() > 1).then(|| {
        let places: Vec<String> = row.transcripts.iter().map(|path| safe(path)).collect();
        format!(
            "the session has {} transcripts, and the client takes one of them: {}",
            places.len(),
            places.join(", ")
        )
    });
    if context.json {
        return Ok(Report::json(&ResumptionDocument::new(&resumption))?.with_warnings(warning));
    }
    if arguments.print {
        let mut line = resumption.shell_line();
        line.push("\n");
        // A line for a shell stays as it is; only what a terminal shows must be safe.
        let line = line.into_vec();
        let text = String::from_utf8_lossy(&line);
        let text = if context.screen.stdout_is_terminal {
            crate::render::text::block(&text)
        } else {
            text.into_owned()
        };
        return Ok(Report::text(text).with_warnings(warning));
    }
    // The client takes this process's place, so that signals and the exit status are its own.
    let error = resumption.command().exec();
    Err(CommandError::refused(format_args!(
        "run `{}` in `{}`: {error}",
        safe(&resumption.client),
        safe(&resumption.directory)
    )))
}
