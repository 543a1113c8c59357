//! Whether there is room to write.

use std::path::Path;

use sexton_sys::available_bytes;

use crate::doctor::Finding;
use crate::doctor::machine::Machine;
use crate::render::path::safe;
use crate::render::size;

const CHECK: &str = "space";

/// Below this a transcript of an ordinary day no longer fits.
const LITTLE: u64 = 256 << 20;

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    let places = &machine.context.places;
    let directories = machine.periods.iter().map(|(directory, _)| directory.as_path());
    let ours = [places.register.as_path(), places.data.as_path(), places.cache.as_path()];
    let mut findings: Vec<Finding> = Vec::new();
    let mut seen = Vec::new();
    for directory in ours.into_iter().chain(directories) {
        let Some((existing, bytes)) = nearest(directory) else {
            continue;
        };
        let device = sexton_sys::FileIdentity::at(existing)
            .ok()
            .map(|identity| identity.device);
        if bytes < LITTLE && !seen.contains(&device) {
            seen.push(device);
            let what = format!("only {} are free where {} lies", size(bytes), safe(directory));
            let reason = "events, copies and transcripts are cut short when the disk is full";
            findings.push(Finding::attention(CHECK, what, reason).mended_by("sexton trash empty"));
        }
    }
    findings
}

/// The nearest directory that exists, and the room on its file system.
fn nearest(directory: &Path) -> Option<(&Path, u64)> {
    directory
        .ancestors()
        .find_map(|existing| Some((existing, available_bytes(existing).ok()?)))
}
