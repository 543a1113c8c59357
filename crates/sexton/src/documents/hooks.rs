//! What `hooks status --json` prints.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use sexton_claude::settings::Status;

use super::{SCHEMA_VERSION, path};
use crate::recording::{Recording, disturbances};

/// What `hooks status --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HooksDocument {
    /// The version of this document.
    pub schema_version: u32,
    /// Each settings file that was looked at.
    pub hooks: Vec<HooksFileDocument>,
    /// Files that could not be read, each as a sentence.
    pub problems: Vec<String>,
}

/// The hooks in one settings file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HooksFileDocument {
    /// The settings file, whether it exists or not.
    pub path: String,
    /// What the hooks amount to: `installed`; `plugin` or `claudewheel` (those record sessions, and no entries are needed); `missing`;
    /// `half` (only the beginning or only the end is recorded); `doubled`; `dead` (the program isn't there); `disabled`.
    pub state: String,
    /// The programs that the entries call, each once.
    pub programs: Vec<String>,
    /// What else in the file makes the hooks useless or double, each as a sentence.
    pub disturbances: Vec<String>,
}

impl HooksDocument {
    /// The document of these files.
    #[must_use]
    pub fn new(hooks: Vec<HooksFileDocument>, problems: &[String]) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            hooks,
            problems: problems.to_vec(),
        }
    }
}

impl HooksFileDocument {
    /// The document of one file.
    #[must_use]
    pub fn new(file: &Path, recording: &Recording, status: &Status) -> Self {
        Self {
            path: path(file),
            state: recording.word().to_owned(),
            programs: status.programs().into_iter().map(|program| path(program)).collect(),
            disturbances: disturbances(status),
        }
    }
}
