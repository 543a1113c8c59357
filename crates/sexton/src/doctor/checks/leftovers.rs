//! Directories and files without their session, and files without their writer.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sexton_register::SessionId;
use sexton_sys::abandoned_files;
use sexton_sys::listing::{EntryKind, list_if_present};
use sexton_yard::restore::{abandoned, extracted_in};

use crate::doctor::finding::some_of;
use crate::doctor::machine::{Machine, abandoned_before};
use crate::doctor::{Finding, Fix};
use crate::indexing::vault;
use crate::places::Places;
use crate::render::counted;
use crate::render::path::safe;

const CHECK: &str = "leftovers";

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    let mut findings = without_session(machine);
    findings.extend(without_writer(machine));
    findings.extend(extracted(machine));
    findings
}

/// Copies that a killed restore had extracted.
fn extracted(machine: &Machine<'_>) -> Vec<Finding> {
    let (data, before) = (&machine.context.places.data, abandoned_before(machine.now_ms()));
    let vault = vault(machine.context);
    // What can't be compared is not known to be held.
    let is_held = |top: &PathBuf| vault.holds_all(&extracted_in(top)).unwrap_or(false);
    let (held, other): (Vec<PathBuf>, Vec<PathBuf>) = abandoned(data, before).into_iter().partition(is_held);
    let [held, other] = [held, other].map(|tops| tops.iter().map(|path| safe(path)).collect::<Vec<_>>());
    let what = |shown: &[String]| {
        let copies = counted(shown.len(), "extracted copy");
        format!("{copies} that a killed restore has left: {}", some_of(shown))
    };
    let mut findings = Vec::new();
    if !held.is_empty() {
        let reason = "the copies themselves are in the vault as before, and the next `restore` removes these";
        findings.push(Finding::note(CHECK, what(&held), reason).fixed_by(Fix::Extracted, "sexton doctor --fix"));
    }
    if !other.is_empty() {
        let reason = "something in them is not in the vault, and may be nowhere else: look what it is, keep what you want and remove the rest by hand";
        findings.push(Finding::attention(CHECK, what(&other), reason));
    }
    findings
}

/// What a killed process of ours was writing.
fn without_writer(machine: &Machine<'_>) -> Option<Finding> {
    let before = abandoned_before(machine.now_ms());
    // A directory that can't be listed is some other check's finding.
    let within = |directory: PathBuf| abandoned_files(&directory, before).unwrap_or_default();
    let paths: Vec<PathBuf> = written_in(machine).into_iter().flat_map(within).collect();
    let shown: Vec<String> = paths.iter().map(|path| safe(path)).collect();
    (!paths.is_empty()).then(|| {
        let what = format!(
            "{} that a killed sexton was writing: {}",
            counted(paths.len(), "file"),
            some_of(&shown)
        );
        let reason = "nobody reads them, and what they were to become is as it was before";
        Finding::note(CHECK, what, reason).fixed_by(Fix::Abandoned(paths), "sexton doctor --fix")
    })
}

/// Where sexton writes files.
fn written_in(machine: &Machine<'_>) -> BTreeSet<PathBuf> {
    let Places {
        register,
        tombstones,
        data,
        cache,
        configuration,
        kept_summaries: _,
        kept_names: _,
    } = &machine.context.places;
    let mut directories = BTreeSet::from([register, tombstones, data, cache].map(PathBuf::clone));
    directories.extend(configuration.parent().map(PathBuf::from));
    directories.extend(below(&data.join("vault")));
    for archive in machine.archives() {
        directories.extend(below(&archive));
        directories.insert(archive);
    }
    for (directory, _) in &machine.periods {
        directories.insert(directory.clone());
        // Settings may be a link to where they really lie; they are written there.
        let settings = directory.join("settings.json").canonicalize();
        directories.extend(settings.ok().and_then(|real| real.parent().map(PathBuf::from)));
        directories.extend(below(&directory.join("projects")));
    }
    directories
}

/// The directories in a directory.
fn below(directory: &Path) -> Vec<PathBuf> {
    let entries = list_if_present(directory).unwrap_or_default().into_iter();
    let directories = entries.filter(|entry| entry.kind == EntryKind::Directory);
    directories.map(|entry| directory.join(entry.name)).collect()
}

fn without_session(machine: &Machine<'_>) -> Vec<Finding> {
    let Ok(sources) = &machine.sources else {
        return Vec::new();
    };
    let projects = &sources.projects;
    let has_transcript = |session: &SessionId| !projects.transcripts_of(session).is_empty();
    let mut findings = Vec::new();
    let orphaned: Vec<String> = projects
        .session_directories
        .iter()
        .filter(|directory| !has_transcript(&directory.session))
        .map(|directory| safe(&directory.path))
        .collect();
    if !orphaned.is_empty() {
        let what = format!(
            "{} without a transcript: {}",
            counted(orphaned.len(), "session directory"),
            some_of(&orphaned)
        );
        findings.push(Finding::note(
            CHECK,
            what,
            "Claude Code leaves them when it deletes a transcript, or made them for a session that never got a prompt",
        ));
    }
    let foreign: Vec<String> = projects.foreign.iter().map(|file| safe(&file.path)).collect();
    if !foreign.is_empty() {
        let what = format!(
            "{} in `projects/` that {} no session's: {}",
            counted(foreign.len(), "`.jsonl` file"),
            if foreign.len() == 1 { "is" } else { "are" },
            some_of(&foreign)
        );
        findings.push(Finding::note(
            CHECK,
            what,
            "no filter ever meets them; Claude Code deletes them when they get old",
        ));
    }
    findings
}
