//! Doing what the plan shows.

use std::path::PathBuf;

use sexton_sys::{EffectError, Effects};

use super::{DeletePlan, Place};
use crate::item::Applied;
use crate::journal::OperationId;
use crate::survey::{ClaudeGround, Survey};
use crate::transfer::{Operation, run};
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
    /// `survey` is the one the plan was made from; of it only the config directories matter now.
    pub fn apply(self, yard: &Yard<'_>, survey: &Survey<'_>) -> Result<Applied, YardError> {
        self.apply_as(yard, survey, None)
    }

    pub(crate) fn apply_as(
        self,
        yard: &Yard<'_>,
        survey: &Survey<'_>,
        undoes: Option<OperationId>,
    ) -> Result<Applied, YardError> {
        // A session that is only archived or retained now, and appears in the projects tree meanwhile, is another matter.
        let ground = ClaudeGround {
            config_dirs: survey.config_dirs,
        };
        let looks_again = self
            .matched
            .iter()
            .any(|item| matches!(item.place, Place::Projects | Place::Stub));
        let operation = Operation {
            id: Some(self.operation),
            undoes,
            ground: if looks_again { Some(&ground) } else { None },
            ..Operation::default()
        };
        run(yard, operation, self.transfers)
    }
}
