//! What the catalogue adds to the roll: the facts of transcripts it has read, and the sessions that only it still knows.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use sexton_claude::cleanup::{CleanupPeriod, MANAGED_SETTINGS, cleanup_period};
use sexton_index::IndexError;
use sexton_index::catalogue::CatalogueSession;
use sexton_register::SessionId;
use sexton_sys::FileIdentity;

use super::{Evidence, Facts, Roll, archived, gather, join, look_beside};
use crate::context::Context;
use crate::error::CommandError;
use crate::indexing::{Indexed, PATIENCE, bring_up_to_date, vault};

impl Roll {
    /// Takes over what the catalogue knows.
    ///
    /// Facts only of transcripts that are exactly as they were when they were read: a pass that ran out of time has not seen the rest.
    pub fn know(&mut self, indexed: &Indexed, context: &Context) -> Result<(), IndexError> {
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
        let copies: BTreeSet<SessionId> = vault(context).sessions()?.into_iter().collect();
        let periods = periods(context);
        for row in &mut self.rows {
            row.has_copy = copies.contains(&row.session);
            let identity = row.transcripts.first().and_then(|path| seen.get(path.as_path()));
            let period = row.config_dir.as_deref().and_then(|config_dir| periods.get(config_dir));
            row.sweep_due_ms = identity
                .zip(period)
                .map(|(identity, period)| period.sweep_due_ms(identity.modified));
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
            row.is_routine = Some(
                report
                    .facts
                    .routine
                    .get(&row.session)
                    .copied()
                    .unwrap_or_else(|| session.is_routine()),
            );
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
            row.has_copy = copies.contains(&id);
            row.facts = Some(Facts::from(&session.summary));
            row.missing_since_ms = report.facts.missing.get(&id).copied();
            self.rows.push(row);
        }
        self.rows.sort_by_key(|row| row.session);
        Ok(())
    }
}

/// Everything once, with what the catalogue knows; `warnings` takes why it knows less than it could.
pub fn gather_known(context: &Context, warnings: &mut Vec<String>) -> Result<Roll, CommandError> {
    let archived = archived(context, &mut Vec::new()).into_keys().collect();
    let mut indexed = match bring_up_to_date(context, &archived, PATIENCE) {
        Ok(indexed) => indexed,
        Err(error) => {
            warnings.push(format!("the catalogue can't be brought up to date: {error}"));
            return gather(context);
        }
    };
    let sources = look_beside(context, std::mem::take(&mut indexed.report.survey.listing))?;
    let mut roll = Roll::join(sources, context);
    if let Err(error) = roll.know(&indexed, context) {
        warnings.push(format!("the catalogue can't be read: {error}"));
    }
    warnings.append(&mut indexed.warnings);
    Ok(roll)
}

/// How long the clients of each configuration directory keep transcripts.
fn periods(context: &Context) -> HashMap<&Path, CleanupPeriod> {
    let managed = Path::new(MANAGED_SETTINGS);
    let directories = context
        .config_dirs
        .into_iter()
        .map(|directory| directory.path.as_path());
    directories
        .map(|directory| (directory, cleanup_period(directory, Some(managed))))
        .collect()
}
