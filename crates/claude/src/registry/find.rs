//! The look-up a hook makes: which process is the client that called me?

use std::path::{Path, PathBuf};

use sexton_register::SessionId;
use sexton_sys::process::PidDomain;

use super::{RegistryRecord, observe, read_record, read_registry};

/// What the registry tells a hook about its own client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookRecord {
    /// The client's record. It may still show the session before a `/clear`.
    pub record: RegistryRecord,
    /// Whether it shows the hook's own session; only then is its name this session's name.
    pub is_own_session: bool,
}

impl HookRecord {
    /// The display name and its source, if the record is about the hook's own session and has one.
    #[must_use]
    pub fn name(&self) -> Option<(&str, Option<&str>)> {
        let name = self.record.name.as_deref().filter(|_| self.is_own_session)?;
        Some((name, self.record.name_source.as_deref()))
    }
}

/// Finds the record of the client that runs `session` and called this hook.
///
/// First `$CLAUDE_PID` (`client`), then the hook's own `ancestors`, nearest first and not past the client: one of those is the caller,
/// even if its record shows another id. Only without such a record is the rest of the registry read, for the newest process with this
/// id. A record whose process is dead is passed over: its pid has been used again, or it is an earlier, killed run of the session.
pub fn find_for_hook(
    config_dir: &Path,
    session: &SessionId,
    client: Option<u32>,
    ancestors: impl IntoIterator<Item = u32>,
    own_domain: impl Fn() -> Option<PidDomain>,
) -> Option<HookRecord> {
    let directory = config_dir.join("sessions");
    let living = |path: PathBuf| {
        let record = read_record(&path).ok()?;
        // Our own domain is only looked up to be compared: that costs a hook its time.
        let own = record.pid_domain.as_ref().and_then(|_| own_domain());
        (!record.spare && observe(&record, own.as_ref()).is_alive()).then_some(HookRecord {
            is_own_session: record.session == *session,
            record,
        })
    };
    let by_pid = |pid: u32| living(directory.join(format!("{pid}.json")));

    let named = client.and_then(by_pid);
    if named.as_ref().is_some_and(|found| found.is_own_session) {
        return named;
    }
    let mut nearest = None;
    for pid in ancestors {
        // Past the client come the clients that it was started from.
        if Some(pid) == client {
            break;
        }
        match by_pid(pid) {
            Some(found) if found.is_own_session => return Some(found),
            found => nearest = nearest.or(found),
        }
    }
    nearest
        .or(named)
        .or_else(|| search(config_dir, session, own_domain().as_ref()))
}

/// The newest living process with this id, among all records.
fn search(config_dir: &Path, session: &SessionId, own_domain: Option<&PidDomain>) -> Option<HookRecord> {
    let mut records = read_registry(config_dir).ok()?.records;
    records.retain(|record| record.session == *session && !record.spare);
    records.sort_by_key(|record| std::cmp::Reverse(record.started_at_ms));
    let record = records
        .into_iter()
        .find(|record| observe(record, own_domain).is_alive())?;
    Some(HookRecord {
        record,
        is_own_session: true,
    })
}
