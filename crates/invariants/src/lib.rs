//! What must hold for any bytes from outside, one function a parser.
//!
//! A fuzz target calls one of them with what the fuzzer makes up; `cargo test` calls all of them with the seeds, with every input that
//! once failed, and with mutations of both, so that no special compiler is needed to run them. They fail by panicking.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a check arranges files directly and fails by panicking"
)]

mod client;
mod configuration;
mod index;
mod mutation;
mod register;
mod scratch;
mod transcript;
mod yard;

pub use client::{hook_payload, registry_file, settings_edit};
pub use configuration::configuration;
pub use index::{query, vault_manifest};
pub use mutation::Mutator;
pub use register::{event_line, register_file};
pub use transcript::{transcript_file, transcript_record};
pub use yard::{journal, manifest, tombstone_file};

/// A parser of outside bytes and what must hold for it.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name of the fuzz target and of its directory of seeds.
    pub name: &'static str,
    /// Panics if something doesn't hold for these bytes.
    pub check: fn(&[u8]),
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target::new("event_line", event_line),
    Target::new("register_file", register_file),
    Target::new("transcript_record", transcript_record),
    Target::new("transcript_file", transcript_file),
    Target::new("registry_file", registry_file),
    Target::new("hook_payload", hook_payload),
    Target::new("settings_edit", settings_edit),
    Target::new("tombstone_file", tombstone_file),
    Target::new("query", query),
    Target::new("journal", journal),
    Target::new("manifest", manifest),
    Target::new("vault_manifest", vault_manifest),
    Target::new("configuration", configuration),
];

impl Target {
    const fn new(name: &'static str, check: fn(&[u8])) -> Self {
        Self { name, check }
    }
}
