//! Whether the clock jumped.

use crate::doctor::Finding;
use crate::doctor::finding::some_of;
use crate::doctor::machine::Machine;
use crate::render::counted;

const CHECK: &str = "clock";

/// Clocks of machines that share a directory differ by less.
const TOLERATED_MS: i64 = 5 * 60 * 1000;

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    let latest_ms = machine.now_ms().saturating_add(TOLERATED_MS);
    let (mut ahead, mut back) = (Vec::new(), Vec::new());
    for file in &machine.recorded {
        if file.latest_ms.is_some_and(|at| at > latest_ms) {
            ahead.push(file.session.short().to_string());
        } else if file.went_back_ms > TOLERATED_MS {
            back.push(file.session.short().to_string());
        }
    }
    let mut findings = Vec::new();
    if !ahead.is_empty() {
        let what = format!(
            "{} of the register {} events in the future: {}",
            counted(ahead.len(), "session"),
            have(ahead.len()),
            some_of(&ahead)
        );
        let reason = "the clock was ahead, or is behind now; until then newer events of these sessions count as older";
        findings.push(Finding::attention(CHECK, what, reason));
    }
    if !back.is_empty() {
        let what = format!(
            "the clock went back while {} recorded: {}",
            if back.len() == 1 {
                "a session was"
            } else {
                "sessions were"
            },
            some_of(&back)
        );
        let reason = "events count in the order of their times, so that the last of these may not be the one that was written last";
        findings.push(Finding::note(CHECK, what, reason));
    }
    findings
}

fn have(count: usize) -> &'static str {
    if count == 1 { "has" } else { "have" }
}
