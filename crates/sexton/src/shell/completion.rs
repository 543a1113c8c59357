//! Completions: the script that a shell loads, and the answers to its questions.

use std::ffi::OsStr;

use clap::{Arg, Command, CommandFactory};
use clap_complete::env::{CompleteEnv, Shells};
use clap_complete::{ArgValueCompleter, CompletionCandidate};
use sexton_sys::Environment;

use super::candidates::{self, Wanted};
use crate::arguments::Arguments;
use crate::context::Context;
use crate::error::CommandError;
use crate::roll::gather;

/// What a shell's script sets when it asks. Not the `COMPLETE` of others, which someone may have exported for another program.
pub const VARIABLE: &str = "SEXTON_COMPLETE";

/// A shell that completions are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[expect(missing_docs, reason = "each is the shell of its name")]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Answers a shell's question, if this process was started for one.
pub fn answered(environment: &Environment) -> Result<bool, clap::Error> {
    let answerer = CompleteEnv::with_factory(command).var(VARIABLE);
    answerer.try_complete(std::env::args_os(), environment.current_directory())
}

/// The script that a shell loads. It asks the program for everything, so that it stays right when the program changes.
pub fn script(shell: Shell) -> Result<String, CommandError> {
    let name = match shell {
        Shell::Bash => "bash",
        Shell::Zsh => "zsh",
        Shell::Fish => "fish",
    };
    let shells = Shells::builtins();
    let unknown = || CommandError::refused(format_args!("make completions for `{name}`"));
    let completer = shells.completer(name).ok_or_else(unknown)?;
    let mut script = Vec::new();
    completer
        .write_registration(VARIABLE, "sexton", "sexton", "sexton", &mut script)
        .map_err(CommandError::refused)?;
    let mut script = String::from_utf8(script).map_err(CommandError::refused)?;
    if shell == Shell::Zsh {
        script.push_str(AUTOLOADED);
    }
    Ok(script)
}

/// Where zsh loads the script as the function `_sexton` from `$fpath`, that first call must complete already.
const AUTOLOADED: &str = "\
if [ \"$funcstack[1]\" = \"_sexton\" ]; then
    _clap_dynamic_completer_sexton \"$@\"
fi
";

/// The command line with what completes its words.
#[must_use]
pub fn command() -> Command {
    with_completers(Arguments::command())
}

fn with_completers(command: Command) -> Command {
    let name = command.get_name().to_owned();
    // Where nothing is destroyed, a name will do as well; the help of the argument says so.
    let completer = |arg: Arg| {
        let takes_names = arg
            .get_help()
            .is_some_and(|help| help.to_string().contains("exact name"));
        match arg.get_id().as_str() {
            "session" | "sessions" if name == "restore" => arg.add(ArgValueCompleter::new(returnable)),
            "ids" if name == "lift" => arg.add(ArgValueCompleter::new(tombstoned)),
            "session" | "sessions" if takes_names => arg.add(ArgValueCompleter::new(ids_and_names)),
            "session" | "sessions" | "ids" => arg.add(ArgValueCompleter::new(ids)),
            "state" if arg.get_possible_values().is_empty() => arg.add(ArgValueCompleter::new(candidates::states)),
            _ => arg,
        }
    };
    command.mut_args(completer).mut_subcommands(with_completers)
}

fn ids(current: &OsStr) -> Vec<CompletionCandidate> {
    sessions(current, Wanted::Ids)
}

fn ids_and_names(current: &OsStr) -> Vec<CompletionCandidate> {
    sessions(current, Wanted::IdsAndNames)
}

fn returnable(current: &OsStr) -> Vec<CompletionCandidate> {
    sessions(current, Wanted::Returnable)
}

fn tombstoned(current: &OsStr) -> Vec<CompletionCandidate> {
    sessions(current, Wanted::Tombstoned)
}

/// Nothing is said about what can't be read: a line in the middle of a command line that is being typed helps nobody.
fn sessions(current: &OsStr, wanted: Wanted) -> Vec<CompletionCandidate> {
    let Some(context) = Context::for_completion(Environment::of_this_process()) else {
        return Vec::new();
    };
    let Ok(mut roll) = gather(&context) else {
        return Vec::new();
    };
    if wanted == Wanted::Returnable {
        roll.add_retained(&context);
    }
    candidates::sessions(&roll.rows, current, wanted)
}
