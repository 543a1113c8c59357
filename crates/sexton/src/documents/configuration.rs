//! What `config show --json` prints.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::{SCHEMA_VERSION, path};
use crate::configuration::variables::VARIABLES;
use crate::configuration::{Configuration, Entry, Source};

/// What `config show --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigurationDocument {
    /// The version of this document.
    pub schema_version: u32,
    /// The configuration file, whether it exists or not.
    pub file: String,
    /// Each key, in the order of the documentation.
    pub settings: Vec<SettingDocument>,
    /// Each environment variable that is looked at.
    pub variables: Vec<VariableDocument>,
    /// What is wrong with the file, each as a sentence that begins with line and column.
    pub problems: Vec<String>,
}

/// What `config path --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileDocument {
    /// The version of this document.
    pub schema_version: u32,
    /// The configuration file, whether it exists or not.
    pub file: String,
    /// Whether it exists.
    pub exists: bool,
    /// What could not be read; always empty here.
    pub problems: Vec<String>,
}

impl FileDocument {
    /// The document about this file.
    #[must_use]
    pub fn new(file: &Path) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            file: path(file),
            exists: file.exists(),
            problems: Vec::new(),
        }
    }
}

/// One key of the configuration.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingDocument {
    /// Its dotted name.
    pub key: String,
    /// The value as TOML; null if there is none.
    pub value: Option<String>,
    /// The default as TOML; null if there is none.
    pub default: Option<String>,
    /// Where the value came from.
    pub source: SettingSource,
    /// The option, the environment variable, or the line of the file that set it; null for a default.
    pub set_by: Option<String>,
    /// The option that can set it.
    pub option: Option<String>,
    /// The environment variables that can set it.
    pub environment: Vec<String>,
    /// What it means.
    pub about: String,
}

/// Where a value came from.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SettingSource {
    /// The command line.
    Option,
    /// The environment.
    Environment,
    /// The configuration file.
    File,
    /// The default.
    Default,
}

/// One environment variable.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VariableDocument {
    /// Its name.
    pub name: String,
    /// What it does.
    pub about: String,
}

impl ConfigurationDocument {
    /// The document of a configuration that was read from `file`.
    #[must_use]
    pub fn new(configuration: &Configuration, file: &Path) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            file: path(file),
            settings: configuration.entries.iter().map(SettingDocument::from).collect(),
            variables: VARIABLES
                .iter()
                .map(|variable| VariableDocument {
                    name: variable.name.to_owned(),
                    about: variable.about.to_owned(),
                })
                .collect(),
            problems: configuration.problems.iter().map(ToString::to_string).collect(),
        }
    }
}

impl From<&Entry> for SettingDocument {
    fn from(entry: &Entry) -> Self {
        let (source, set_by) = match entry.source {
            Source::Option(name) => (SettingSource::Option, Some(name.to_owned())),
            Source::Environment(name) => (SettingSource::Environment, Some(name.to_owned())),
            Source::File(line) => (SettingSource::File, Some(line.to_string())),
            Source::Default => (SettingSource::Default, None),
        };
        Self {
            key: entry.name.to_owned(),
            value: entry.value.clone(),
            default: entry.default.clone(),
            source,
            set_by,
            option: entry.option.map(str::to_owned),
            environment: entry.environment.iter().map(|name| (*name).to_owned()).collect(),
            about: entry.about.to_owned(),
        }
    }
}
