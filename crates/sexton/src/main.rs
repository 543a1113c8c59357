//! The `sexton` program: hooks first, then everything else.

#![cfg_attr(all(target_os = "linux", target_env = "gnu"), no_main)]

sexton_sys::main!(program);

fn program() -> u8 {
    let mut arguments = std::env::args_os().skip(1);
    // Before the argument parser: Claude Code waits for its hooks, and an argument error must not end in 2, which would block it.
    let exit = if arguments.next().is_some_and(|first| first == "hook") {
        sexton::hook::main(&arguments.collect::<Vec<_>>())
    } else {
        sexton::program::main()
    };
    exit.into()
}
