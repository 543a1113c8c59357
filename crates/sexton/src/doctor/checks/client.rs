//! Whether the client is where it is looked for.

use crate::doctor::Finding;
use crate::doctor::machine::Machine;
use crate::resume::client;

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    if client(&machine.context.environment).is_some() {
        return Vec::new();
    }
    let what = "`claude` is neither on `PATH` nor where its installers put it";
    vec![Finding::note(
        "client",
        what,
        "`sexton resume` can't go back to a session",
    )]
}
