//! Asking before something is moved or removed.

use std::io::{self, BufRead, Write};

use crate::context::Context;
use crate::error::CommandError;

/// Consent given beforehand.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Consent {
    /// Do it without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// Shows `plan` on stderr and asks `question`; without a terminal to ask on, and without `--yes`, this is refused.
pub(crate) fn confirm(context: &Context, consent: Consent, plan: &str, question: &str) -> Result<(), CommandError> {
    if consent.yes {
        return Ok(());
    }
    if !context.screen.can_ask {
        return Err(
            CommandError::refused("ask for confirmation: there is no terminal to ask on")
                .hint("look at the plan with `--dry-run`, then repeat with `--yes`"),
        );
    }
    let asked = |error: io::Error| CommandError::refused(format_args!("ask for confirmation: {error}"));
    let mut stderr = io::stderr().lock();
    write!(stderr, "{plan}{question} [y/N] ")
        .and_then(|()| stderr.flush())
        .map_err(asked)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(asked)?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(CommandError::refused("nothing was changed: you declined")),
    }
}
