//! Recording display names, which Claude Code's registry forgets with the process.

use std::path::Path;

use sexton_sys::Effects;

use super::append_event;
use crate::{Draft, Event, LifecycleError, Named, SessionId, SessionLifecycle, Source, Stamps, Text};

/// The name source that stands for a person.
const BY_A_PERSON: &str = "user";

/// A name as it was seen, or given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenName<'a> {
    /// Whose name it is.
    pub session: SessionId,
    /// The name; an empty one is none.
    pub name: &'a str,
    /// Where it comes from, in Claude Code's words; an empty one is unknown.
    pub name_source: Option<&'a str>,
}

/// Whether `name` from `name_source` differs from what was last recorded.
#[must_use]
pub fn is_new_name(lifecycle: Option<&SessionLifecycle>, name: &str, name_source: Option<&str>) -> bool {
    let last = lifecycle.and_then(|lifecycle| lifecycle.name.as_ref());
    last.is_none_or(|last| last.kind.name != *name || last.kind.name_source.as_deref() != name_source)
}

/// Whether an observation must leave the recorded name alone, because a person gave it and not the one seen now.
#[must_use]
pub fn is_kept_name(lifecycle: Option<&SessionLifecycle>, name_source: Option<&str>) -> bool {
    let last = lifecycle.and_then(|lifecycle| lifecycle.name.as_ref());
    last.is_some_and(|last| last.source == Source::User) && name_source != Some(BY_A_PERSON)
}

/// Records a name unless it is empty or no news, and returns the event written; `capture_name` of the lifecycle document.
///
/// `source` is who writes: [`Source::Sweep`] for an observation, which asks [`is_kept_name`] first.
pub fn capture_name(
    effects: &Effects,
    directory: &Path,
    lifecycle: Option<&SessionLifecycle>,
    seen: SeenName<'_>,
    source: Source,
    stamps: &Stamps<'_>,
) -> Result<Option<Event<Named>>, LifecycleError> {
    let name_source = seen.name_source.filter(|source| !source.is_empty());
    let Some(name) = Text::new(seen.name).filter(|name| is_new_name(lifecycle, name, name_source)) else {
        return Ok(None);
    };
    let named = Named {
        name,
        name_source: name_source.and_then(Text::new),
    };
    let mut draft = Draft::new(seen.session, source, named);
    if let Some(last) = lifecycle.and_then(|lifecycle| lifecycle.name.as_ref()) {
        draft = draft.not_before(&last.at, stamps);
    }
    append_event(effects, directory, draft, stamps).map(Some)
}
