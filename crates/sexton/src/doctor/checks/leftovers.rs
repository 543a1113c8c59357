//! Directories and files without their session.

use sexton_register::SessionId;

use crate::doctor::Finding;
use crate::doctor::finding::{counted, some_of};
use crate::doctor::machine::Machine;
use crate::render::path::safe;

const CHECK: &str = "leftovers";

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
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
            counted(orphaned.len(), "session directory").replace("directorys", "directories"),
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
