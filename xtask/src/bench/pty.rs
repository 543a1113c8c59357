//! A program on a terminal of its own, whose keys and screen are ours.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use wait4::Wait4 as _;

use super::sample::{Program, Sample};
use crate::Result;

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_mins(1);

/// The program and its terminal.
#[derive(Debug)]
pub(super) struct Pty {
    master: File,
    child: Child,
    started: Instant,
    /// What was drawn while something was waited for: what is waited for next may stand above it.
    drawn: Vec<u8>,
}

impl Pty {
    /// Starts `program` on a terminal of this size.
    pub(super) fn open(program: &Program, columns: u16, rows: u16) -> Result<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&master, size)?;
        let name = ptsname(&master, Vec::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = File::from(rustix::fs::open(name.as_c_str(), flags, Mode::empty())?);
        let mut command = program.command();
        command
            .env("TERM", "xterm-256color")
            .stdin(slave.try_clone()?)
            .stdout(slave.try_clone()?)
            .stderr(slave);
        let started = Instant::now();
        Ok(Self {
            child: command.spawn()?,
            master: File::from(master),
            started,
            drawn: Vec::new(),
        })
    }

    /// Reads what is drawn until it has `text`; how long that took since the start.
    pub(super) fn wait_for(&mut self, text: &str) -> Result<Duration> {
        let mut drawn = std::mem::take(&mut self.drawn);
        while !drawn.windows(text.len()).any(|part| part == text.as_bytes()) {
            if self.started.elapsed() > PATIENCE || !self.read(PATIENCE, &mut drawn)? {
                return Err(format!("no `{text}` on the screen: {}", String::from_utf8_lossy(&drawn)).into());
            }
        }
        self.drawn = drawn;
        Ok(self.started.elapsed())
    }

    /// Reads until nothing has been drawn for `quiet`.
    pub(super) fn settle(&mut self, quiet: Duration) -> Result<()> {
        while self.read(quiet, &mut Vec::new())? {}
        Ok(())
    }

    /// Lets time pass; what is drawn is read, so that nobody waits for it to be.
    pub(super) fn pass(&mut self, time: Duration) -> Result<()> {
        let until = Instant::now() + time;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            self.read(left, &mut Vec::new())?;
        }
    }

    /// Presses a key; how long it took until something was drawn.
    pub(super) fn press(&mut self, key: &str) -> Result<Duration> {
        let pressed = Instant::now();
        self.master.write_all(key.as_bytes())?;
        if self.read(PATIENCE, &mut Vec::new())? {
            Ok(pressed.elapsed())
        } else {
            Err(format!("nothing was drawn for `{key}`").into())
        }
    }

    /// How much processor time the program has used, all its threads together.
    pub(super) fn processor_time(&self) -> Result<Duration> {
        let mut nanoseconds: u64 = 0;
        for task in std::fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let text = std::fs::read_to_string(task?.path().join("schedstat"))?;
            let used: u64 = text.split(' ').next().unwrap_or_default().parse()?;
            nanoseconds += used;
        }
        Ok(Duration::from_nanos(nanoseconds))
    }

    /// Presses the key that ends it, and waits; its time is that of its whole life.
    pub(super) fn end(mut self, key: &str) -> Result<Sample> {
        self.master.write_all(key.as_bytes())?;
        // It may wait for its last words to be read.
        while self.read(PATIENCE, &mut Vec::new())? {}
        let ended = self.child.wait4()?;
        Ok(Sample {
            wall: self.started.elapsed(),
            peak_bytes: ended.rusage.maxrss,
            code: ended.status.code(),
        })
    }

    /// Takes what is drawn within `patience`; whether anything was.
    fn read(&mut self, patience: Duration, drawn: &mut Vec<u8>) -> Result<bool> {
        let timeout = Timespec::try_from(patience)?;
        let mut wanted = [PollFd::from_borrowed_fd(self.master.as_fd(), PollFlags::IN)];
        if poll(&mut wanted, Some(&timeout))? == 0 {
            return Ok(false);
        }
        let mut buffer = [0; 16 * 1024];
        match self.master.read(&mut buffer) {
            Ok(length) => {
                drawn.extend_from_slice(&buffer[..length]);
                Ok(length > 0)
            }
            // The other end is closed.
            Err(_) => Ok(false),
        }
    }
}
