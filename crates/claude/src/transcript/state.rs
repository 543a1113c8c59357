//! How far a transcript has been read, and what was gathered on the way.

use serde::{Deserialize, Serialize};

use super::summary::TranscriptSummary;
use super::usage::AnswerLedger;

/// Written into every state; another number means that the transcript must be read from its beginning.
const VERSION: u32 = 1;

/// The state of a reading that can go on where it ended, after the transcript has grown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadState {
    version: u32,
    /// Where the first unread byte is.
    pub(super) offset: u64,
    /// How many lines begin before it.
    pub(super) lines: u64,
    /// Whether the last of those was read before its line break came.
    pub(super) is_line_open: bool,
    pub(super) summary: TranscriptSummary,
    pub(super) ledger: AnswerLedger,
}

impl Default for ReadState {
    fn default() -> Self {
        Self {
            version: VERSION,
            offset: 0,
            lines: 0,
            is_line_open: false,
            summary: TranscriptSummary::default(),
            ledger: AnswerLedger::default(),
        }
    }
}

impl ReadState {
    /// The state that `json` holds, or `None` if another version of sexton wrote it: then the transcript is to be read anew.
    #[must_use]
    pub fn from_json(json: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }

        let Versioned { version } = serde_json::from_str(json).ok()?;
        (version == VERSION).then(|| serde_json::from_str(json).ok())?
    }

    /// The state as one JSON object. A few KB; at most half a MB, for transcripts with more than 16,000 answers.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Strings and numbers only: nothing that can't be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// How many lines were read.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Where the first unread byte is.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// What was gathered so far.
    #[must_use]
    pub fn summary(&self) -> &TranscriptSummary {
        &self.summary
    }
}
