//! How the binary is linked.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |key: &str| var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    let is_dynamic = !target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if target("OS") == "linux" && target("ENV") == "gnu" && is_dynamic {
        println!("cargo::rustc-link-arg-bin=sexton=-no-pie");
    }
}
