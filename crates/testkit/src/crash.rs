//! Children to kill: the test binary run again, or any program, ended by `SIGKILL` at a step or at an instant.

use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::random::Random;

const TASK: &str = "SEXTON_TEST_TASK";

/// Longer than any task takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By a signal, ours or its own.
    Killed,
    /// With this exit code, before it was to be killed.
    Exited(i32),
}

/// What this process was started to do, if it is a child of [`run_again`].
///
/// A test that crashes asks this first; as a child it does the task and returns, else it is the parent that starts children.
pub fn task() -> Option<OsString> {
    std::env::var_os(TASK)
}

/// Runs the current test binary again for this one test, where [`task`] then gives `task`, and waits for its end.
///
/// `test` is the test's full path, as `cargo test -- --list` shows it. Without `after` the child ends by itself or, at the step that
/// its task names, by a `sexton_sys::Fault::Kill`; with `after` it is killed when that much time has passed. A child that fails
/// instead of being killed fails the caller.
#[track_caller]
pub fn run_again(test: &str, task: impl AsRef<OsStr>, after: Option<Duration>) -> End {
    let binary = std::env::current_exe().expect("a test knows its binary");
    let mut command = Command::new(binary);
    command
        .args([test, "--exact", "--nocapture", "--include-ignored"])
        .env(TASK, task)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let (end, timed_out) = end_of(&mut command, after.unwrap_or(PATIENCE));
    assert!(after.is_some() || !timed_out, "the child of `{test}` hangs");
    assert!(
        matches!(end, End::Killed | End::Exited(0)),
        "the child of `{test}` failed"
    );
    end
}

/// Runs a program and kills it when this much time has passed, unless it has ended by then.
pub fn kill_after(command: &mut Command, after: Duration) -> End {
    end_of(command, after).0
}

/// Instants to kill at, spread evenly over `longest` and the same for one seed; `longest` is what an undisturbed run takes.
pub fn instants(seed: u64, longest: Duration) -> impl Iterator<Item = Duration> {
    let mut random = Random::new(seed);
    std::iter::repeat_with(move || longest.mul_f64(random.unit()))
}

fn end_of(command: &mut Command, limit: Duration) -> (End, bool) {
    let mut child = command
        .spawn()
        .unwrap_or_else(|error| panic!("failed to start {command:?}: {error}"));
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    let pidfd = pidfd_open(pid, PidfdFlags::empty()).expect("our own child can be watched");
    let limit = limit.try_into().unwrap();
    let timed_out = poll(&mut [PollFd::new(&pidfd, PollFlags::IN)], Some(&limit)) != Ok(1);
    if timed_out {
        // One that ended a moment ago hasn't been collected yet, so that its pid is still its own.
        child.kill().unwrap();
    }
    (end(child.wait().unwrap()), timed_out)
}

fn end(status: ExitStatus) -> End {
    status.code().map_or(End::Killed, End::Exited)
}
