//! What a session's transcript says, as far as a row shows it.

use std::path::{Path, PathBuf};

use sexton_claude::transcript::TranscriptSummary;
use sexton_index::catalogue::Summary;
use sexton_register::SessionId;
use sexton_yard::FloorStats;

/// From the catalogue, which has read all of it, or from the transcript's two ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its title.
    pub title: Option<String>,
    /// The newest directory that it names.
    pub directory: Option<PathBuf>,
    /// The newest git branch.
    pub branch: Option<String>,
    /// The last model.
    pub model: Option<String>,
    /// The last version of Claude Code.
    pub version: Option<String>,
    /// When its newest message was written, in milliseconds since the Unix epoch.
    pub last_activity_ms: Option<i64>,
    /// What a person wrote last, where the ends were read.
    pub last_prompt: Option<String>,
    /// The session in which the conversation goes on.
    pub continued_in: Option<SessionId>,
    /// The session that this one was forked from.
    pub forked_from: Option<SessionId>,
    /// What was counted, where all of it was read.
    pub counted: Option<Counted>,
}

/// What only a reader of the whole transcript knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// Lines that are not blank.
    pub lines: u64,
    /// Prompts that people wrote.
    pub human_prompts: u64,
    /// Answers of the API.
    pub answers: u64,
    /// Calls of tools.
    pub tool_calls: u64,
    /// Lines that were damaged.
    pub problems: u64,
    /// Tokens, repeats of one answer counted once.
    pub tokens: u64,
    /// What the routine floor was measured from.
    pub floor: FloorStats,
}

impl From<&TranscriptSummary> for Facts {
    fn from(summary: &TranscriptSummary) -> Self {
        Self {
            title: summary.title().map(|(title, _)| title.to_owned()),
            directory: summary.directory().map(Path::to_path_buf),
            branch: summary.branch().map(str::to_owned),
            model: summary.model().map(str::to_owned),
            version: summary.version().map(str::to_owned),
            last_activity_ms: summary.last_activity_ms,
            last_prompt: summary.titles.last_prompt.clone(),
            continued_in: summary.continued_in,
            forked_from: summary.forked_from,
            counted: None,
        }
    }
}

impl From<&Summary> for Facts {
    fn from(summary: &Summary) -> Self {
        Self {
            title: summary.title.clone(),
            directory: summary.directory.clone(),
            branch: summary.branch.clone(),
            model: summary.model.clone(),
            version: summary.version.clone(),
            last_activity_ms: summary.last_activity_ms,
            last_prompt: None,
            continued_in: summary.continued_in,
            forked_from: summary.forked_from,
            counted: Some(Counted {
                lines: summary.lines,
                human_prompts: summary.human_prompts,
                answers: summary.answers,
                tool_calls: summary.tool_calls,
                problems: summary.problems,
                tokens: summary.usage.total(),
                floor: summary.floor,
            }),
        }
    }
}
