//! Signals that ask a program to end, for one that has a terminal to put in order first.

use std::io;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator;

/// A request to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// `SIGHUP`: the terminal is gone.
    HangUp,
    /// `SIGINT`: somebody pressed Ctrl+C, or sent it.
    Interrupt,
    /// `SIGTERM`.
    Terminate,
}

/// The signals of this process, which no longer end it by themselves.
#[derive(Debug)]
pub struct Signals(iterator::Signals);

impl Signals {
    /// From now on the signals of [`Signal`] wait here until they are asked for.
    pub fn catch() -> io::Result<Self> {
        iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]).map(Self)
    }

    /// Waits for the next one.
    pub fn wait(&mut self) -> Option<Signal> {
        self.0.forever().find_map(Signal::numbered)
    }

    /// One that waits already, if any does.
    pub fn pending(&mut self) -> Option<Signal> {
        self.0.pending().find_map(Signal::numbered)
    }
}

impl Signal {
    fn numbered(number: i32) -> Option<Self> {
        match number {
            SIGHUP => Some(Self::HangUp),
            SIGINT => Some(Self::Interrupt),
            SIGTERM => Some(Self::Terminate),
            _ => None,
        }
    }

    /// Ends this process as the signal does where nobody catches it, so that whoever started it sees what ended it.
    pub fn end_this_process(self) -> io::Result<()> {
        signal_hook::low_level::emulate_default_handler(match self {
            Self::HangUp => SIGHUP,
            Self::Interrupt => SIGINT,
            Self::Terminate => SIGTERM,
        })
    }
}

/// Stops this process as Ctrl+Z does, and returns when it is continued.
pub fn suspend_this_process() -> io::Result<()> {
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TSTP).map_err(io::Error::from)
}
