//! Whether others can read what is private.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sexton_sys::listing;

use crate::doctor::finding::word;
use crate::doctor::machine::Machine;
use crate::doctor::{Finding, Fix};
use crate::render::path::safe;

const CHECK: &str = "modes";

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    let places = &machine.context.places;
    let mut findings = Vec::new();
    // A directory that is closed protects all that is in it.
    for directory in [&places.register, &places.data, &places.cache] {
        let Some(mode) = mode(directory) else { continue };
        let for_others = mode & 0o077;
        if for_others == 0 {
            continue;
        }
        let closed = mode & 0o700;
        let can_write = mode & 0o022 != 0;
        if can_write {
            let what = format!("others can write in {} ({mode:04o})", safe(directory));
            findings.push(fixable(
                Finding::attention(CHECK, what, "they could change what you see, or take it away"),
                directory,
                closed,
            ));
        } else if let Some(open) = readable_within(directory) {
            let what = format!("others can read {} ({mode:04o} on the directory)", safe(&open));
            let reason = "it tells what you worked on, and copies of transcripts hold all that was said";
            findings.push(fixable(Finding::attention(CHECK, what, reason), directory, closed));
        }
    }
    for (directory, _) in &machine.periods {
        if let Some(mode) = mode(directory).filter(|mode| mode & 0o022 != 0) {
            let what = format!("others can write in {} ({mode:04o})", safe(directory));
            let reason = "its settings name programs that Claude Code runs as you";
            findings.push(Finding::attention(CHECK, what, reason).mended_by(format!("chmod go-w {}", word(directory))));
        }
    }
    findings
}

fn fixable(finding: Finding, directory: &Path, mode: u32) -> Finding {
    finding.fixed_by(
        Fix::Mode(directory.to_path_buf(), mode),
        format!("chmod {mode:o} {}", word(directory)),
    )
}

/// The permission bits; the sticky bit makes a directory that all may write into no danger, as `/tmp` shows.
fn mode(path: &Path) -> Option<u32> {
    let mode = path.metadata().ok()?.permissions().mode() & 0o7777;
    Some(if mode & 0o1000 == 0 { mode } else { mode & !0o022 })
}

/// A file right in the directory that others can read.
fn readable_within(directory: &Path) -> Option<std::path::PathBuf> {
    let entries = listing::list_if_present(directory).ok()?;
    let mut files = entries.into_iter().map(|entry| directory.join(entry.name));
    files.find(|path| {
        path.symlink_metadata()
            .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o044 != 0)
    })
}
