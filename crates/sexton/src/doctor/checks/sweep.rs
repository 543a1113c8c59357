//! What Claude Code is about to delete.

use crate::doctor::Finding;
use crate::doctor::finding::some_of;
use crate::doctor::machine::Machine;
use crate::due::{Due, due};
use crate::render::counted;
use crate::render::path::safe;

const CHECK: &str = "sweep";

/// So many sessions are named in the command; more are for the filter that finds them, since a command must stay one that can be copied.
const NAMED: usize = 5;

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    let Ok(sources) = &machine.sources else {
        return Vec::new();
    };
    due(sources, &machine.periods, machine.context)
        .iter()
        .map(finding)
        .collect()
}

fn finding(due: &Due) -> Finding {
    let sessions = &due.sessions;
    let shown: Vec<String> = sessions.iter().map(|session| session.short().to_string()).collect();
    let what = format!(
        "Claude Code will delete {} of {} within a week, and no copy of {} is kept: {}",
        counted(sessions.len(), "session"),
        safe(&due.directory),
        if sessions.len() == 1 { "it" } else { "them" },
        some_of(&shown),
    );
    let reason = format!(
        "`cleanupPeriodDays` is {}; transcripts that were not written to for so long are deleted without a word",
        due.days
    );
    let named = if sessions.len() > NAMED {
        "--due".to_owned()
    } else {
        shown.join(" ")
    };
    Finding::attention(CHECK, what, reason).mended_by(format!("sexton keep add {named}"))
}
