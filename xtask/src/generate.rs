//! What is checked in and made from the code: completions, manual pages, output in the documentation, schemas.
//!
//! Tests compare all of it; told to bless, they write it. So there is one way to make it, and nothing to keep in step.

use std::process::Command;

use crate::Result;
use crate::binary::root;

/// Writes all of it anew.
pub(crate) fn run() -> Result<()> {
    bless(&["--package", "sexton", "--test", "home", "--", "generated", "docs"])?;
    bless(&["--package", "sexton", "--package", "sexton-register", "schema"])
}

/// Runs tests that write what they would compare.
fn bless(arguments: &[&str]) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["test", "--quiet"])
        .args(arguments)
        .current_dir(root())
        .env("SEXTON_BLESS", "1")
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err("a test failed although it was told to write what it compares".into())
    }
}
