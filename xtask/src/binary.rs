//! Builds of the binary.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;

/// The workspace's root.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/"))
}

/// Builds the binary as it is released and returns its path.
pub(crate) fn release() -> Result<PathBuf> {
    build(&["--release"], None)?;
    Ok(target().join("release/sexton"))
}

/// Builds the binary as it is released, linked statically against glibc and at a fixed address, and returns its path.
pub(crate) fn static_release() -> Result<PathBuf> {
    // With the target named, flags don't reach build scripts and procedural macros, which can't be static.
    build(
        &["--release", "--target", TARGET],
        // A static program that may lie anywhere sets its own pointers right at each start, sixty pages of them; see `crates/sexton/build.rs`.
        Some("-C target-feature=+crt-static -C relocation-model=static"),
    )?;
    Ok(target().join(TARGET).join("release/sexton"))
}

const TARGET: &str = concat_target();

const fn concat_target() -> &'static str {
    if cfg!(target_arch = "aarch64") {
        "aarch64-unknown-linux-gnu"
    } else {
        "x86_64-unknown-linux-gnu"
    }
}

/// The directory that cargo builds in.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The revision that is checked out, `+` behind it when files differ from it.
pub(crate) fn revision() -> String {
    let git = |arguments: &[&str]| -> Option<String> {
        let output = Command::new("git").args(arguments).current_dir(root()).output().ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let revision = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|text| !text.is_empty());
    if changed { revision + "+" } else { revision }
}

fn build(arguments: &[&str], flags: Option<&str>) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["build", "--quiet", "--package", "sexton", "--bin", "sexton"])
        .args(arguments)
        .current_dir(root());
    if let Some(flags) = flags {
        command.env("RUSTFLAGS", flags);
    }
    let status = command.status()?;
    if status.success() {
        Ok(())
    } else {
        Err("the binary does not build".into())
    }
}
