//! `sexton doctor`

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::arguments::DryRun;
use crate::context::Context;
use crate::doctor::{Finding, Fix, Weight, count, examine};
use crate::documents::FindingsDocument;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::render::text::block;
use crate::render::{Cell, counted, lines, wrapped};
use crate::report::Report;

const EXAMPLES: &str = "\
Examples:
  sexton doctor
  sexton doctor --fix --dry-run           what would be mended, and how
  sexton doctor --fix
  sexton doctor --json | jq -r '.findings[] | select(.weight == \"attention\") | .command'

Exit status: 0 nothing needs attention, 3 something does.";

/// Look for what is wrong, say why it matters and what mends it.
///
/// Looks at register, journal, tombstones, hooks, registries, transcripts, catalogue, copies, clock, modes and free space, and at what Claude
/// Code is about to delete. Without `--fix` nothing is changed. With it that is mended which takes nothing from anyone; the rest is yours to
/// decide, with the command that does it.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Mend what can be mended without losing anything
    #[arg(long)]
    fix: bool,

    #[command(flatten)]
    dry_run: DryRun,
}

/// Runs the command.
pub fn run(arguments: Arguments, context: &Context) -> Result<Report, CommandError> {
    let found = examine(context);
    let dry_run = arguments.dry_run.dry_run;
    let (mut recorded, mut problems) = (Vec::new(), Vec::new());
    if arguments.fix {
        let mut fixes: Vec<&Fix> = Vec::new();
        for fix in found.iter().filter_map(Finding::fix) {
            if !fixes.contains(&fix) {
                fixes.push(fix);
            }
        }
        for fix in fixes {
            match fix.apply(context, arguments.dry_run.effects()) {
                Ok(done) => {
                    problems.extend(done.failed);
                    recorded.extend(done.recorded);
                }
                Err(error) => problems.push(error.to_string()),
            }
        }
    }
    let is_mending = arguments.fix && !dry_run;
    let left = if is_mending { examine(context) } else { found.clone() };
    let mut findings: Vec<(Finding, bool)> = found
        .into_iter()
        .map(|finding| (finding.clone(), !left.contains(&finding)))
        .collect();
    // Mending can bring to light what was hidden.
    let new: Vec<Finding> = left
        .into_iter()
        .filter(|left| findings.iter().all(|(finding, _)| finding != left))
        .collect();
    findings.extend(new.into_iter().map(|finding| (finding, false)));

    let needs_attention = findings
        .iter()
        .any(|(finding, mended)| !mended && finding.weight == Weight::Attention);
    let exit = if needs_attention { Exit::Partial } else { Exit::Done };
    // What a fix could not mend because of a finding is told by that finding.
    problems.retain(|problem| findings.iter().all(|(finding, _)| finding.what != *problem));
    let report = if context.json {
        Report::json(&FindingsDocument::new(dry_run, &findings, &recorded, &problems))?
    } else {
        let mut text = paragraphs(&findings, context);
        text.push_str(&lines(
            recorded
                .iter()
                .map(|effect| format!("would {}", block(&effect.to_string()))),
        ));
        Report::text(text).with_notes([summary(&findings, arguments.fix)])
    };
    Ok(report.with_problems(problems).with_exit(exit))
}

/// So many findings of a kind are shown: a machine on which one thing went wrong a thousand times has one trouble.
const SHOWN: usize = 5;

/// The findings as a person reads them, of each kind the first few.
fn paragraphs(findings: &[(Finding, bool)], context: &Context) -> String {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for (finding, mended) in findings {
        *counts.entry(kind(finding, *mended)).or_default() += 1;
    }
    let mut told: BTreeMap<_, usize> = BTreeMap::new();
    let mut text = String::new();
    for (finding, mended) in findings {
        let kind = kind(finding, *mended);
        let told = told.entry(kind).or_default();
        *told += 1;
        if *told <= SHOWN {
            text += &paragraph(finding, *mended, context);
        }
        let more = counts[&kind].saturating_sub(SHOWN);
        if *told == SHOWN && more > 0 {
            let more = format!("  and {more} more of this kind; `sexton doctor --json` has all");
            text += &wrapped(&[Cell::from(more)], context.screen.columns, 2);
        }
    }
    text
}

/// What findings of one kind have in common: all but what they were found in.
fn kind(finding: &Finding, mended: bool) -> (&str, Weight, &str, bool) {
    (finding.check, finding.weight, &finding.reason, mended)
}

/// A finding as a person reads it.
fn paragraph(finding: &Finding, mended: bool, context: &Context) -> String {
    let styles = context.screen.out;
    let (label, style) = match (mended, finding.weight) {
        (true, _) => ("mended", styles.dim()),
        (false, Weight::Attention) => ("attention", styles.warning()),
        (false, Weight::Note) => ("note", styles.header()),
    };
    let columns = context.screen.columns;
    let what = [
        Cell::styled(format!("{label}:"), style),
        Cell::from(format!(" {}", finding.what)),
    ];
    let reason = [Cell::from("  "), Cell::styled(&finding.reason, styles.dim())];
    let mut text = wrapped(&what, columns, 2) + &wrapped(&reason, columns, 2);
    // A command stays in one line, so that it can be copied.
    if let Some(command) = finding.command().filter(|_| !mended) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "  mend: {command}");
    }
    text
}

fn summary(findings: &[(Finding, bool)], fix: bool) -> String {
    let left = || {
        findings
            .iter()
            .filter(|(_, mended)| !mended)
            .map(|(finding, _)| finding)
    };
    let attention = left().filter(|finding| finding.weight == Weight::Attention).count();
    let fixable = |weight| {
        let of_weight = left().filter(|finding| finding.weight == weight && finding.fix().is_some());
        of_weight.count()
    };
    let mended = findings.len() - left().count();
    let needs = match attention {
        0 => format!("{} checks, nothing needs attention", count()),
        1 => "1 thing needs attention".to_owned(),
        several => format!("{} need attention", counted(several, "thing")),
    };
    let mended = if mended > 0 {
        format!(", {mended} mended")
    } else {
        String::new()
    };
    // Notes are no things that need attention, and are counted for themselves.
    let hint = match (fixable(Weight::Attention), fixable(Weight::Note)) {
        _ if fix => String::new(),
        (0, 0) => String::new(),
        (things, 0) => format!("; `sexton doctor --fix` mends {things}"),
        (0, notes) => format!("; `sexton doctor --fix` mends {}", counted(notes, "note")),
        (things, notes) => format!("; `sexton doctor --fix` mends {things} and {}", counted(notes, "note")),
    };
    format!("{needs}{mended}{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Remedy;

    #[test]
    fn what_is_mended_is_counted_with_its_like() {
        let finding = |weight, is_fixable| {
            let remedy = if is_fixable {
                Remedy::Fix(Fix::Tidy, String::new())
            } else {
                Remedy::None
            };
            let finding = Finding {
                check: "tombstones",
                weight,
                what: String::new(),
                reason: String::new(),
                remedy,
            };
            (finding, false)
        };
        let (thing, note) = (Weight::Attention, Weight::Note);
        for (found, said) in [
            (vec![(thing, false), (thing, false)], "2 things need attention"),
            (
                vec![(thing, false), (note, true), (note, true)],
                "1 thing needs attention; `sexton doctor --fix` mends 2 notes",
            ),
            (
                vec![(thing, true), (thing, false), (note, true)],
                "2 things need attention; `sexton doctor --fix` mends 1 and 1 note",
            ),
        ] {
            let findings: Vec<_> = found.into_iter().map(|(weight, is)| finding(weight, is)).collect();
            assert_eq!(summary(&findings, false), said);
            assert!(!summary(&findings, true).contains("--fix"));
        }
    }
}
