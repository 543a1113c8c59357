//! What Claude Code is about to delete.

use std::collections::BTreeSet;

use sexton_register::SessionId;

use crate::doctor::Finding;
use crate::doctor::finding::some_of;
use crate::doctor::machine::Machine;
use crate::indexing::vault;
use crate::render::counted;
use crate::render::path::safe;

const CHECK: &str = "sweep";

/// Sessions that are due within this many milliseconds are worth a word.
const SOON_MS: i64 = 7 * 24 * 60 * 60 * 1000;

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    let Ok(sources) = &machine.sources else {
        return Vec::new();
    };
    let copies: BTreeSet<SessionId> = vault(machine.context)
        .sessions()
        .unwrap_or_default()
        .into_iter()
        .collect();
    let mut findings = Vec::new();
    for (index, (directory, period)) in machine.periods.iter().enumerate() {
        let oldest_kept_ms = period.oldest_kept_ms(machine.now_ms().saturating_add(SOON_MS));
        let is_due = |file: &&sexton_claude::projects::TranscriptFile| {
            file.config_dir == index
                && !copies.contains(&file.session)
                && !sources.deleted.contains(&file.session)
                && file
                    .identity()
                    .is_ok_and(|identity| identity.modified.as_ms() < oldest_kept_ms)
        };
        let due: BTreeSet<SessionId> = sources
            .projects
            .transcripts
            .iter()
            .filter(is_due)
            .map(|file| file.session)
            .collect();
        if due.is_empty() {
            continue;
        }
        let shown: Vec<String> = due.iter().map(|session| session.short().to_string()).collect();
        let what = format!(
            "Claude Code will delete {} of {} within a week, and no copy of {} is kept: {}",
            counted(due.len(), "session"),
            safe(directory),
            if due.len() == 1 { "it" } else { "them" },
            some_of(&shown),
        );
        let reason = format!(
            "`cleanupPeriodDays` is {}; transcripts that were not written to for so long are deleted without a word",
            period.days
        );
        findings
            .push(Finding::attention(CHECK, what, reason).mended_by(format!("sexton keep add {}", shown.join(" "))));
    }
    findings
}
