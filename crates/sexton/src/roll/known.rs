//! What the catalogue adds to the roll: the facts of transcripts it has read, and the sessions that only it still knows.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sexton_claude::cleanup::CleanupPeriod;
use sexton_claude::projects::list_projects;
use sexton_index::IndexError;
use sexton_index::catalogue::{Catalogue, CatalogueSession};
use sexton_index::facts::Facts as KeptFacts;
use sexton_register::SessionId;
use sexton_sys::FileIdentity;
use sexton_yard::facts::{Facts as _, FileFacts};
use sexton_yard::load_tombstones;

use super::gather::FEW;
use super::{Address, Disposal, Evidence, Facts, Recorded, Roll, Row, Sources, archived, find, gather, join};
use crate::context::Context;
use crate::due::periods;
use crate::error::CommandError;
use crate::indexing::{Indexed, Patience, bring_up_to_date, catalogue_path, fact_store, facts_problem, vault};

impl Roll {
    /// Takes over what the catalogue knows.
    ///
    /// Facts only of transcripts that are exactly as they were when they were read: a pass that ran out of time has not seen the rest.
    pub fn know(&mut self, indexed: &Indexed, context: &Context) -> Result<(), IndexError> {
        self.know_which(indexed, context)?;
        self.know_facts(indexed)
    }

    /// Adds the sessions that only the catalogue still knows, and tells of all what no transcript says: copies, and the sweep to come.
    pub fn know_which(&mut self, indexed: &Indexed, context: &Context) -> Result<(), IndexError> {
        let report = &indexed.report;
        self.problems.extend(indexed.problems.iter().cloned());
        let copies: BTreeSet<SessionId> = vault(context).sessions()?.into_iter().collect();
        let periods = periods(context);
        self.rows.par_iter_mut().with_min_len(FEW).for_each(|row| {
            row.has_copy = copies.contains(&row.session);
            let session = row.session;
            row.is_due(&periods, |path| report.survey.transcript(session, path));
        });
        let is_there = |rows: &[Row], session| rows.binary_search_by_key(&session, |row| row.session).is_ok();
        let mut gone = indexed.catalogue.absent_sessions()?;
        gone.retain(|session| !session.hidden && !is_there(&self.rows, session.session));
        for session in gone {
            let mut row = join::row(session.session, None, None, self.now_ms);
            row.evidence = Evidence::Catalogue;
            row.has_copy = copies.contains(&row.session);
            row.take(&session, &report.facts, |_| None);
            self.rows.push(row);
        }
        self.rows.sort_by_key(|row| row.session);
        self.remember(&report.facts);
        let missing = report.facts.missing.keys();
        let forgotten: Vec<Row> = missing
            .filter(|id| !is_there(&self.rows, **id) && !report.tombstones.contains(id.as_str()))
            .map(|id| remembered(*id, &report.facts, copies.contains(id), self.now_ms))
            .collect();
        self.rows.extend(forgotten);
        self.rows.sort_by_key(|row| row.session);
        Ok(())
    }

    /// Takes over what the catalogue has read of the transcripts of the rows that are there now.
    pub fn know_facts(&mut self, indexed: &Indexed) -> Result<(), IndexError> {
        /// So many rows of a scan cost what one costs that is looked for.
        const FOUND: usize = 2;
        let (catalogue, report) = (&indexed.catalogue, &indexed.report);
        let _snapshot = catalogue.snapshot()?;
        let take = |row: &mut Row, known: &CatalogueSession| {
            let session = row.session;
            row.take(known, &report.facts, |path| report.survey.transcript(session, path));
        };
        if self.rows.len() < report.survey.len() / FOUND {
            for row in &mut self.rows {
                if let Some(known) = catalogue.session(row.session)? {
                    take(row, &known);
                }
            }
            return Ok(());
        }
        let mut sessions = indexed.sessions()?.into_iter().peekable();
        let mut rows: Vec<&mut Row> = self.rows.iter_mut().collect();
        rows.sort_by_key(|row| row.session);
        for row in rows {
            while sessions.next_if(|known| known.session < row.session).is_some() {}
            if let Some(known) = sessions.next_if(|known| known.session == row.session) {
                take(row, &known);
            }
        }
        Ok(())
    }
}

/// A session of which the catalogue knows nothing any more.
fn remembered(id: SessionId, facts: &KeptFacts, has_copy: bool, now_ms: i64) -> Row {
    let mut row = join::row(id, None, None, now_ms);
    row.evidence = Evidence::Catalogue;
    row.has_copy = has_copy;
    row.missing_since_ms = facts.missing.get(&id).copied();
    row.facts = facts.remembered.get(&id).map(|remembered| Facts {
        title: remembered.title.clone(),
        directory: remembered.directory.as_ref().map(PathBuf::from),
        last_activity_ms: remembered.last_activity_ms,
        ..Facts::default()
    });
    row
}

impl Roll {
    /// Takes over what is remembered of sessions whose transcripts are gone, and that the register still knows: a mark is no conversation.
    fn remember(&mut self, facts: &KeptFacts) {
        for (session, since_ms) in &facts.missing {
            let Ok(at) = self.rows.binary_search_by_key(session, |row| row.session) else {
                continue;
            };
            let row = &mut self.rows[at];
            if row.transcripts.is_empty() && row.disposal.is_none() {
                let kept = remembered(*session, facts, row.has_copy, self.now_ms);
                row.missing_since_ms = Some(*since_ms);
                row.facts = row.facts.take().or(kept.facts);
            }
        }
    }

    /// Adds the sessions that only catalogue, missing stamp or a copy in the vault still tell of, without bringing anything up to date; what
    /// of stamps and copies can't be read is a problem more.
    pub fn add_retained(&mut self, context: &Context) {
        // Unreadable, they are a problem of the roll already; what may have been deleted is not shown then.
        let Ok(tombstones) = load_tombstones(&context.places.tombstones) else {
            return;
        };
        let (facts, errors) = fact_store(context).load_readable();
        self.problems.extend(errors.iter().map(facts_problem));
        let copies = vault(context).sessions().unwrap_or_else(|error| {
            self.problems.push(error.to_string());
            Vec::new()
        });
        self.remember(&facts);
        let mut there: BTreeSet<SessionId> = self.rows.iter().map(|row| row.session).collect();
        // A catalogue that can't be read is made again by whoever may write.
        let known = Catalogue::look(&catalogue_path(context), |catalogue| catalogue.absent_sessions());
        for session in known.ok().flatten().unwrap_or_default() {
            let id = session.session;
            if !session.hidden && !tombstones.contains(id.as_str()) && there.insert(id) {
                let mut row = remembered(id, &facts, copies.contains(&id), self.now_ms);
                row.take(&session, &facts, |_| None);
                self.rows.push(row);
            }
        }
        let left: BTreeSet<SessionId> = facts.missing.keys().copied().chain(copies.iter().copied()).collect();
        let is_retained = |id: &SessionId| !there.contains(id) && !tombstones.contains(id.as_str());
        for id in left.into_iter().filter(is_retained) {
            self.rows
                .push(remembered(id, &facts, copies.contains(&id), self.now_ms));
        }
        self.rows.sort_by_key(|row| row.session);
    }
}

impl Row {
    /// Takes over what the catalogue knows of this one session, as it is: nothing is brought up to date, and nothing is written.
    pub fn know(&mut self, context: &Context) -> Result<(), IndexError> {
        let on_disk = |path: &Path| path.metadata().ok().map(|metadata| FileIdentity::of(&metadata));
        self.has_copy = vault(context).session_directory(self.session).is_dir();
        self.is_due(&periods(context), on_disk);
        // Who looked for the session was told already what can't be read.
        let (facts, _) = fact_store(context).load_readable();
        let known = Catalogue::look(&catalogue_path(context), |catalogue| catalogue.session(self.session))?;
        if let Some(session) = known.flatten() {
            self.take(&session, &facts, on_disk);
        }
        // What the catalogue doesn't know yet, the transcript tells: only as much of it is read as it takes to say no.
        let by_rule = || FileFacts.routine(self.transcripts.first()?).ok();
        let said = facts.routine.get(&self.session).copied();
        self.is_routine = self.is_routine.or(said).or_else(by_rule);
        Ok(())
    }

    pub(super) fn take(
        &mut self,
        known: &CatalogueSession,
        facts: &KeptFacts,
        identity: impl Fn(&Path) -> Option<FileIdentity>,
    ) {
        let file = known.transcripts.first();
        let is_fresh = file.is_some_and(|file| identity(&file.path) == Some(file.identity));
        if is_fresh || self.transcripts.is_empty() {
            self.facts = Some(Facts::from(&known.summary));
        }
        let verdict = facts.routine.get(&self.session).copied();
        self.is_routine = Some(verdict.unwrap_or_else(|| known.is_routine()));
        if self.transcripts.is_empty() {
            self.missing_since_ms = facts.missing.get(&self.session).copied();
        }
    }

    fn is_due(&mut self, periods: &[(PathBuf, CleanupPeriod)], identity: impl Fn(&Path) -> Option<FileIdentity>) {
        // What lies in the archive is out of the cleanup's reach.
        let in_projects = self
            .transcripts
            .first()
            .filter(|_| self.disposal != Some(Disposal::Archived));
        let modified = in_projects
            .and_then(|path| identity(path))
            .map(|identity| identity.modified);
        let period = self.config_dir.as_deref().and_then(|config_dir| {
            // Of a handful; as text, which is how the same directory came here.
            let is_own = |(directory, _): &&(PathBuf, CleanupPeriod)| directory.as_os_str() == config_dir.as_os_str();
            periods.iter().find(is_own).map(|(_, period)| period)
        });
        self.sweep_due_ms = modified
            .zip(period)
            .map(|(modified, period)| period.sweep_due_ms(modified));
    }
}

/// The session that `text` means, also one of which only a missing stamp or a copy is left. Nothing is written.
pub fn find_known(context: &Context, text: &str, address: Address) -> Result<(Roll, SessionId), CommandError> {
    let mut roll = gather(context)?;
    roll.add_retained(context);
    let session = find(&mut roll, text, address)?;
    Ok((roll, session))
}

/// Looks at everything and brings the catalogue up to date, as far as a list may wait for it. `warnings` takes why it knows less than it
/// could; without it a list still tells all but what only the catalogue knows. `every` says whether the facts of every session are wanted.
pub fn look_thoroughly(
    context: &Context,
    every: bool,
    warnings: &mut Vec<String>,
) -> Result<(Option<Indexed>, Sources), CommandError> {
    let then = |indexed: &Option<Indexed>| indexed.iter().filter(|_| every).for_each(Indexed::read_ahead);
    let (mut indexed, recorded) = Recorded::read_beside(context, || up_to_date(context, warnings), then)?;
    let listing = match &mut indexed {
        Some(indexed) => std::mem::take(&mut indexed.report.survey.listing),
        None => list_projects(context.config_dirs.as_slice()),
    };
    Ok((indexed, recorded.look_beside(listing, context)?))
}

fn up_to_date(context: &Context, warnings: &mut Vec<String>) -> Option<Indexed> {
    let archived = archived(context, &mut Vec::new());
    match bring_up_to_date(context, &archived, Patience::LIST) {
        Ok(indexed) => {
            // What the catalogue doesn't know yet is read from the transcripts' ends: a list is complete all the same.
            warnings.extend(indexed.warnings.iter().cloned());
            Some(indexed)
        }
        Err(error) => {
            warnings.push(format!("the catalogue can't be brought up to date: {error}"));
            None
        }
    }
}

/// Everything once, with what the catalogue knows; `warnings` takes why it knows less than it could.
pub fn gather_known(context: &Context, warnings: &mut Vec<String>) -> Result<Roll, CommandError> {
    let (indexed, sources) = look_thoroughly(context, true, warnings)?;
    let mut roll = Roll::join(sources, context);
    if let Some(indexed) = indexed
        && let Err(error) = roll.know(&indexed, context)
    {
        warnings.push(format!("the catalogue can't be read: {error}"));
    }
    Ok(roll)
}
