//! Whether what was archived is listed.

use sexton_yard::archive::blank_manifests;

use crate::doctor::Finding;
use crate::doctor::finding::some_of;
use crate::doctor::machine::Machine;
use crate::render::counted;
use crate::render::path::safe;

const CHECK: &str = "archive";

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    // An archive that can't be listed is told by whatever needs it.
    let blank = machine
        .archives()
        .into_iter()
        .flat_map(|archive| blank_manifests(&archive).unwrap_or_default());
    let shown: Vec<String> = blank.map(|path| safe(&path)).collect();
    if shown.is_empty() {
        return Vec::new();
    }
    let what = format!(
        "{} in an archive {} empty, as a power cut leaves them: {}",
        counted(shown.len(), "manifest"),
        if shown.len() == 1 { "is" } else { "are" },
        some_of(&shown)
    );
    let reason = "nothing else is lost: `restore` goes by the names of the archived files, and the next `archive` of the session writes the list anew";
    vec![Finding::note(CHECK, what, reason)]
}
