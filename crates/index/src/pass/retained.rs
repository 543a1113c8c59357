//! Sessions whose transcripts are gone: since when, and only if that is certain.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sexton_register::SessionId;
use sexton_sys::Effects;

use super::{PassReport, PassRequest};
use crate::catalogue::{Catalogue, CatalogueSession};
use crate::error::IndexError;
use crate::facts::Remembered;

/// Stamps sessions that are missed for the first time, and clears the stamps of those that are there again.
///
/// Present clears; a tombstone leaves everything as it is; else missing is stamped, but only if the place where the transcript lay was
/// listed in this very pass.
pub(super) fn stamp(
    catalogue: &Catalogue,
    effects: &Effects,
    request: &PassRequest<'_>,
    report: &mut PassReport,
) -> Result<(), IndexError> {
    let survey = &report.survey;
    let is_present = |session: &SessionId| !survey.listing.transcripts_of(session).is_empty();
    let back: Vec<SessionId> = report
        .facts
        .missing
        .keys()
        .filter(|session| is_present(session))
        .copied()
        .collect();
    let mut lost = Vec::new();
    for (session, paths) in catalogue.absent_transcripts()? {
        let is_known = report.facts.missing.contains_key(&session) || report.tombstones.contains(session.as_str());
        if is_known || is_present(&session) || request.archived.contains_key(&session) {
            continue;
        }
        if paths.iter().any(|path| survey.would_have_seen(session, path)) {
            lost.push(session);
        }
    }
    if (back.is_empty() && lost.is_empty()) || effects.is_dry_run() {
        return Ok(());
    }
    let lost: Vec<(SessionId, Option<Remembered>)> = lost
        .into_iter()
        .map(|session| Ok((session, catalogue.session(session)?.map(remembered))))
        .collect::<Result<_, IndexError>>()?;
    report.facts = request.facts.update(effects, |facts| {
        for session in &back {
            facts.missing.remove(session);
            facts.remembered.remove(session);
        }
        for (session, remembered) in lost {
            facts.missing.entry(session).or_insert(request.now_ms);
            facts
                .remembered
                .extend(remembered.map(|remembered| (session, remembered)));
        }
    })?;
    Ok(())
}

fn remembered(session: CatalogueSession) -> Remembered {
    let summary = session.summary;
    Remembered {
        title: summary.title,
        directory: summary
            .directory
            .map(|directory| directory.to_string_lossy().into_owned()),
        last_activity_ms: summary.last_activity_ms,
    }
}

impl Catalogue {
    /// Sessions of which no transcript is there, with the paths where they lay.
    fn absent_transcripts(&self) -> Result<BTreeMap<SessionId, Vec<PathBuf>>, IndexError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT session.id, file.path FROM file JOIN session ON session.number = file.session
             WHERE file.role = 0 AND file.present = 0
             AND NOT EXISTS (SELECT 1 FROM file other WHERE other.session = session.number AND other.role = 0 AND other.present)",
        )?;
        let mut rows = statement.query([])?;
        let mut absent: BTreeMap<SessionId, Vec<PathBuf>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let id: String = row.get(0)?;
            let path: Vec<u8> = row.get(1)?;
            if let Ok(session) = SessionId::parse(&id) {
                absent
                    .entry(session)
                    .or_default()
                    .push(crate::catalogue::path_of(&path));
            }
        }
        Ok(absent)
    }
}
