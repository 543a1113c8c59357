//! What the catalogue adds to the roll: the facts of transcripts it has read, and the sessions that only it still knows.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use sexton_index::IndexError;
use sexton_index::catalogue::CatalogueSession;
use sexton_register::SessionId;
use sexton_sys::FileIdentity;

use super::{Evidence, Facts, Roll, join};
use crate::indexing::Indexed;

impl Roll {
    /// Takes over what the catalogue knows.
    ///
    /// Facts only of transcripts that are exactly as they were when they were read: a pass that ran out of time has not seen the rest.
    pub fn know(&mut self, indexed: &Indexed) -> Result<(), IndexError> {
        let report = &indexed.report;
        let seen: HashMap<&Path, FileIdentity> = report
            .survey
            .files
            .iter()
            .map(|file| (file.path.as_path(), file.identity))
            .collect();
        let sessions = indexed
            .catalogue
            .sessions()?
            .into_iter()
            .filter(|session| !session.hidden);
        let mut known: BTreeMap<SessionId, CatalogueSession> =
            sessions.map(|session| (session.session, session)).collect();
        for row in &mut self.rows {
            let Some(session) = known.remove(&row.session) else {
                continue;
            };
            let is_fresh = session
                .transcripts
                .first()
                .is_some_and(|file| seen.get(file.path.as_path()) == Some(&file.identity));
            if is_fresh || row.transcripts.is_empty() {
                row.facts = Some(Facts::from(&session.summary));
            }
            if row.transcripts.is_empty() {
                row.missing_since_ms = report.facts.missing.get(&row.session).copied();
            }
        }
        for (id, session) in known
            .into_iter()
            .filter(|(_, session)| !session.hidden && !session.is_present())
        {
            let mut row = join::row(id, None, None, self.now_ms);
            row.evidence = Evidence::Catalogue;
            row.facts = Some(Facts::from(&session.summary));
            row.missing_since_ms = report.facts.missing.get(&id).copied();
            self.rows.push(row);
        }
        self.rows.sort_by_key(|row| row.session);
        Ok(())
    }
}
