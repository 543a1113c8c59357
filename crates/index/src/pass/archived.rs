//! What must be read from an archive, since its session was put away before anyone had read it.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::PathBuf;

use sexton_claude::transcript::look_at_subagents;
use sexton_register::SessionId;
use sexton_sys::FileIdentity;

use super::decide::{Job, Place};
use super::survey::{Seen, Survey};
use crate::catalogue::{Catalogue, FileRole};
use crate::error::IndexError;

/// The files of the sessions in `archived` that the catalogue knows nothing of, or only what a client left behind under the id.
///
/// What was read before it was archived is known by where it lay then. A transcript that is no regular file is not read.
pub(super) fn unknown_sessions(
    catalogue: &Catalogue,
    survey: &Survey,
    archived: &BTreeMap<SessionId, PathBuf>,
    is_hidden: &dyn Fn(SessionId) -> bool,
) -> Result<Vec<Job>, IndexError> {
    let mut known = catalogue.connection.prepare_cached(
        "SELECT 1 FROM file JOIN session ON session.number = file.session WHERE session.id = ?1 AND role = 0 AND NOT present",
    )?;
    let mut jobs = Vec::new();
    for (session, path) in archived {
        if is_hidden(*session) || known.exists([session.as_str()])? {
            continue;
        }
        let metadata = path.symlink_metadata().ok().filter(Metadata::is_file);
        let Some(identity) = metadata.as_ref().map(FileIdentity::of) else {
            continue;
        };
        let there = survey.listing.transcripts_of(session).iter();
        let mut there = there.filter_map(|file| survey.transcript(*session, &file.path));
        if there.any(|there| there.size >= identity.size) {
            continue;
        }
        let mut add = |role, path: PathBuf, identity| {
            jobs.push(Job {
                seen: Seen {
                    session: *session,
                    role,
                    path,
                    identity,
                },
                stored: None,
                from: Place::Archive,
            });
        };
        add(FileRole::Transcript, path.clone(), identity);
        for subagent in look_at_subagents(&path.with_extension("")).unwrap_or_default() {
            if let Ok(look) = subagent.look {
                add(FileRole::Subagent, subagent.path, look.identity);
            }
        }
    }
    Ok(jobs)
}
