//! Looking through the transcripts themselves.

use std::collections::BTreeMap;
use std::path::Path;

use sexton_index::query::View;
use sexton_index::scan::{Pattern, ScanFile, ScanRequest, ScanSession, scan};
use sexton_index::texts::Texts;
use sexton_register::SessionId;

use super::{Arguments, Found, Known, filter};
use crate::context::Context;
use crate::error::CommandError;
use crate::indexing::{Indexed, vault};
use crate::render::path::safe;

pub(super) fn run(
    arguments: &Arguments,
    pattern: &Pattern,
    context: &Context,
    indexed: &Indexed,
    known: &Known,
) -> Result<Found, CommandError> {
    let vault = vault(context);
    let rows = known.roll.iter().flat_map(|roll| &roll.rows);
    let sessions: BTreeMap<SessionId, ScanSession> = rows
        .map(|row| {
            let session = ScanSession {
                title: row.title().map(str::to_owned),
                directory: row.directory().map(Path::to_path_buf),
                last_ms: row.last_activity_ms(),
                is_routine: false,
            };
            (row.session, session)
        })
        .collect();
    let scanned = scan(ScanRequest {
        pattern,
        files: &files(indexed)?,
        sessions: &sessions,
        filter: &filter(arguments, context, known.roll.as_ref())?,
        texts: Texts {
            vault: &vault,
            archives: &known.archives,
        },
        tombstones: &indexed.report.tombstones,
        facts: &indexed.report.facts,
        sort: arguments.sort.into(),
        view: if arguments.messages {
            View::Messages
        } else {
            View::Sessions
        },
        limit: arguments.limit,
        width: arguments.width(context),
        now_ms: context.now_ms(),
    })
    .map_err(CommandError::usage)?;
    let problems = scanned
        .problems
        .iter()
        .map(|(path, reason)| format!("{}: {reason}", safe(path)));
    Ok(Found {
        answer: scanned.answer,
        problems: known.names.problems.iter().cloned().chain(problems).collect(),
    })
}

/// What lies there, and what lay there and may still be had from archive or vault.
fn files(indexed: &Indexed) -> Result<Vec<ScanFile>, CommandError> {
    let there = indexed.report.survey.files.iter().map(|file| ScanFile {
        session: file.session,
        role: file.role,
        path: file.path.clone(),
    });
    let mut files: Vec<ScanFile> = there.collect();
    let known = indexed.catalogue.sessions().map_err(CommandError::unreadable)?;
    for session in known.iter().filter(|session| !session.hidden && !session.is_present()) {
        let gone = indexed
            .catalogue
            .files(session.session)
            .map_err(CommandError::unreadable)?;
        files.extend(gone.into_iter().map(|file| ScanFile {
            session: session.session,
            role: file.role,
            path: file.path,
        }));
    }
    Ok(files)
}
