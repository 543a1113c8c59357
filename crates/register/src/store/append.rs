//! Appending events to a session's file.

use std::path::Path;

use sexton_sys::{Durability, Effects};

use super::session_file;
use crate::{Draft, Event, Kind, LifecycleError, Stamps};

/// Appends one event to its session's file and returns it as written; `append_event` of the lifecycle document.
///
/// Id and time are filled in where the draft leaves them open. The directory is made if it is absent. What the file
/// holds is neither read back nor rewritten: the line goes to its end in one write, which leads with a newline if the
/// file ends in the middle of a line. The write isn't synced, since hooks have no time for it: a killed process loses
/// nothing, a power cut at most the last lines.
///
/// A disk that fills up in the middle of the write is an error, and leaves the beginning of a line behind, which
/// reading passes over until the next append makes it a damaged line of its own.
pub fn append_event<K: Kind>(
    effects: &Effects,
    directory: &Path,
    draft: Draft<K>,
    stamps: &Stamps<'_>,
) -> Result<Event<K>, LifecycleError> {
    let mut written = append_events(effects, directory, vec![draft], stamps)?;
    // One draft makes one event.
    written.pop().ok_or(LifecycleError::SeveralSessions)
}

/// As [`append_event`] for several events of one session, which get into the file together, in one write.
pub fn append_events<K: Kind>(
    effects: &Effects,
    directory: &Path,
    drafts: Vec<Draft<K>>,
    stamps: &Stamps<'_>,
) -> Result<Vec<Event<K>>, LifecycleError> {
    let Some(session) = drafts.first().map(|draft| draft.session) else {
        return Ok(Vec::new());
    };
    if drafts.iter().any(|draft| draft.session != session) {
        return Err(LifecycleError::SeveralSessions);
    }
    let mut events = Vec::with_capacity(drafts.len());
    let mut lines = String::new();
    for draft in drafts {
        let event = draft.stamp(stamps).map_err(LifecycleError::Random)?;
        lines.push_str(&event.to_json());
        lines.push('\n');
        events.push(event);
    }
    effects.create_directory(directory)?;
    effects.append(
        &session_file(directory, session),
        lines.as_bytes(),
        Durability::Buffered,
    )?;
    Ok(events)
}
