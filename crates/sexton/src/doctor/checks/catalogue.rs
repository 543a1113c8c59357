//! Whether the catalogue can be used, and what it counted.

use sexton_index::IndexError;
use sexton_index::catalogue::Soundness;

use crate::doctor::finding::word;
use crate::doctor::machine::Machine;
use crate::doctor::{Finding, Fix};
use crate::indexing::{catalogue_path, fact_store, vault};
use crate::render::counted;
use crate::render::path::safe;
use crate::render::visible;

const CHECK: &str = "catalogue";

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let path = safe(&catalogue_path(machine.context));
    match &machine.catalogue {
        None => {}
        Some(Ok(known)) => {
            if let Soundness::Damaged(what) = &known.soundness {
                findings.push(unusable(&path, what));
            }
            let damaged: Vec<u64> = known
                .sessions
                .iter()
                .map(|session| session.summary.problems)
                .filter(|count| *count > 0)
                .collect();
            if !damaged.is_empty() {
                let lines = usize::try_from(damaged.iter().sum::<u64>()).unwrap_or(usize::MAX);
                let what = format!(
                    "{} in {} can't be read and were passed over",
                    counted(lines, "line"),
                    counted(damaged.len(), "transcript")
                );
                findings.push(Finding::note(CHECK, what, "this happens when a client is killed or a disk is full; `sexton show` counts them for each session"));
            }
        }
        Some(Err(IndexError::Newer { .. })) => {
            let what = format!("{path} was written by a newer version of sexton");
            findings.push(Finding::attention(
                CHECK,
                what,
                "this version leaves it alone, and reads the transcripts for each search",
            ));
        }
        Some(Err(error)) => findings.push(unusable(&path, &error.to_string())),
    }
    // Facts and copies are not derived: these are looked at, and never set aside.
    for error in fact_store(machine.context).load_readable().1 {
        findings.push(unreadable_facts(&error));
    }
    if let Err(error) = vault(machine.context).sessions() {
        findings.push(Finding::attention(
            CHECK,
            visible(&error.to_string()),
            "which copies are kept can't be told",
        ));
    }
    findings
}

/// A file that sexton never overwrites: a person mends it, or gives up what stands in it.
fn unreadable_facts(error: &IndexError) -> Finding {
    let reason = "what you kept, what you said of sessions and what was missed stands there and nowhere else: \
                  mend it by hand, or do without it";
    let finding = Finding::attention(CHECK, visible(&error.to_string()), reason);
    match error {
        IndexError::Facts { path, .. } => {
            let mut aside = path.clone().into_os_string();
            aside.push(".damaged");
            finding.mended_by(format!("mv -n {} {}", word(path), word(aside.as_ref())))
        }
        _ => finding,
    }
}

fn unusable(path: &str, why: &str) -> Finding {
    let what = format!("{path} can't be used: {}", visible(why));
    let reason = "it is made of what lies elsewhere: set aside, it is made anew by the next search";
    Finding::attention(CHECK, what, reason).fixed_by(Fix::Catalogue, "sexton doctor --fix")
}
