//! The `sexton` program: hooks first, then everything else.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    // Before the argument parser: Claude Code waits for its hooks, and an argument error must not end in 2, which would block it.
    if arguments.next().is_some_and(|first| first == "hook") {
        return sexton::hook::main(&arguments.collect::<Vec<_>>());
    }
    sexton::program::main().into()
}
