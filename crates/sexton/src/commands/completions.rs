//! `sexton completions`

use crate::error::CommandError;
use crate::report::Report;
use crate::shell::completion::{Shell, script};

const EXAMPLES: &str = "\
Examples:
  bash   echo 'source <(sexton completions bash)' >> ~/.bashrc
  zsh    echo 'source <(sexton completions zsh)' >> ~/.zshrc       after `compinit`
  fish   sexton completions fish > ~/.config/fish/completions/sexton.fish";

/// Print the script that makes a shell complete commands, options, sessions and states.
///
/// The script asks the program, so that it offers the sessions of this moment, and stays right when the program changes.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The shell
    shell: Shell,
}

/// Runs the command.
pub fn run(arguments: Arguments) -> Result<Report, CommandError> {
    script(arguments.shell).map(Report::text)
}
