//! The stand-in for a client: a process that waits and does nothing.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// The hidden argument of `sexton demo` that makes it a client.
pub(super) const CLIENT_ARGUMENT: &str = "--client";

/// A running client; it ends when this value is dropped, or when this process dies.
#[derive(Debug)]
pub(super) struct Client {
    child: Child,
    release: Option<ChildStdin>,
}

impl Client {
    /// Starts `program` as a client.
    pub(super) fn start(program: &Path) -> io::Result<Self> {
        let mut command = Command::new(program);
        command
            .args(["demo", CLIENT_ARGUMENT])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn()?;
        let release = child.stdin.take();
        Ok(Self { child, release })
    }

    /// The process id.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends the client without giving it a chance to tidy up, as `kill -9` does.
    pub(super) fn crash(mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.release.take();
        // A client that is gone already has nothing to be waited for.
        let _ = self.child.wait();
    }
}

/// What a client does: waits until its stdin closes.
pub fn idle_until_released() {
    let mut piece = [0; 64];
    while io::stdin().read(&mut piece).is_ok_and(|length| length > 0) {}
}
