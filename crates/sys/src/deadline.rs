//! Reading from someone who may never finish.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// A reader that gives up: what has not come by its deadline is [`io::ErrorKind::TimedOut`].
///
/// Works on pipes, terminals, sockets and files alike, and leaves the descriptor's own flags as they are.
#[derive(Debug)]
pub struct DeadlineReader<F> {
    descriptor: F,
    deadline: Instant,
}

impl<F: AsFd> DeadlineReader<F> {
    /// Reads from `descriptor` for at most `patience` from now, all reads together.
    pub fn new(descriptor: F, patience: Duration) -> Self {
        Self {
            descriptor,
            deadline: Instant::now() + patience,
        }
    }
}

impl<F: AsFd> Read for DeadlineReader<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
            let mut watched = [PollFd::new(&self.descriptor, PollFlags::IN)];
            match poll(&mut watched, Some(&timeout)) {
                Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(errno) => return Err(errno.into()),
            }
            match rustix::io::read(&self.descriptor, &mut *buffer) {
                // Someone else took the bytes that poll saw.
                Err(Errno::INTR | Errno::AGAIN) => {}
                other => return other.map_err(io::Error::from),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_is_there_is_read_and_then_patience_ends() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"half").unwrap();
        let mut reader = DeadlineReader::new(reader, Duration::from_millis(1));
        let mut buffer = [0; 16];
        assert_eq!(reader.read(&mut buffer).unwrap(), 4);
        // The writer stays open and says nothing more.
        assert_eq!(reader.read(&mut buffer).unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(writer);
        assert_eq!(reader.read(&mut buffer).unwrap(), 0);
    }
}
