//! One run of a program, with everything it said.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// How long a program may run before it counts as hanging. Far more than any takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// How a program ended and what it wrote.
#[derive(Debug, Clone)]
#[must_use]
pub struct Run {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Its standard output; bytes that aren't UTF-8 are shown as U+FFFD.
    pub stdout: String,
    /// Its standard error, likewise.
    pub stderr: String,
    /// Its standard output as it was.
    pub stdout_bytes: Vec<u8>,
}

impl Run {
    /// Runs `command` to its end with `input` on its standard input; one that hangs is killed after a minute and fails the test.
    #[track_caller]
    pub fn of(command: &mut Command, input: &[u8]) -> Self {
        let mut child = command
            .stdin(if input.is_empty() {
                Stdio::null()
            } else {
                Stdio::piped()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("failed to start {command:?}: {error}"));
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        let pidfd = pidfd_open(pid, PidfdFlags::empty()).expect("our own child can be watched");
        let stdin = child.stdin.take();
        let mut stdout = child.stdout.take().unwrap();
        let mut stderr = child.stderr.take().unwrap();

        let (ended, out, err) = thread::scope(|scope| {
            scope.spawn(move || {
                // A program may stop reading when it has seen enough.
                stdin.map(|mut stdin| stdin.write_all(input))
            });
            let out = scope.spawn(move || read_all(&mut stdout));
            let err = scope.spawn(move || read_all(&mut stderr));
            let timeout = PATIENCE.try_into().unwrap();
            let ended = poll(&mut [PollFd::new(&pidfd, PollFlags::IN)], Some(&timeout)) == Ok(1);
            if !ended {
                child.kill().unwrap();
            }
            (ended, out.join().unwrap(), err.join().unwrap())
        });
        let status = child.wait().unwrap();
        let run = Self {
            code: status.code(),
            stdout: String::from_utf8_lossy(&out).into_owned(),
            stderr: String::from_utf8_lossy(&err).into_owned(),
            stdout_bytes: out,
        };
        assert!(ended, "{command:?} did not end; it had written {run:#?}");
        run
    }

    /// Fails unless the exit code is `code`; returns the run.
    #[track_caller]
    pub fn assert_code(&self, code: i32) -> &Self {
        assert_eq!(
            self.code,
            Some(code),
            "stdout:\n{}\nstderr:\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    /// Fails unless it exited with 0 and wrote nothing to standard error; returns the run.
    #[track_caller]
    pub fn assert_clean(&self) -> &Self {
        self.assert_code(0);
        assert_eq!(self.stderr, "");
        self
    }
}

fn read_all(from: &mut impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).unwrap();
    bytes
}
