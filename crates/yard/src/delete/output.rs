//! The plan as a published JSON value.

use schemars::JsonSchema;
use serde::Serialize;

use super::{DeletePlan, Place};
use crate::stored_path::StoredPath;

/// A delete plan as JSON shows it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanOutput {
    /// Always 1.
    pub schema_version: u32,
    /// The sessions that are taken.
    pub items: Vec<PlanItemOutput>,
    /// The sessions that were met and stay.
    pub refused: Vec<RefusedOutput>,
    /// Bytes of all footprints.
    pub total_bytes: u64,
    /// How many sessions there are in all.
    pub sessions: usize,
    /// Whether the plan was carried out.
    pub deleted: bool,
    /// Where the ids are appended.
    pub tombstone_path: String,
}

/// One session of a plan.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanItemOutput {
    /// Its id.
    pub session_id: String,
    /// Its transcripts.
    pub paths: Vec<String>,
    /// The project's label.
    pub project: String,
    /// Bytes of its transcripts.
    pub bytes: u64,
    /// Messages, where they are known.
    pub messages: Option<u64>,
    /// Files of its footprint.
    pub footprint_files: u64,
    /// Bytes of its footprint.
    pub footprint_bytes: u64,
    /// Everything that moves.
    pub footprint: Vec<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its real directory.
    pub directory: Option<String>,
    /// Its last message, in milliseconds since the Unix epoch.
    pub last_activity_ms: Option<i64>,
    /// Whether it is routine, where that was asked.
    pub routine: Option<bool>,
    /// `projects`, `archive`, `retained` or `stub`.
    pub place: &'static str,
}

/// One session that stays.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RefusedOutput {
    /// Its id.
    pub session_id: String,
    /// Why it stays.
    pub reason: String,
    /// Whether it was named.
    pub named: bool,
}

impl Place {
    /// The word for it in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Projects => "projects",
            Self::Archive => "archive",
            Self::Retained => "retained",
            Self::Stub => "stub",
        }
    }
}

impl DeletePlan {
    /// The plan as JSON shows it; `deleted` says whether it was carried out.
    #[must_use]
    pub fn output(&self, deleted: bool) -> PlanOutput {
        let text = |path: &std::path::PathBuf| StoredPath::encode(path);
        let items = self.matched.iter().map(|item| PlanItemOutput {
            session_id: item.id.to_string(),
            paths: item.paths.iter().map(text).collect(),
            project: item.project.clone(),
            bytes: item.bytes,
            messages: item.messages,
            footprint_files: item.footprint_files,
            footprint_bytes: item.footprint_bytes,
            footprint: item.footprint.iter().map(text).collect(),
            title: item.facts.title.clone(),
            directory: item.facts.directory.as_ref().map(text),
            last_activity_ms: item.facts.last_activity_ms,
            routine: item.facts.routine,
            place: item.place.word(),
        });
        let refused = self.refused.iter().map(|refused| RefusedOutput {
            session_id: refused.id.to_string(),
            reason: refused.error.to_string(),
            named: refused.named,
        });
        PlanOutput {
            schema_version: 1,
            items: items.collect(),
            refused: refused.collect(),
            total_bytes: self.total_bytes,
            sessions: self.sessions,
            deleted,
            tombstone_path: text(&self.tombstone_path),
        }
    }
}
