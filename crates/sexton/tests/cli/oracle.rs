//! The reference implementation and this one, on the same random stores.

use std::process::Command;

use crate::support::{SEXTON, harness, shared};

/// `SEXTON_ORACLE_PYTHON` names a Python that has the reference implementation's package.
#[test]
fn both_programs_say_the_same() {
    let Some(script) = shared("oracle/compare_register.py") else {
        return;
    };
    let Some(python) = std::env::var_os("SEXTON_ORACLE_PYTHON") else {
        eprintln!("skipped: SEXTON_ORACLE_PYTHON names no Python with the reference implementation");
        return;
    };
    let mut command = Command::new(python);
    command
        .arg(script)
        .args(["--sexton", SEXTON, "--cases", "50", "--seed", "7"]);
    harness(&mut command);
}
