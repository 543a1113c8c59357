//! What the commands of the yard share: the ground they work on, the question before, the report after.

mod applied;
mod confirm;
mod facts;
mod ground;
mod nothing;
mod plan;

pub(super) use applied::{failure, report};
pub(super) use confirm::{Consent, confirm};
pub(crate) use ground::Ground;
pub(super) use nothing::{Wish, nothing_to_move};
pub(super) use plan::{PlanRow, plan_table};
