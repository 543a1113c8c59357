//! What can be configured: `config.toml`, environment, options.
//!
//! [`Configuration::resolve`] is the one list of keys: it says of each what it is called, what it means, where it may come from and its
//! default. Reading, `sexton config show`, the template for a new file and the documentation's table are made from it. An option wins
//! over the environment, that over the file, that over the default.

mod document;
mod nearest;
mod sources;
mod template;
mod value;
pub mod variables;

use std::path::PathBuf;

use sexton_sys::Environment;

pub use document::Problem;
pub use sources::{Entry, Source};
use sources::{Key, Sources};
pub use template::{annotated, template};
pub use value::{Age, ByteSize, VaultPolicy};

/// Everything that can be configured, resolved.
#[derive(Debug, Clone)]
pub struct Configuration {
    /// Directories of Claude Code's, besides those that are known anyway; with `--config-dir`, instead of them.
    pub config_dirs: Vec<PathBuf>,
    /// The lifecycle register; `None` only where nothing says where home is.
    pub register_dir: Option<PathBuf>,
    /// The directory of the tombstone file; `None` only where nothing says where home is.
    pub tombstone_dir: Option<PathBuf>,
    /// Where archived sessions go; `None` is `archive` in the session's own config directory.
    pub archive_dir: Option<PathBuf>,
    /// The vault of compressed copies.
    pub vault: Vault,
    /// The trash.
    pub trash: Trash,
    /// Full text.
    pub index: Index,
    /// Each key with its value and where that came from, in the order of the file.
    pub entries: Vec<Entry>,
    /// What is wrong with the file, in the order of its lines.
    pub problems: Vec<Problem>,
}

/// The vault of compressed copies.
#[derive(Debug, Clone)]
pub struct Vault {
    /// Which sessions get a copy.
    pub policy: VaultPolicy,
    /// How large it may grow.
    pub limit: ByteSize,
}

/// The trash.
#[derive(Debug, Clone)]
pub struct Trash {
    /// What `trash empty` takes.
    pub older_than: Age,
}

/// Full text.
#[derive(Debug, Clone)]
pub struct Index {
    /// Whether the results of tools are found.
    pub tool_output: bool,
}

/// What was given on the command line.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `--config-dir`
    pub config_dirs: Vec<PathBuf>,
    /// `--register-dir`
    pub register_dir: Option<PathBuf>,
    /// `--tombstone-dir`
    pub tombstone_dir: Option<PathBuf>,
    /// `--archive-dir`
    pub archive_dir: Option<PathBuf>,
}

/// Where the configuration file lies; `None` where nothing says where home is.
#[must_use]
pub fn path(environment: &Environment) -> Option<PathBuf> {
    Some(
        environment
            .xdg_directory("XDG_CONFIG_HOME", ".config", "sexton")?
            .join("config.toml"),
    )
}

/// The text of the configuration file; `None` if there is none.
pub fn read(environment: &Environment) -> std::io::Result<Option<String>> {
    // Far more than all keys with long lists of directories.
    const SIZE_LIMIT: u64 = 1 << 20;
    let Some(path) = path(environment) else {
        return Ok(None);
    };
    let bytes = sexton_sys::read::read_limited_if_present(&path, SIZE_LIMIT)?;
    let text = bytes.map(String::from_utf8).transpose();
    text.map_err(|_| std::io::Error::new(std::io::ErrorKind::InvalidData, "is not UTF-8"))
}

impl Configuration {
    /// The configuration that this file's text, environment and options make. What is wrong is in [`Configuration::problems`], and the
    /// keys concerned have their default.
    #[must_use]
    pub fn resolve(text: &str, environment: &Environment, options: &Options) -> Self {
        let sources = &mut Sources::of(text, environment);
        let absolute = |path: &PathBuf| match environment.current_directory() {
            Some(directory) => directory.join(path),
            None => path.clone(),
        };
        let given = |path: &Option<PathBuf>| path.as_ref().map(absolute).map(Some);
        let config_dirs = sources.take(Key {
            name: "config_dirs",
            about: "Directories of Claude Code's, besides `$CLAUDE_CONFIG_DIR`, `~/.claude` and claudewheel's profiles.",
            environment: &[],
            option: Some(("--config-dir", (!options.config_dirs.is_empty()).then(|| options.config_dirs.clone()))),
            default: Vec::new(),
            example: r#"["/mnt/work/claude"]"#,
        });
        let register_dir = sources.take(Key {
            name: "register_dir",
            about: "The lifecycle register. Hooks write it, so that other programs that read it must be told as well.",
            environment: &["SEXTON_REGISTER_DIR", "CLAUDEWHEEL_LIFECYCLE_DIR"],
            option: Some(("--register-dir", given(&options.register_dir))),
            default: sexton_register::register_directory(None, environment).ok(),
            example: r#""~/.claudewheel/shared/lifecycle""#,
        });
        let tombstone_dir = sources.take(Key {
            name: "tombstone_dir",
            about: "The directory of `.deleted`, the file with the ids of deleted sessions, which other programs read as well.",
            environment: &["SEXTON_TOMBSTONE_DIR"],
            option: Some(("--tombstone-dir", given(&options.tombstone_dir))),
            default: environment.home().map(|home| home.join(".cache/session-search")),
            example: r#""~/.cache/session-search""#,
        });
        let archive_dir = sources.take(Key {
            name: "archive_dir",
            about: "Where archived sessions go; by default to `archive` in the session's own config directory.",
            environment: &["SEXTON_ARCHIVE_DIR"],
            option: Some(("--archive-dir", given(&options.archive_dir))),
            default: None,
            example: r#""~/claude-archive""#,
        });
        let vault = Vault {
            policy: sources.take(Key {
                name: "vault.policy",
                about: "Which sessions get a compressed copy: `all`, `named` (those of `sexton keep add`), or `off`.",
                environment: &[],
                option: None,
                default: VaultPolicy::All,
                example: r#""named""#,
            }),
            limit: sources.take(Key {
                name: "vault.limit",
                about: "How large all copies together may grow. At the limit no more are made, and none is dropped.",
                environment: &[],
                option: None,
                default: ByteSize::gib(5),
                example: r#""20 GiB""#,
            }),
        };
        let trash = Trash {
            older_than: sources.take(Key {
                name: "trash.older_than",
                about: "What `sexton trash empty` takes: sessions that were deleted longer ago than this (`12h`, `30d`, `8w`).",
                environment: &[],
                option: None,
                default: Age::days(30),
                example: r#""90d""#,
            }),
        };
        let index = Index {
            tool_output: sources.take(Key {
                name: "index.tool_output",
                about: "Whether search finds what tools printed. Without it the index is smaller.",
                environment: &[],
                option: None,
                default: true,
                example: "false",
            }),
        };
        let (entries, problems) = sources.finish();
        Self {
            config_dirs,
            register_dir,
            tombstone_dir,
            archive_dir,
            vault,
            trash,
            index,
            entries,
            problems,
        }
    }
}

#[cfg(test)]
mod tests;
