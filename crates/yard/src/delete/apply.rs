//! Doing what the plan shows.

use super::{DeletePlan, Place};
use crate::item::Applied;
use crate::journal::OperationId;
use crate::survey::{ClaudeGround, Survey};
use crate::transfer::{Operation, run};
use crate::yard::{Yard, YardError};

impl DeletePlan {
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
        };
        run(yard, operation, self.transfers)
    }
}
