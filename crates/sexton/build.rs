//! How the binary is linked: at a fixed address, where the C library is linked dynamically.
//!
//! A client waits for its hooks, and what a hook takes is mostly the time to begin: a program that may lie anywhere has sixty pages of
//! pointers to set right first, which is a third of a hook. The C library, stack and heap still lie at random places. Who asks rustc for a
//! `relocation-model`, or links statically, is left alone.
//!
//! And the compiler's own library, of which only the unwinding after a panic is used, is linked in where the C compiler has it in that form:
//! one shared library less to be found, mapped and bound at each start.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo speaks to build scripts through the environment"
)]

use std::env::var;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |key: &str| var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    let is_asked = var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("relocation-model"));
    if target("OS") == "linux" && target("ENV") == "gnu" && !is_static && !is_asked {
        println!("cargo::rustc-link-arg-bin=sexton=-no-pie");
        if let Some(directory) = unwinder() {
            println!("cargo::rustc-link-search=native={}", directory.display());
            println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
        }
    }
}

/// Where `libgcc_eh.a` lies, if this is a build for this very machine and its C compiler has one.
fn unwinder() -> Option<PathBuf> {
    if var("HOST") != var("TARGET") {
        return None;
    }
    let output = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_absolute().then(|| path.parent().map(PathBuf::from))?
}
