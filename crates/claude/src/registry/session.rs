//! From records to sessions: several processes can hold one id.

use std::collections::BTreeMap;

use sexton_register::SessionId;
use sexton_sys::Environment;
use sexton_sys::process::PidDomain;

use super::{Liveness, RegistryRecord, observe};

/// A record and what the kernel said about its process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    /// The claim.
    pub record: RegistryRecord,
    /// The fact.
    pub liveness: Liveness,
}

/// Looks at the process of every record, now.
#[must_use]
pub fn observe_all(records: Vec<RegistryRecord>, own: Option<&PidDomain>) -> Vec<Observed> {
    records
        .into_iter()
        .map(|record| Observed {
            liveness: observe(&record, own),
            record,
        })
        .collect()
}

/// The processes that claim one session; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionProcesses<'a> {
    /// The one that speaks for the session: alive before not judgeable before dead, verified first, then the newest.
    pub first: &'a Observed,
    /// The others, in the same order.
    pub others: Vec<&'a Observed>,
}

impl<'a> SessionProcesses<'a> {
    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &'a Observed> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    /// The record that started last, whatever became of it: its name is the session's.
    #[must_use]
    pub fn newest(&self) -> &'a RegistryRecord {
        let newest = self.all().max_by_key(|observed| observed.record.started_at_ms);
        &newest.unwrap_or(self.first).record
    }
}

/// The records grouped by session, without helpers. One process is there once, though profiles that share a registry through a link
/// show its record several times.
#[must_use]
pub fn by_session(observed: &[Observed]) -> BTreeMap<SessionId, SessionProcesses<'_>> {
    let mut ordered: Vec<&Observed> = observed.iter().filter(|observed| !observed.record.spare).collect();
    ordered.sort_by_key(|observed| {
        let rank = match observed.liveness {
            Liveness::Alive { verified: true } => 0,
            Liveness::Alive { verified: false } => 1,
            Liveness::NotJudgeable(_) => 2,
            Liveness::Dead(_) => 3,
        };
        (rank, std::cmp::Reverse(observed.record.started_at_ms))
    });
    let mut sessions: BTreeMap<SessionId, SessionProcesses<'_>> = BTreeMap::new();
    for observed in ordered {
        sessions
            .entry(observed.record.session)
            .and_modify(|processes| {
                if processes
                    .all()
                    .all(|known| !known.record.is_same_process(&observed.record))
                {
                    processes.others.push(observed);
                }
            })
            .or_insert_with(|| SessionProcesses {
                first: observed,
                others: Vec::new(),
            });
    }
    sessions
}

/// The session that the calling process was started in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThisSession {
    /// Its id.
    pub session: SessionId,
    /// The client's pid.
    pub pid: u32,
}

/// The session one sits in, told by `$CLAUDE_CODE_SESSION_ID` and `$CLAUDE_PID`.
///
/// One record must hold both: in a child that outlived a `/clear` the id is a former one's.
pub fn this_session<'a>(
    environment: &Environment,
    records: impl IntoIterator<Item = &'a RegistryRecord>,
) -> Option<ThisSession> {
    let session = SessionId::parse(&environment.text("CLAUDE_CODE_SESSION_ID")?).ok()?;
    let pid = environment.text("CLAUDE_PID")?.parse().ok()?;
    records
        .into_iter()
        .any(|record| record.session == session && record.pid == pid)
        .then_some(ThisSession { session, pid })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::testing::record;
    use crate::registry::{Death, Unjudgeable};

    fn observed(pid: u32, session: u128, started_at_ms: i64, liveness: Liveness) -> Observed {
        let mut record = record(pid);
        record.session = SessionId::from_u128(session);
        record.started_at_ms = Some(started_at_ms);
        Observed { record, liveness }
    }

    #[test]
    fn several_processes_with_one_id_are_one_session() {
        let alive = |verified| Liveness::Alive { verified };
        let records = [
            observed(1, 7, 900, Liveness::Dead(Death::Missing)),
            observed(2, 7, 800, Liveness::NotJudgeable(Unjudgeable::ForeignDomain)),
            observed(3, 7, 100, alive(true)),
            observed(4, 7, 200, alive(true)),
            observed(5, 7, 300, alive(false)),
            observed(6, 8, 0, alive(true)),
        ];
        let sessions = by_session(&records);
        assert_eq!(sessions.len(), 2);
        let seven = &sessions[&SessionId::from_u128(7)];
        let pids: Vec<_> = seven.all().map(|observed| observed.record.pid).collect();
        assert_eq!(pids, [4, 3, 5, 2, 1]);
        assert_eq!(seven.newest().pid, 1);
    }

    #[test]
    fn a_process_that_two_registries_show_is_one() {
        let alive = Liveness::Alive { verified: true };
        let records = [observed(1, 7, 0, alive), observed(1, 7, 0, alive)];
        let sessions = by_session(&records);
        assert_eq!(sessions[&SessionId::from_u128(7)].all().count(), 1);
    }

    #[test]
    fn helpers_are_no_sessions() {
        let mut helper = observed(1, 7, 0, Liveness::Alive { verified: true });
        helper.record.spare = true;
        assert!(by_session(&[helper]).is_empty());
    }

    #[test]
    fn this_session_needs_id_and_pid_in_one_record() {
        let records = [record(10), record(11)];
        let mine = records[0].session;
        let environment =
            |id: &str, pid: &str| Environment::from_variables([("CLAUDE_CODE_SESSION_ID", id), ("CLAUDE_PID", pid)]);
        let this = |environment| this_session(&environment, &records);
        assert_eq!(
            this(environment(mine.as_str(), "10")),
            Some(ThisSession { session: mine, pid: 10 })
        );
        assert_eq!(this(environment(mine.as_str(), "11")), None);
        assert_eq!(this(environment(SessionId::from_u128(99).as_str(), "10")), None);
        assert_eq!(this(environment(mine.as_str(), "")), None);
        assert_eq!(this(environment("junk", "10")), None);
        assert_eq!(this(Environment::default()), None);
    }
}
