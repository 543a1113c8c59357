//! What `resume --json` prints.

use schemars::JsonSchema;
use serde::Serialize;

use super::{SCHEMA_VERSION, path};
use crate::resume::{ConfigDirVariable, Resumption};

/// What `resume --json` prints: how to go back to a session, without doing it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResumptionDocument {
    /// The version of this document.
    pub schema_version: u32,
    /// The session.
    pub session: String,
    /// The directory to be in.
    pub directory: String,
    /// What `CLAUDE_CONFIG_DIR` must be; null if it must be left as it is, empty if it must be unset.
    pub config_dir: Option<String>,
    /// The client.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl ResumptionDocument {
    /// The document of a resumption.
    #[must_use]
    pub fn new(resumption: &Resumption) -> Self {
        let session = resumption.session.to_string();
        let further = resumption
            .arguments
            .iter()
            .map(|argument| argument.to_string_lossy().into_owned());
        Self {
            schema_version: SCHEMA_VERSION,
            directory: path(&resumption.directory),
            config_dir: match &resumption.config_dir {
                ConfigDirVariable::Keep => None,
                ConfigDirVariable::Unset => Some(String::new()),
                ConfigDirVariable::Set(config_dir) => Some(path(config_dir)),
            },
            program: path(&resumption.client),
            arguments: ["--resume".to_owned(), session.clone()]
                .into_iter()
                .chain(further)
                .collect(),
            session,
        }
    }
}
