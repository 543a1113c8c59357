//! What `doctor --json` prints.

use schemars::JsonSchema;
use serde::Serialize;
use sexton_sys::Effect;

use super::SCHEMA_VERSION;
use crate::doctor::{Finding, Weight};

/// What `doctor --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FindingsDocument {
    /// The version of this document.
    pub schema_version: u32,
    /// How many checks were made.
    pub checks: usize,
    /// Whether nothing was mended because only the plan was asked for.
    pub dry_run: bool,
    /// What was found, what needs attention first.
    pub findings: Vec<FindingDocument>,
    /// Each change to the file system that a dry run would have made, as a sentence; empty otherwise.
    pub effects: Vec<String>,
    /// What could not be mended, each as a sentence.
    pub problems: Vec<String>,
}

/// One thing that a check found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FindingDocument {
    /// The check: `register`, `hooks` and others.
    pub check: String,
    /// How much it matters.
    pub weight: FindingWeight,
    /// What was found, as a sentence.
    pub what: String,
    /// Why that matters, as a sentence.
    pub reason: String,
    /// The command that mends it, if one does.
    pub command: Option<String>,
    /// Whether `doctor --fix` mends it.
    pub fixable: bool,
    /// Whether it was mended just now.
    pub mended: bool,
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FindingWeight {
    /// Something is wrong, or will be lost.
    Attention,
    /// Good to know; nothing has to be done.
    Note,
}

impl FindingsDocument {
    /// The document of these findings, each with whether it was mended.
    #[must_use]
    pub fn new(dry_run: bool, findings: &[(Finding, bool)], recorded: &[Effect], problems: &[String]) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            checks: crate::doctor::count(),
            dry_run,
            findings: findings
                .iter()
                .map(|(finding, mended)| FindingDocument::new(finding, *mended))
                .collect(),
            effects: recorded.iter().map(ToString::to_string).collect(),
            problems: problems.to_vec(),
        }
    }
}

impl FindingDocument {
    fn new(finding: &Finding, mended: bool) -> Self {
        Self {
            check: finding.check.to_owned(),
            weight: match finding.weight {
                Weight::Attention => FindingWeight::Attention,
                Weight::Note => FindingWeight::Note,
            },
            what: finding.what.clone(),
            reason: finding.reason.clone(),
            command: finding.command().map(str::to_owned),
            fixable: finding.fix().is_some(),
            mended,
        }
    }
}
