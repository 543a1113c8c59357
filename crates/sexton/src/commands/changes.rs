//! How commands that change something report it, dry run or not.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
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

/// Each of these sentences once: what fails for one step fails for the next in the same words.
pub(super) fn each_once(sentences: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut told = BTreeSet::new();
    let mut sentences: Vec<String> = sentences.into_iter().collect();
    sentences.retain(|sentence| told.insert(sentence.clone()));
    sentences
}

/// What a dry run would have done, a line each.
pub(super) fn would(effects: &Effects, columns: Option<usize>) -> Report {
    let recorded = effects.recorded();
    if recorded.is_empty() {
        return Report::text("nothing to do\n");
    }
    Report::text(lines(recorded.iter().map(|effect| would_do(effect, columns))))
}

/// One change as a sentence on one line; what is appended is told in short, and whole with `--json`.
fn would_do(effect: &Effect, columns: Option<usize>) -> String {
    const WIDEST: usize = 300;
    /// What an event says is hardly ever longer, but for a note.
    const GIST: usize = 80;
    let (what, room) = match effect {
        // On a terminal one row of it, or as much as the path and what matters take.
        Effect::Append { path, bytes, .. } => (
            format!("append to {}: {}", path.display(), gist(bytes)),
            columns.unwrap_or(WIDEST).max(path.as_os_str().len() + GIST),
        ),
        other => (other.to_string(), WIDEST),
    };
    truncate(&format!("would {}", one_line(&what)), room.min(WIDEST)).into_owned()
}

/// What lines say that are appended to the register, the journal or a list of the trash, without what every such line says.
fn gist(lines: &[u8]) -> String {
    let text = String::from_utf8_lossy(lines);
    let told = text.lines().map(|line| match serde_json::from_str(line) {
        Ok(Value::Object(line)) => gist_of_line(&line),
        _ => line.to_owned(),
    });
    told.collect::<Vec<_>>().join("; ")
}

fn gist_of_line(line: &Map<String, Value>) -> String {
    /// What stands in every event.
    const STAMPS: [&str; 6] = ["format_version", "id", "at", "session", "source", "kind"];
    // The lines of the journal are wrapped.
    let body = line.get("body").and_then(Value::as_object).unwrap_or(line);
    let word = |name: &str| body.get(name).and_then(Value::as_str);
    let is_event = line.contains_key("format_version");
    let words = if is_event {
        vec!["kind"]
    } else {
        vec!["line", "kind", "id", "outcome"]
    };
    let mut told: Vec<String> = words.into_iter().filter_map(word).map(str::to_owned).collect();
    let own = body
        .iter()
        .filter(|(name, value)| is_event && !STAMPS.contains(&name.as_str()) && !value.is_null());
    let mut own: Vec<(&String, &Value)> = own.collect();
    // The longest last.
    own.sort_by_key(|(name, _)| *name == "note");
    told.extend(own.into_iter().map(|(name, value)| format!("{name} {value}")));
    told.join(" ")
}
