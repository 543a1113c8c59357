//! Running the program.

use std::path::Path;

use sexton_testkit::{Run, TestEnv};

/// The program under test.
pub(crate) const SEXTON: &str = env!("CARGO_BIN_EXE_sexton");

/// Runs the program.
#[track_caller]
pub(crate) fn sexton(env: &TestEnv, arguments: &[&str]) -> Run {
    env.run(SEXTON, arguments)
}

/// The JSON document on stdout.
#[track_caller]
pub(crate) fn document(run: &Run) -> serde_json::Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}:\n{}", run.stdout))
}

/// The text of a file.
#[track_caller]
pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Output with the test's own directory and program replaced, for snapshots.
pub(crate) fn stable(env: &TestEnv, text: &str) -> String {
    let text = text.replace(SEXTON, "/usr/bin/sexton");
    let text = text.replace(env.home().to_str().unwrap(), "/home/ada");
    text.replace(env.root().to_str().unwrap(), "/test")
}
