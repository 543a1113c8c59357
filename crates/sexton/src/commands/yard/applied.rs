//! What an operation did, for people and programs.

use sexton_yard::item::{Applied, ItemResult, Outcome as Came};

use crate::commands::changes;
use crate::context::Context;
use crate::documents::{Item, Outcome};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::report::Report;
use sexton_sys::Effects;

/// The report of an applied plan.
///
/// `done` says what happened to an item that is where it should be; `dress` adds what the plan knew of it; `left` are the items that the
/// plan left out. Exit 3 if some failed, 1 if all did.
pub(crate) fn report(
    context: &Context,
    effects: &Effects,
    applied: &Applied,
    left: Vec<Item>,
    done: impl Fn(&ItemResult) -> String,
    dress: impl Fn(&ItemResult, Item) -> Item,
) -> Result<Report, CommandError> {
    let mut items = Vec::new();
    let mut sentences = Vec::new();
    let mut problems: Vec<String> = applied.problems.clone();
    for result in &applied.items {
        let (outcome, detail) = match &result.outcome {
            Came::Done => (Outcome::Done, None),
            Came::AlreadyDone => (Outcome::AlreadyDone, None),
            other => (Outcome::Failed, other.error().map(ToString::to_string)),
        };
        match &detail {
            None => sentences.push(done(result)),
            Some(detail) => problems.push(format!("`{}`: {detail}", result.id)),
        }
        sentences.extend(result.notes.iter().map(|note| format!("  {note}")));
        let mut item = Item::named(result.id.as_str(), outcome);
        item.detail = detail.or_else(|| (!result.notes.is_empty()).then(|| result.notes.join("; ")));
        if let Some(path) = &result.path {
            item = item.at(path);
        }
        items.push(dress(result, item));
    }
    problems.extend(left.iter().filter(|item| item.outcome == Outcome::Failed).map(failure));
    let nothing_done = !items
        .iter()
        .any(|item| matches!(item.outcome, Outcome::Done | Outcome::AlreadyDone));
    items.extend(left);
    let all_failed = nothing_done && !problems.is_empty();
    let recovered = applied.recovered.iter().map(ToString::to_string);
    let report = changes::report(context, effects, &sentences, items, problems)?.with_notes(recovered);
    Ok(if all_failed {
        report.exactly(Exit::Refused)
    } else {
        report
    })
}

/// An item's failure as a sentence.
pub(crate) fn failure(item: &Item) -> String {
    let name = item.session.as_deref().unwrap_or_default();
    format!("`{name}`: {}", item.detail.as_deref().unwrap_or("left alone"))
}
