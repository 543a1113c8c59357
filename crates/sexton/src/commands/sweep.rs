//! `sexton sweep`

use super::changes;
use crate::arguments::DryRun;
use crate::context::Context;
use crate::documents::{Item, Outcome};
use crate::error::CommandError;
use crate::render::visible;
use crate::report::Report;
use crate::roll::{look, record};

const EXAMPLES: &str = "\
Examples:
  sexton sweep --dry-run
  sexton sweep";

/// Record the end of sessions that died without a word, and names that were seen.
///
/// A session is recorded as crashed if it began more than a minute ago, has no recorded end, and no registry shows a process of it that lives or
/// can't be judged. `sexton list` does the same in passing.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    dry_run: DryRun,
}

/// Runs the command.
pub fn run(arguments: Arguments, context: &Context) -> Result<Report, CommandError> {
    let effects = arguments.dry_run.effects();
    let mut sources = look(context)?;
    let pass = record(context, &mut sources, &effects);
    let mut sentences = Vec::new();
    let mut items = Vec::new();
    for event in &pass.named {
        let sentence = format!("{} is called `{}`", event.session, visible(event.kind.name.as_str()));
        items.push(Item::of_session(event.session, Outcome::Done).saying(&sentence));
        sentences.push(sentence);
    }
    for event in &pass.sweep.written {
        let sentence = format!("{} crashed", event.session);
        items.push(Item::of_session(event.session, Outcome::Done).saying(&sentence));
        sentences.push(sentence);
    }
    let failed = pass
        .problems
        .iter()
        .chain(&pass.sweep.problems)
        .map(ToString::to_string);
    let problems = changes::each_once(sources.problems.into_iter().chain(failed));
    if sentences.is_empty() && problems.is_empty() {
        sentences.push("nothing to record".to_owned());
    }
    changes::report(context, &effects, &sentences, items, problems)
}
