//! Real processes that stand in for Claude Code.

use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use sexton_sys::process::{observe, own_pid_domain};

/// A process of our own that lives until it is dropped, or until the test that holds it dies in whatever way.
///
/// It is a `cat` that waits on a pipe from the test: when the test is killed the pipe closes and the process ends by itself.
#[derive(Debug)]
pub struct LiveProcess(Child);

impl LiveProcess {
    /// Starts one.
    pub fn start() -> Self {
        let child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("`cat` starts");
        Self(child)
    }

    /// Its pid.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Field 22 of its `/proc/<pid>/stat`: what Claude Code records as `procStart` on Linux.
    pub fn start_ticks(&self) -> String {
        observe(self.pid())
            .stat
            .expect("a process of our own is in /proc")
            .start_ticks
    }

    /// This machine's `pidDomain`, where it tells one.
    pub fn pid_domain(&self) -> Option<String> {
        own_pid_domain().map(|domain| domain.to_string())
    }

    /// Ends it as `kill -9` does and collects it: from now on nobody has its pid.
    pub fn kill(mut self) -> u32 {
        self.end();
        self.pid()
    }

    /// Ends it without collecting it: its pid and start time stay in `/proc`, with state `Z`.
    pub fn into_zombie(mut self) -> Zombie {
        self.0.kill().expect("our own process can be killed");
        let pid = Pid::from_raw(i32::try_from(self.pid()).unwrap()).unwrap();
        waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).expect("our own process ends");
        Zombie(self)
    }

    fn end(&mut self) {
        // Both fail only if it has ended before, which is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for LiveProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// A process that has ended and was not collected; it is collected when this is dropped.
#[derive(Debug)]
pub struct Zombie(LiveProcess);

impl Zombie {
    /// Starts a process and lets it end.
    pub fn new() -> Self {
        LiveProcess::start().into_zombie()
    }

    /// Its pid.
    pub fn pid(&self) -> u32 {
        self.0.pid()
    }

    /// Its start time, which the kernel still shows.
    pub fn start_ticks(&self) -> String {
        self.0.start_ticks()
    }
}

impl Default for Zombie {
    fn default() -> Self {
        Self::new()
    }
}

/// A pid that a process had a moment ago and nobody has now.
pub fn dead_pid() -> u32 {
    LiveProcess::start().kill()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sexton_sys::process::Existence;

    #[test]
    fn a_live_one_lives_a_zombie_is_seen_and_a_dead_one_is_gone() {
        let live = LiveProcess::start();
        let ticks = live.start_ticks();
        assert_eq!(observe(live.pid()).existence, Existence::Present);
        let zombie = live.into_zombie();
        assert!(observe(zombie.pid()).stat.unwrap().is_zombie());
        assert_eq!(zombie.start_ticks(), ticks);
        let pid = zombie.pid();
        drop(zombie);
        assert_eq!(observe(pid).existence, Existence::Missing);
        assert_eq!(observe(dead_pid()).existence, Existence::Missing);
    }
}
