//! Whether the processes of the live sessions still run, and how much memory they have: what no file tells.

use sexton_register::SessionId;
use sexton_sys::process::{Existence, observe, resident_bytes};

use super::model::Roster;

/// What was felt.
#[derive(Debug, Default)]
pub(super) struct Pulse {
    /// A process that lived has ended.
    pub(super) has_stopped: bool,
    /// Resident memory of each process of each live session, in bytes.
    pub(super) memory: Vec<(SessionId, Vec<Option<u64>>)>,
}

/// Looks at each process that lived when the sessions were last looked at.
pub(super) fn feel(roster: &Roster) -> Pulse {
    let mut pulse = Pulse::default();
    for row in roster.entries().iter().map(|entry| &entry.row) {
        if row.processes.iter().all(|process| !process.liveness.is_alive()) {
            continue;
        }
        let memory = row.processes.iter().map(|process| {
            if !process.liveness.is_alive() {
                return None;
            }
            let facts = observe(process.pid);
            let is_zombie = facts.stat.is_some_and(|stat| stat.is_zombie());
            pulse.has_stopped |= facts.existence == Existence::Missing || is_zombie;
            resident_bytes(process.pid)
        });
        let memory: Vec<Option<u64>> = memory.collect();
        pulse.memory.push((row.session, memory));
    }
    pulse
}
