//! Does the process that a record speaks of still live?

use std::fmt;

use sexton_sys::process::{self, Existence, PidDomain, ProcessFacts};

use super::RegistryRecord;

/// What can be said about the process behind a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Liveness {
    /// It is gone, provably.
    Dead(Death),
    /// Its pid exists.
    Alive {
        /// Whether the kernel's start token was compared and is the recorded one; without that, the pid may have been used again.
        verified: bool,
    },
    /// From here nothing can be said. To be treated as alive wherever something could be lost.
    NotJudgeable(Unjudgeable),
}

/// How a dead process is known to be dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Death {
    /// Nobody has the pid.
    Missing,
    /// It has ended and only waits to be collected by its parent.
    Zombie,
    /// Another process has the pid: the start tokens differ.
    Replaced,
}

/// Why nothing can be said about a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unjudgeable {
    /// The pid belongs to another machine or pid namespace (a container, a shared home).
    ForeignDomain,
    /// The record names a domain, and this machine doesn't tell its own.
    UnknownDomain,
    /// The record was written by another operating system.
    ForeignSystem,
    /// sexton can't observe processes on this operating system.
    Unsupported,
}

impl Liveness {
    /// Whether the process is provably gone.
    #[must_use]
    pub fn is_dead(self) -> bool {
        matches!(self, Self::Dead(_))
    }

    /// Whether the process is there and is the recorded one, as far as that can be told.
    #[must_use]
    pub fn is_alive(self) -> bool {
        matches!(self, Self::Alive { .. })
    }
}

impl fmt::Display for Liveness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dead(Death::Missing) => "no such process",
            Self::Dead(Death::Zombie) => "the process has ended (zombie)",
            Self::Dead(Death::Replaced) => "the pid belongs to another process now",
            Self::Alive { verified: true } => "alive, start time verified",
            Self::Alive { verified: false } => "alive, start time not verified",
            Self::NotJudgeable(Unjudgeable::ForeignDomain) => "runs on another machine or in another container",
            Self::NotJudgeable(Unjudgeable::UnknownDomain) => "may run on another machine: this one has no id",
            Self::NotJudgeable(Unjudgeable::ForeignSystem) => "was started on another operating system",
            Self::NotJudgeable(Unjudgeable::Unsupported) => "processes can't be observed on this system",
        })
    }
}

/// Decides from the record, what was seen of its pid, and the observer's own domain.
///
/// A missing or unreadable token never makes a process dead; only a differing one does.
#[must_use]
pub fn judge(record: &RegistryRecord, facts: &ProcessFacts, own: Option<&PidDomain>) -> Liveness {
    if cfg!(not(target_os = "linux")) {
        return Liveness::NotJudgeable(Unjudgeable::Unsupported);
    }
    let recorded = record.proc_start.as_deref();
    if recorded.is_some_and(|token| !is_linux_token(token)) {
        return Liveness::NotJudgeable(Unjudgeable::ForeignSystem);
    }
    let observed = facts.stat.as_ref();
    let tokens = recorded.zip(observed.map(|stat| stat.start_ticks.as_str()));
    let same = tokens.map(|(recorded, observed)| recorded == observed);
    let zombie = observed.is_some_and(process::ProcessStat::is_zombie);
    match (&record.pid_domain, own) {
        (Some(recorded), Some(own)) if *recorded != own.to_string() => {
            return Liveness::NotJudgeable(Unjudgeable::ForeignDomain);
        }
        // Pid and start token both being right is no accident; everything else might be another machine's.
        (Some(_), None) if same != Some(true) => return Liveness::NotJudgeable(Unjudgeable::UnknownDomain),
        _ => {}
    }
    match (facts.existence, same) {
        (Existence::Missing, _) => Liveness::Dead(Death::Missing),
        (_, Some(false)) => Liveness::Dead(Death::Replaced),
        _ if zombie => Liveness::Dead(Death::Zombie),
        (_, same) => Liveness::Alive {
            verified: same == Some(true),
        },
    }
}

/// Looks at the record's process now.
#[must_use]
pub fn observe(record: &RegistryRecord, own: Option<&PidDomain>) -> Liveness {
    judge(record, &process::observe(record.pid), own)
}

/// Whether a start token is clock ticks since boot. macOS writes a date, Windows a count of 100 ns since 1601, which has 18 digits
/// where 15 digits of ticks are 300,000 years of uptime.
fn is_linux_token(token: &str) -> bool {
    token.len() <= 15 && token.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::registry::testing::record;
    use sexton_sys::process::ProcessStat;

    fn facts(start_ticks: Option<(char, &str)>) -> ProcessFacts {
        ProcessFacts {
            existence: Existence::Present,
            stat: start_ticks.map(|(state, ticks)| ProcessStat {
                state,
                parent: 1,
                start_ticks: ticks.into(),
            }),
        }
    }

    #[test]
    fn the_rules() {
        const OWN: &str = "linux:aa:pid:[1]";
        let sleeping = || facts(Some(('S', "100")));
        let dead = Liveness::Dead;
        let alive = |verified| Liveness::Alive { verified };
        let no = Liveness::NotJudgeable;
        #[rustfmt::skip]
        let cases = [
            ("same token", Some("100"), Some(OWN), sleeping(), Some(OWN), alive(true)),
            ("no token recorded", None, Some(OWN), sleeping(), Some(OWN), alive(false)),
            ("stat unreadable, as under hidepid", Some("100"), Some(OWN), facts(None), Some(OWN), alive(false)),
            ("older clients name no domain", Some("100"), None, sleeping(), Some(OWN), alive(true)),
            ("pid used again", Some("99"), Some(OWN), sleeping(), Some(OWN), dead(Death::Replaced)),
            ("gone", Some("100"), Some(OWN), ProcessFacts::MISSING, Some(OWN), dead(Death::Missing)),
            ("gone, no token", None, None, ProcessFacts::MISSING, None, dead(Death::Missing)),
            ("zombie", Some("100"), Some(OWN), facts(Some(('Z', "100"))), Some(OWN), dead(Death::Zombie)),
            ("zombie without token", None, None, facts(Some(('Z', "100"))), Some(OWN), dead(Death::Zombie)),
            ("another container", Some("100"), Some("linux:aa:pid:[2]"), ProcessFacts::MISSING, Some(OWN), no(Unjudgeable::ForeignDomain)),
            ("another machine", Some("100"), Some("linux:bb:pid:[1]"), sleeping(), Some(OWN), no(Unjudgeable::ForeignDomain)),
            ("another system's domain", None, Some("darwin:x"), sleeping(), Some(OWN), no(Unjudgeable::ForeignDomain)),
            ("no id of our own, gone", Some("100"), Some(OWN), ProcessFacts::MISSING, None, no(Unjudgeable::UnknownDomain)),
            ("no id of our own, same token", Some("100"), Some(OWN), sleeping(), None, alive(true)),
            ("macOS", Some("Mon Nov 30 18:03:52 2026"), None, sleeping(), Some(OWN), no(Unjudgeable::ForeignSystem)),
            ("Windows", Some("134407010329870000"), None, ProcessFacts::MISSING, Some(OWN), no(Unjudgeable::ForeignSystem)),
        ];
        for (what, token, domain, facts, own, expected) in cases {
            let mut record = record(1);
            record.proc_start = token.map(str::to_owned);
            record.pid_domain = domain.map(str::to_owned);
            let own = own.map(PidDomain::from_text);
            assert_eq!(judge(&record, &facts, own.as_ref()), expected, "{what}");
        }
    }
}
