//! How commands that change something report it, dry run or not.

use sexton_sys::{Effect, Effects};

use crate::context::Context;
use crate::documents::{Item, ItemsDocument};
use crate::error::CommandError;
use crate::render::{lines, one_line, truncate};
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
        would(effects, context.screen.columns)
    } else {
        Report::text(lines(sentences))
    };
    Ok(report.with_problems(problems))
}

/// What a dry run would have done, a line each.
pub(super) fn would(effects: &Effects, columns: Option<usize>) -> Report {
    let recorded = effects.recorded();
    if recorded.is_empty() {
        return Report::text("nothing to do\n");
    }
    Report::text(lines(recorded.iter().map(|effect| would_do(effect, columns))))
}

/// One change as a sentence on one line; what is appended is shown as far as it tells what it is, and whole with `--json`.
fn would_do(effect: &Effect, columns: Option<usize>) -> String {
    const WIDEST: usize = 300;
    let sentence = format!("would {}", one_line(&effect.to_string()));
    // On a terminal one row of it: the path has been told by then.
    let room = match effect {
        Effect::Append { path, .. } => columns
            .unwrap_or(WIDEST)
            .max(path.as_os_str().len() + "would append to : …".len()),
        _ => WIDEST,
    };
    truncate(&sentence, room.min(WIDEST)).into_owned()
}
