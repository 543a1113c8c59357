//! The beginning of a process.
//!
//! Before `main`, the standard library looks for the bounds of the main thread's stack, in order to tell an overflow from another bad
//! address when it ends the process. With glibc this means reading `/proc/self/maps`, and with what else it sets up it is a tenth of a
//! millisecond: a third of what `/bin/true` takes in all, for each hook that a client waits for. So a program of ours begins where C's do,
//! by [`main!`](crate::main), and does here what it needs of that: the three standard streams are open, a closed pipe is an error and no
//! signal, a panic ends with 101. What it goes without is the message of a stack overflow, which ends the process just the same.

use std::io::{self, Write};
use std::os::fd::IntoRawFd;
use std::panic::{UnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::stdio::{stderr, stdin, stdout};
use signal_hook::consts::SIGPIPE;

/// What the standard library exits with after a panic.
const PANICKED: u8 = 101;

/// Defines the program's `main`: it runs `$run`, a `fn() -> u8`, and exits with what that returns.
///
/// The file that uses it needs `#![cfg_attr(all(target_os = "linux", target_env = "gnu"), no_main)]`; elsewhere this is a `main` as usual,
/// since the arguments reach a program that begins as C's do by glibc's means only.
#[macro_export]
macro_rules! main {
    ($run:path) => {
        // SAFETY: the name is the one that the C library calls, with the C convention, and nothing else has it: Rust's own `main` is turned
        // off by `no_main`. That the arguments are not taken is allowed by the convention.
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        #[unsafe(no_mangle)]
        extern "C" fn main() -> ::std::ffi::c_int {
            ::std::ffi::c_int::from($crate::entry::run($run))
        }

        #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
        fn main() -> ::std::process::ExitCode {
            $run().into()
        }
    };
}

/// Runs the program in a process that nothing has prepared yet, and returns its exit status.
pub fn run(program: impl FnOnce() -> u8 + UnwindSafe) -> u8 {
    open_standard_streams();
    // A handler, not `SIG_IGN`: programs that are started by this one begin with the default again. Without it a closed pipe ends the
    // process, which is no harm to anything on disk.
    let _ = signal_hook::flag::register(SIGPIPE, Arc::new(AtomicBool::new(false)));
    let status = catch_unwind(program).unwrap_or(PANICKED);
    // What was printed without a newline at its end. Who wanted to know whether it arrived has flushed already.
    let _ = io::stdout().flush();
    status
}

/// Opens `/dev/null` in place of each standard stream that is closed: otherwise the next file that is opened takes its number, and what is
/// meant for a terminal lands in somebody's only copy.
fn open_standard_streams() {
    let streams = [stdin(), stdout(), stderr()];
    let mut polled = [0, 1, 2].map(|index| PollFd::from_borrowed_fd(streams[index], PollFlags::empty()));
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    if poll(&mut polled, Some(&at_once)).is_err() {
        return;
    }
    let closed = polled
        .iter()
        .filter(|stream| stream.revents().contains(PollFlags::NVAL));
    for _ in closed {
        // The lowest free number is taken, so that each gets its own; and none is given back while the process lives.
        if let Ok(null) = open("/dev/null", OFlags::RDWR, Mode::empty()) {
            let _ = null.into_raw_fd();
        }
    }
}
