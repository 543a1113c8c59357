//! Whether an operation was interrupted.

use sexton_sys::Effects;
use sexton_yard::recovery::{Pending, pending};

use crate::commands::yard::Ground;
use crate::doctor::machine::Machine;
use crate::doctor::{Finding, Fix};
use crate::render::counted;
use crate::render::visible;

const CHECK: &str = "journal";

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    let unreadable = |error: &dyn std::fmt::Display| {
        let reason = "nothing is archived, deleted or restored until it can be, since an interrupted operation could not be told";
        vec![Finding::attention(CHECK, visible(&error.to_string()), reason)]
    };
    // Read-only: recording effects neither lock nor write.
    let ground = match Ground::look(machine.context, Effects::record()) {
        Ok(ground) => ground,
        Err(error) => return unreadable(&error),
    };
    match pending(&ground.yard()) {
        Ok(Pending::Interrupted(count)) => {
            let what = format!(
                "an operation was interrupted with {} half way",
                counted(count, "session")
            );
            let reason = "each of them is finished or taken back before the next operation";
            vec![Finding::attention(CHECK, what, reason).fixed_by(Fix::Recover, "sexton doctor --fix")]
        }
        Ok(Pending::InProgress) => vec![Finding::note(
            CHECK,
            "an operation is in progress",
            "ask again when it is done",
        )],
        Ok(_) => Vec::new(),
        Err(error) => unreadable(&error),
    }
}
