//! How commands that change something report it, dry run or not.

use sexton_sys::Effects;

use crate::context::Context;
use crate::documents::{Item, ItemsDocument};
use crate::error::CommandError;
use crate::render::lines;
use crate::render::text::block;
use crate::report::Report;

/// The report of a command that changed something: a sentence for each item, or what a dry run would have done, or the JSON of both.
pub(super) fn report(
    context: &Context,
    effects: &Effects,
    sentences: &[String],
    items: Vec<Item>,
    problems: Vec<String>,
) -> Result<Report, CommandError> {
    let report = if context.json {
        Report::json(&ItemsDocument::new(
            effects.is_dry_run(),
            items,
            &effects.recorded(),
            &problems,
        ))?
    } else if effects.is_dry_run() {
        would(effects)
    } else {
        Report::text(lines(sentences))
    };
    Ok(report.with_problems(problems))
}

/// What a dry run would have done, a line each.
pub(super) fn would(effects: &Effects) -> Report {
    let recorded = effects.recorded();
    if recorded.is_empty() {
        return Report::text("nothing to do\n");
    }
    Report::text(lines(
        recorded
            .iter()
            .map(|effect| format!("would {}", block(&effect.to_string()))),
    ))
}
