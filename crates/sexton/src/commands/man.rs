//! `sexton man`

use crate::error::CommandError;
use crate::report::Report;
use crate::shell::manual::pages;

const EXAMPLES: &str = "\
Examples:
  sexton man | man -l -
  sexton man hooks install | man -l -
  sexton man delete > ~/.local/share/man/man1/sexton-delete.1";

/// Print a manual page.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The command whose page it is; the program's own without one
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Report, CommandError> {
    let words = ["sexton"]
        .into_iter()
        .chain(arguments.command.iter().map(String::as_str));
    let name = words.collect::<Vec<_>>().join("-");
    let pages = pages().map_err(CommandError::refused)?;
    let page = pages.into_iter().find(|page| page.name == name);
    let unknown = || {
        let typed = crate::render::one_line(&arguments.command.join(" "));
        CommandError::usage(format_args!("there is no command `{typed}`")).hint("`sexton --help` lists all commands")
    };
    page.map(|page| Report::text(page.text)).ok_or_else(unknown)
}
