//! What the kernel says about processes.
//!
//! A pid alone proves nothing, since pids are used again: a process is told apart by its start time, field 22 of `/proc/<pid>/stat`.
//! On systems other than Linux only existence is known, and callers must answer "can't be judged".

mod domain;
mod stat;

use std::path::PathBuf;

use rustix::io::Errno;
use rustix::process::{Pid, getppid, test_kill_process};

pub use domain::{PidDomain, own_pid_domain};
pub use stat::ProcessStat;

/// Whether a pid is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Existence {
    /// No such process.
    Missing,
    /// A process has this pid; it may be another user's (`EPERM` means that it exists).
    Present,
}

/// What was seen of one pid at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessFacts {
    /// Whether the pid is taken.
    pub existence: Existence,
    /// What `/proc` says about it, where `/proc` can be read.
    pub stat: Option<ProcessStat>,
}

impl ProcessFacts {
    /// The facts about a pid that nobody has.
    pub const MISSING: Self = Self {
        existence: Existence::Missing,
        stat: None,
    };
}

/// Looks at `pid` now; sends no signal and changes nothing.
#[must_use]
pub fn observe(pid: u32) -> ProcessFacts {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
        return ProcessFacts::MISSING;
    };
    match test_kill_process(pid) {
        Err(Errno::SRCH) => ProcessFacts::MISSING,
        // Success, EPERM and anything unforeseen: calling a living process dead costs more than the other way round.
        _ => ProcessFacts {
            existence: Existence::Present,
            stat: stat::read(pid.as_raw_nonzero().get().unsigned_abs()),
        },
    }
}

/// The pids of the calling process's ancestors, parent first, as far as `/proc` tells them.
#[must_use]
pub fn ancestors() -> Ancestors {
    Ancestors {
        next: getppid().map(|pid| pid.as_raw_nonzero().get().unsigned_abs()),
        left: 64,
    }
}

/// Walks up the process tree; reads one `/proc` file per step.
#[derive(Debug)]
pub struct Ancestors {
    next: Option<u32>,
    // Pids can be reused while we walk, so that the walk might not end by itself.
    left: u8,
}

impl Iterator for Ancestors {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let pid = self.next.take().filter(|pid| *pid > 0)?;
        self.left = self.left.checked_sub(1)?;
        self.next = stat::read(pid).map(|stat| stat.parent);
        Some(pid)
    }
}

/// Resident memory of `pid` in bytes, where `/proc` tells it.
#[must_use]
pub fn resident_bytes(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
    pages.checked_mul(rustix::param::page_size() as u64)
}

/// The terminal that `pid` reads from, such as `/dev/pts/3`, where `/proc` tells it.
#[must_use]
pub fn terminal(pid: u32) -> Option<PathBuf> {
    let target = std::fs::read_link(format!("/proc/{pid}/fd/0")).ok()?;
    (target.starts_with("/dev/pts") || target.to_string_lossy().starts_with("/dev/tty")).then_some(target)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_seen_and_has_ancestors() {
        let facts = observe(std::process::id());
        assert_eq!(facts.existence, Existence::Present);
        let stat = facts.stat.unwrap();
        assert!(!stat.is_zombie());
        assert_eq!(ancestors().next(), Some(stat.parent));
        assert!(ancestors().count() >= 1);
        assert!(resident_bytes(std::process::id()).unwrap() > 0);
    }

    #[test]
    fn nobody_has_pid_zero_or_the_largest() {
        assert_eq!(observe(0), ProcessFacts::MISSING);
        assert_eq!(observe(u32::MAX), ProcessFacts::MISSING);
        assert_eq!(observe(i32::MAX.unsigned_abs()), ProcessFacts::MISSING);
    }

    #[test]
    fn an_unreaped_child_is_a_zombie() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        // Wait for the end without collecting it.
        let id = rustix::process::WaitId::Pid(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap());
        rustix::process::waitid(
            id,
            rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT,
        )
        .unwrap();
        assert!(observe(pid).stat.unwrap().is_zombie());
        child.wait().unwrap();
        assert_eq!(observe(pid), ProcessFacts::MISSING);
    }
}
