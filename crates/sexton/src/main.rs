//! The `sexton` program.

fn main() {}
