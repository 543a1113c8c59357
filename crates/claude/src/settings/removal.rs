//! Taking entries out again.
//!
//! What is removed is exactly what [`super::install`] inserts: an item goes together with the comma and the white space before it. A
//! container that holds nothing afterwards goes as well if it was ours. Two signs that outlive the client's own rewriting of the file, or
//! at least do no harm, say that it was there before: the end's entries stand before the start's, or the container begins with one blank.
//! A third one, a blank at the very end, says that the file was there and had nothing in it.

use super::command::HookEvent;
use super::document::{Container, Span, is_blank};
use super::entries::{Event, Hook, Hooks};
use super::error::SettingsError;

/// What begins a container that was there before us, and empty.
pub(super) const FILLED: &str = " ";

/// What ends a text that had nothing in it but white space before us, which stands before the object now.
pub(super) const WAS_BLANK: &str = " ";

/// The text without our entries; `None` if nothing is left of it that wasn't ours, so that the file should go.
pub fn uninstall(text: &str) -> Result<Option<String>, SettingsError> {
    if is_blank(text) {
        return Ok(Some(text.to_owned()));
    }
    without(text, |_| true)
}

/// The text without the second and further entries of ours in each event.
pub(super) fn without_doubles(text: &str) -> Result<String, SettingsError> {
    let hooks = Hooks::of(text)?;
    let first: Vec<Span> = HookEvent::ALL
        .into_iter()
        .filter_map(|event| hooks.ours(event).next().map(|hook| hook.span.clone()))
        .collect();
    let without = without(text, |hook| !first.contains(&hook.span))?;
    // The first entries stay, and with them everything that holds them.
    Ok(without.unwrap_or_else(|| text.to_owned()))
}

fn without(text: &str, goes: impl Fn(&Hook) -> bool) -> Result<Option<String>, SettingsError> {
    let hooks = Hooks::of(text)?;
    let Some((hooks_index, hooks_object)) = &hooks.object else {
        return Ok(Some(text.to_owned()));
    };
    let mut cuts = Vec::new();
    let mut emptied = Vec::new();
    for event in hooks.events.iter().flatten() {
        if cut_event(event, &goes, &mut cuts) == Rest::Ours {
            emptied.push(event.index);
        }
    }
    match cut(hooks_object, |index| emptied.contains(&index), &mut cuts) {
        Rest::Kept => return Ok(Some(apply(text, cuts))),
        Rest::Ours => {}
    }
    let end_first = emptied.len() == 2 && emptied[1] < emptied[0];
    if end_first && hooks.root.items.len() > 1 {
        return Ok(Some(apply(text, vec![hooks_object.interior()])));
    }
    cuts.clear();
    match cut(&hooks.root, |index| index == *hooks_index, &mut cuts) {
        Rest::Kept => Ok(Some(apply(text, cuts))),
        Rest::Ours if end_first => Ok(Some(apply(text, vec![hooks.root.interior()]))),
        Rest::Ours if text[hooks.root.span.end..] == *WAS_BLANK => Ok(Some(text[..hooks.root.span.start].to_owned())),
        Rest::Ours => Ok(None),
    }
}

/// What is left of a container.
#[derive(Debug, PartialEq, Eq)]
enum Rest {
    /// It stays, perhaps as an empty one that was there before us.
    Kept,
    /// Nothing, and it was ours.
    Ours,
}

fn cut_event(event: &Event<'_>, goes: impl Fn(&Hook) -> bool, cuts: &mut Vec<Span>) -> Rest {
    let mut emptied = Vec::new();
    for (index, group) in event.groups.iter().enumerate() {
        let ours = |hook: &Hook| hook.our_program.is_some() && goes(hook);
        let Some(list) = group.list.as_ref().filter(|_| group.hooks.iter().any(ours)) else {
            continue;
        };
        if group.only_hooks && group.hooks.iter().all(ours) {
            emptied.push(index);
        } else if cut(list, |hook| ours(&group.hooks[hook]), cuts) == Rest::Ours {
            // A matcher of someone's: the group stays, with nothing to do.
            cuts.push(list.interior());
        }
    }
    if emptied.is_empty() {
        return Rest::Kept;
    }
    cut(&event.array, |index| emptied.contains(&index), cuts)
}

/// Adds the cuts that take items out of a container. If it is left with nothing and was ours, none is added.
fn cut(container: &Container<'_>, goes: impl Fn(usize) -> bool, cuts: &mut Vec<Span>) -> Rest {
    let count = container.items.len();
    let kept = |range: std::ops::Range<usize>| range.into_iter().any(|index| !goes(index));
    if !kept(0..count) {
        let Some(last) = container.items.last().filter(|_| container.leading(0) == FILLED) else {
            return if count == 0 { Rest::Kept } else { Rest::Ours };
        };
        cuts.push(container.span.start + 1..last.value.end);
        return Rest::Kept;
    }
    for index in (0..count).filter(|index| goes(*index)) {
        cuts.push(if kept(0..index) {
            container.items[index - 1].value.end..container.items[index].value.end
        } else {
            container.items[index].start()..container.items[index + 1].start()
        });
    }
    Rest::Kept
}

/// The text without these parts, which don't overlap but for those that lie within another.
fn apply(text: &str, mut cuts: Vec<Span>) -> String {
    cuts.sort_by_key(|cut| (cut.start, std::cmp::Reverse(cut.end)));
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        if cut.start >= at {
            rest.push_str(&text[at..cut.start]);
        }
        at = at.max(cut.end);
    }
    rest.push_str(&text[at..]);
    rest
}
