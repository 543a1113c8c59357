//! Marking sessions.

use sexton_register::{MarkState, SessionId};
use sexton_sys::Effects;

use crate::commands::mark;
use crate::context::Context;
use crate::error::CommandError;
use crate::table::model::News;

/// Marks each of them.
pub(super) fn append(
    context: &Context,
    sessions: &[SessionId],
    state: Option<MarkState>,
    note: Option<&str>,
) -> Result<(), CommandError> {
    let effects = Effects::apply();
    for session in sessions {
        mark::append(&effects, context, *session, state, note)?;
    }
    Ok(())
}

/// What was marked, and that it isn't seen yet where that is so; `seen` are the sessions after it.
pub(super) fn said(sessions: &[SessionId], state: Option<MarkState>, seen: &News) -> String {
    let entries = match seen {
        News::Sessions { entries, .. } => entries.as_slice(),
        _ => &[],
    };
    let find = |session: &SessionId| entries.iter().find(|entry| entry.row.session == *session);
    let what = match sessions {
        [one] => find(one)
            .and_then(|entry| entry.row.label())
            .unwrap_or_else(|| one.short().to_owned()),
        several => format!("{} sessions", several.len()),
    };
    let Some(state) = state else {
        return format!("cleared the mark of {what}");
    };
    let is_live = sessions
        .iter()
        .any(|session| find(session).is_some_and(|entry| entry.row.state.is_live()));
    let later = if is_live {
        "; shown when nothing runs it any more"
    } else {
        ""
    };
    format!("marked {what} {state}{later}")
}
