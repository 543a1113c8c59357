//! Seeing every session.

use std::path::PathBuf;

use sexton_register::SessionId;
use sexton_sys::Effects;

use crate::commands::list::unrecorded;
use crate::context::Context;
use crate::error::CommandError;
use crate::indexing::Indexed;
use crate::render::path::safe;
use crate::roll::{self, Roll, ShortIds, Sources, look, record};
use crate::table::model::{Entry, News};
use crate::table::reader::Facts;
use crate::table::scout::Scout;

/// Looks at the machine again and again, and remembers what the catalogue knew.
pub(super) struct Looker<'a> {
    context: &'a Context,
    facts: Facts,
    scout: Option<Scout>,
    indexed: Option<Indexed>,
    warnings: Vec<String>,
    archives: Vec<PathBuf>,
    names: Vec<(SessionId, String)>,
}

impl<'a> Looker<'a> {
    pub(super) fn new(context: &'a Context, facts: Facts, scout: Option<Scout>) -> Self {
        Self {
            context,
            facts,
            scout,
            indexed: None,
            warnings: Vec::new(),
            archives: Vec::new(),
            names: Vec::new(),
        }
    }

    pub(super) fn context(&self) -> &'a Context {
        self.context
    }

    /// The catalogue as of the last thorough look.
    pub(super) fn indexed(&self) -> Option<&Indexed> {
        self.indexed.as_ref()
    }

    /// Where archived sessions lie.
    pub(super) fn archives(&self) -> &[PathBuf] {
        &self.archives
    }

    /// The names that stand in no transcript: the registry's and the register's.
    pub(super) fn names(&self) -> &[(SessionId, String)] {
        &self.names
    }

    /// Whether the catalogue has read all that is there, as far as it can be had at all.
    pub(super) fn is_complete(&self) -> bool {
        self.indexed.as_ref().is_none_or(|indexed| indexed.report.finished)
    }

    /// What can be shown while the first look takes its time.
    pub(super) fn glance(&self) -> News {
        let roll = Roll::at_a_glance(self.context);
        let now_ms = roll.now_ms;
        News::Glance {
            entries: self.entries(roll),
            now_ms,
        }
    }

    /// Looks at everything but the catalogue, of which is told what is known already.
    pub(super) fn look(&mut self) -> Result<News, CommandError> {
        self.watch();
        let sources = look(self.context)?;
        Ok(self.sessions(sources))
    }

    /// Brings the catalogue up to date first, as far as there is time for it.
    pub(super) fn look_thoroughly(&mut self) -> Result<News, CommandError> {
        self.watch();
        self.warnings.clear();
        // Not two catalogues at once.
        self.indexed = None;
        let (indexed, sources) = roll::look_thoroughly(self.context, true, &mut self.warnings)?;
        self.indexed = indexed;
        Ok(self.sessions(sources))
    }

    /// Before looking: what changes in between is told.
    fn watch(&self) {
        if let Some(scout) = &self.scout {
            scout.watch(self.context);
        }
    }

    fn sessions(&mut self, mut sources: Sources) -> News {
        let context = self.context;
        let pass = record(context, &mut sources, &Effects::apply());
        self.archives = sources.archives();
        let mut roll = Roll::join(sources, context);
        if let Some(indexed) = &self.indexed
            && let Err(error) = roll.know(indexed, context)
        {
            roll.problems.push(format!("the catalogue can't be read: {error}"));
        }
        let configuration = context.configuration.problems.iter();
        let configuration = configuration.map(|problem| format!("{}:{problem}", safe(&context.places.configuration)));
        roll.problems.extend(configuration);
        roll.problems.extend(unrecorded(&pass));
        if self.indexed.is_none() {
            roll.problems.extend(self.warnings.iter().cloned());
        }
        let named = roll
            .rows
            .iter()
            .filter_map(|row| Some((row.session, row.name.clone()?)));
        self.names = named.collect();
        let (problems, now_ms) = (std::mem::take(&mut roll.problems), roll.now_ms);
        News::Sessions {
            entries: self.entries(roll),
            problems,
            now_ms,
        }
    }

    fn entries(&self, roll: Roll) -> Vec<Entry> {
        let short_ids = ShortIds::of(&roll.rows);
        let home = self.context.environment.home();
        let entries = roll.rows.into_iter().map(|mut row| {
            // What was read here is newer than what the catalogue has.
            row.facts = self.facts.of(row.session).or(row.facts.take());
            let short_id = short_ids.get(row.session);
            Entry::new(row, short_id, home.as_deref(), roll.now_ms)
        });
        entries.collect()
    }
}
