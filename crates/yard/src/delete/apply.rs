//! Doing what the plan shows.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sexton_register::SessionId;
use sexton_sys::{EffectError, Effects};

use super::{DeletePlan, Place};
use crate::item::{Applied, ItemError, ItemId};
use crate::journal::OperationId;
use crate::survey::{ClaudeGround, Survey};
use crate::transfer::{Ground, Operation, run};
use crate::tree::{Tree, remove_as_seen};
use crate::yard::{Yard, YardError};

/// What a purge would remove after a plan was carried out.
#[derive(Debug)]
pub struct PurgePreview(Vec<(PathBuf, Tree)>);

impl PurgePreview {
    /// Says it to a dry run's effects; others are left alone, since only what really lies in the trash may be removed from there.
    pub fn record(&self, effects: &Effects) -> Result<(), EffectError> {
        if !effects.is_dry_run() {
            return Ok(());
        }
        let mut trees = self.0.iter();
        trees.try_for_each(|(place, tree)| remove_as_seen(effects, place, tree))
    }
}

impl DeletePlan {
    /// What a purge would remove once this has been done.
    #[must_use]
    pub fn purge_preview(&self) -> PurgePreview {
        let moves = self.transfers.iter().flat_map(|transfer| &transfer.moves);
        PurgePreview(moves.map(|mv| (mv.to.clone(), mv.seen.clone())).collect())
    }

    /// Moves what the plan shows into the trash, each id in the tombstone file before its transcript leaves.
    ///
    /// `survey` is the one the plan was made from; of it only the places matter now: config directories, archives, and what goes along.
    pub fn apply(self, yard: &Yard<'_>, survey: &Survey<'_>) -> Result<Applied, YardError> {
        self.apply_as(yard, survey, None)
    }

    pub(crate) fn apply_as(
        self,
        yard: &Yard<'_>,
        survey: &Survey<'_>,
        undoes: Option<OperationId>,
    ) -> Result<Applied, YardError> {
        let places = self.matched.iter().map(|item| (item.id.clone(), item.place));
        let ground = PlannedGround {
            claude: ClaudeGround {
                config_dirs: survey.config_dirs,
            },
            places: places.collect(),
            archives: survey.archives,
            along: survey.along,
        };
        let operation = Operation {
            id: Some(self.operation),
            undoes,
            ground: Some(&ground),
            ..Operation::default()
        };
        run(yard, operation, self.transfers)
    }
}

/// What belongs to the sessions of a plan by now, according to where the plan takes them from.
struct PlannedGround<'a> {
    claude: ClaudeGround<'a>,
    places: BTreeMap<ItemId, Place>,
    archives: &'a [PathBuf],
    along: &'a dyn Fn(&SessionId) -> Vec<PathBuf>,
}

impl Ground for PlannedGround<'_> {
    fn tops(&self, items: &[ItemId]) -> Result<BTreeMap<ItemId, Vec<PathBuf>>, ItemError> {
        let place = |id: &ItemId| self.places.get(id);
        // What appears in the projects tree under the id of an archived session is another matter.
        let compared = items.iter().filter(|id| place(id) != Some(&Place::Archive));
        let compared: Vec<ItemId> = compared.cloned().collect();
        if compared.is_empty() {
            return Ok(BTreeMap::new());
        }
        let mut tops = self.claude.tops(&compared)?;
        for id in compared.iter().filter(|id| place(id) == Some(&Place::Retained)) {
            // It counted as one without a transcript, which may just have been on its way from one place to another.
            let name = format!("{id}.jsonl");
            let tops = tops.entry(id.clone()).or_default();
            tops.retain(|path| path.ends_with(&name));
            let archived = self.archives.iter().map(|archive| archive.join(&name));
            tops.extend(archived.filter(|path| path.symlink_metadata().is_ok()));
        }
        for id in &compared {
            // A copy that was made meanwhile would stay, also of what is purged.
            let along = id.session().map(self.along).unwrap_or_default().into_iter();
            let there = along.filter(|path| path.symlink_metadata().is_ok());
            tops.entry(id.clone()).or_default().extend(there);
        }
        Ok(tops)
    }
}
