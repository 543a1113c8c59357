//! Whether the register can be read, line by line.

use std::path::Path;

use sexton_register::LifecycleError;

use crate::doctor::Finding;
use crate::doctor::finding::word;
use crate::doctor::machine::Machine;
use crate::render::counted;
use crate::render::path::safe;
use crate::render::visible;

const CHECK: &str = "register";

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    let sources = match &machine.sources {
        Ok(sources) => sources,
        Err(error) => {
            return vec![Finding::attention(
                CHECK,
                visible(error),
                "no command can tell what runs without it",
            )];
        }
    };
    let mut findings: Vec<Finding> = damaged(&sources.register.problems);
    for file in machine.recorded.iter().filter(|file| file.foreign > 0) {
        let what = format!(
            "{} in {} under another session's id",
            counted(file.foreign, "line").replacen("line", "line stands", usize::from(file.foreign == 1)),
            safe(&file.path)
        );
        findings.push(Finding::attention(
            CHECK,
            what,
            "they count for the session that the file is named after; a copy of a file was probably renamed",
        ));
    }
    findings
}

/// One finding a file, however many of its lines are damaged.
fn damaged(problems: &[LifecycleError]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut last: Option<(&Path, usize)> = None;
    for problem in problems {
        match problem {
            LifecycleError::Line { path, .. } if last.is_some_and(|(file, _)| file == path) => {
                last = last.map(|(file, count)| (file, count + 1));
                if let (Some(finding), Some((_, count))) = (findings.last_mut(), last) {
                    let first = finding.what.split(" (and ").next().unwrap_or_default().to_owned();
                    finding.what = format!("{first} (and {} more)", counted(count - 1, "line"));
                }
            }
            LifecycleError::Line { path, .. } => {
                last = Some((path, 1));
                let reason = "the good lines still count, but whether the session ended may stand in the bad one; other programs refuse the file";
                let command = format!("sexton register repair {}", word(path));
                findings.push(Finding::attention(CHECK, visible(&problem.to_string()), reason).mended_by(command));
            }
            LifecycleError::ForeignFile { .. } => {
                let reason = "it is passed over here; programs that read the register strictly refuse all of it";
                findings.push(Finding::attention(CHECK, visible(&problem.to_string()), reason));
            }
            other => findings.push(Finding::attention(
                CHECK,
                visible(&other.to_string()),
                "what it says is not known",
            )),
        }
    }
    findings
}
