//! Names that stand in no transcript, given in the register: found like titles.

use std::path::PathBuf;
use std::rc::Rc;

use rusqlite::OptionalExtension;

use super::SearchContext;
use super::candidates::Candidate;
use super::scope::{FileFacts, Scope};
use crate::catalogue::{Catalogue, FileRole};
use crate::error::IndexError;
use crate::message::Kind;
use crate::query::{Role, SearchRequest};

/// Adds sessions whose names match.
pub(super) fn add(
    catalogue: &Catalogue,
    scope: &Scope<'_>,
    context: SearchContext<'_>,
    request: &SearchRequest,
    found: &mut Vec<Candidate>,
) -> Result<(), IndexError> {
    let filter = &request.filter;
    if !filter.tools.is_empty() || !(filter.roles.is_empty() || filter.roles.contains(&Role::Title)) {
        return Ok(());
    }
    for (id, name) in context.names {
        if !request.query.matches(name) {
            continue;
        }
        let number: Option<i64> = catalogue
            .connection
            .prepare_cached("SELECT number FROM session WHERE id = ?1")?
            .query_row([id.as_str()], |row| row.get(0))
            .optional()?;
        let Some(session) = number.map(|number| scope.session(number)).transpose()?.flatten() else {
            continue;
        };
        let is_before = filter
            .before_ms
            .is_none_or(|before| session.last_ms.is_some_and(|last| last < before));
        if is_before {
            found.push(Candidate {
                file: Rc::new(FileFacts::new(session.number, PathBuf::new(), FileRole::Transcript)),
                line: 0,
                offset: 0,
                part: 0,
                kind: Kind::Title,
                at_ms: session.last_ms,
                name: Some(name.clone()),
                session,
            });
        }
    }
    Ok(())
}
