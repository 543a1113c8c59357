//! Where sexton's own things lie.

use std::path::PathBuf;

use sexton_register::register_directory;
use sexton_sys::Environment;

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
    /// The configuration file.
    pub configuration: PathBuf,
}

/// Places named on the command line.
#[derive(Debug, Clone, Default)]
pub struct GivenPlaces {
    /// `--register-dir`
    pub register: Option<PathBuf>,
    /// `--tombstone-dir`
    pub tombstones: Option<PathBuf>,
}

impl Places {
    /// The places for this environment; fails where nothing says where home is.
    pub fn find(environment: &Environment, given: &GivenPlaces) -> Result<Self, CommandError> {
        let absolute = |path: &PathBuf| match environment.current_directory() {
            Some(directory) => directory.join(path),
            None => path.clone(),
        };
        let register = register_directory(given.register.as_ref().map(absolute).as_deref(), environment);
        let tombstones = given
            .tombstones
            .as_ref()
            .map(absolute)
            .or_else(|| environment.directory("SEXTON_TOMBSTONE_DIR"))
            .or_else(|| Some(environment.home()?.join(".cache/session-search")));
        let sexton = |variable, fallback| environment.xdg_directory(variable, fallback, "sexton");
        Ok(Self {
            register: register.map_err(|_| homeless())?,
            tombstones: tombstones.ok_or_else(homeless)?,
            data: sexton("XDG_DATA_HOME", ".local/share").ok_or_else(homeless)?,
            cache: sexton("XDG_CACHE_HOME", ".cache").ok_or_else(homeless)?,
            configuration: sexton("XDG_CONFIG_HOME", ".config")
                .ok_or_else(homeless)?
                .join("config.toml"),
        })
    }
}

/// Nothing says where this user's files are.
#[must_use]
pub fn homeless() -> CommandError {
    CommandError::refused("find your home directory: `HOME` is unset, empty or relative").hint(
        "set `HOME`, or name the directories with `--register-dir`, `--config-dir` and the `XDG_*_HOME` variables",
    )
}
