//! Records for the tests of this module.

use super::RegistryRecord;
use crate::registry::ProcessKind;
use sexton_register::SessionId;

/// A record with a pid, a session id made from it, and nothing else.
pub(super) fn record(pid: u32) -> RegistryRecord {
    RegistryRecord {
        path: format!("{pid}.json").into(),
        pid,
        session: SessionId::from_u128(u128::from(pid)),
        cwd: None,
        started_at_ms: None,
        proc_start: None,
        pid_domain: None,
        version: None,
        kind: ProcessKind::Interactive,
        status: None,
        waiting_for: None,
        name: None,
        name_source: None,
        entrypoint: None,
        spare: false,
    }
}
