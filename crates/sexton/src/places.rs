//! Where sexton's own things lie.

use std::path::PathBuf;

use sexton_sys::Environment;

use crate::configuration::{self, Configuration};
use crate::error::CommandError;

/// Directories and files of this user, resolved once. None of them need exist.
#[derive(Debug, Clone)]
pub struct Places {
    /// The lifecycle register.
    pub register: PathBuf,
    /// The directory of the tombstone file.
    pub tombstones: PathBuf,
    /// Journal, trash, vault, missing stamps, routine overrides: what must not be lost.
    pub data: PathBuf,
    /// Catalogue and full text: what can be made again.
    pub cache: PathBuf,
    /// Summaries of register files, kept from one look to the next.
    pub kept_summaries: PathBuf,
    /// Names alone, kept from one search to the next.
    pub kept_names: PathBuf,
    /// The configuration file.
    pub configuration: PathBuf,
}

impl Places {
    /// The places for this environment and configuration; fails where nothing says where home is.
    pub fn find(environment: &Environment, configuration: &Configuration) -> Result<Self, CommandError> {
        let sexton = |variable, fallback| environment.xdg_directory(variable, fallback, "sexton");
        let cache = sexton("XDG_CACHE_HOME", ".cache").ok_or_else(homeless)?;
        Ok(Self {
            register: configuration.register_dir.clone().ok_or_else(homeless)?,
            tombstones: configuration.tombstone_dir.clone().ok_or_else(homeless)?,
            data: sexton("XDG_DATA_HOME", ".local/share").ok_or_else(homeless)?,
            kept_summaries: cache.join("register-summaries"),
            kept_names: cache.join("register-names"),
            cache,
            configuration: configuration::path(environment).ok_or_else(homeless)?,
        })
    }
}

/// Nothing says where this user's files are.
#[must_use]
pub fn homeless() -> CommandError {
    CommandError::refused("find your home directory: `HOME` is unset, empty or relative").hint(
        "set `HOME`, or name the directories with `--register-dir`, `--tombstone-dir`, `--config-dir`, `XDG_CONFIG_HOME`, `XDG_DATA_HOME` and \
         `XDG_CACHE_HOME`",
    )
}
