//! What `sexton register …` takes.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use sexton_register::{SessionId, Source};

use crate::arguments::DryRun;

const EXAMPLES: &str = "\
Examples:
  sexton register read ~/.claudewheel/shared/lifecycle/3f8a21c4-….jsonl
  sexton register load --strict
  echo '{\"session\":\"…\",\"source\":\"user\",\"kind\":\"mark\",\"state\":\"done\",\"note\":null}' | sexton register append";

/// The register's plumbing, for other programs: a stable interface of lines.
///
/// `--json` changes nothing here: what is printed are the store's own lines.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    pub(super) plumbing: Plumbing,
}

#[derive(Debug, Subcommand)]
pub(super) enum Plumbing {
    /// Append one event, read as JSON from stdin, and print the line as written
    ///
    /// `format_version` may be left out; `id` and `at` may be left out or empty.
    Append {
        #[command(flatten)]
        dry_run: DryRun,
    },
    /// Print one canonical line for each event of a file
    Read {
        /// A session's file; an absent one holds no events
        file: PathBuf,
    },
    /// Print the summary of a file
    Summary {
        /// A session's file; its stem is the session
        file: PathBuf,
    },
    /// Print the summary of every session, by id
    Load {
        /// Stop at the first file that can't be read whole
        #[arg(long)]
        strict: bool,
    },
    /// Record the end of sessions that died, and print the lines written
    Sweep {
        /// The time, in milliseconds since the Unix epoch
        #[arg(long, value_name = "N", allow_negative_numbers = true)]
        now_ms: i64,
        /// A session that lives; may be given several times
        #[arg(long, value_name = "UUID")]
        live: Vec<SessionId>,
        #[command(flatten)]
        dry_run: DryRun,
    },
    /// Record a name, and print the line, or nothing if the name is no news
    Name(Name),
    /// Print the state of a session
    State {
        /// A session's file
        file: PathBuf,
        /// The time, in milliseconds since the Unix epoch
        #[arg(long, value_name = "N", allow_negative_numbers = true)]
        now_ms: i64,
        #[command(flatten)]
        seen: StateFlags,
    },
    /// Move damaged lines of a session's file aside, and keep the good ones byte for byte
    ///
    /// Refuses while the session lives. The old file is kept beside it.
    Repair {
        /// A session's file
        file: PathBuf,
        #[command(flatten)]
        dry_run: DryRun,
    },
}

#[derive(Debug, clap::Args)]
#[expect(
    clippy::struct_field_names,
    reason = "the fields are called what the event's fields are called"
)]
pub(super) struct Name {
    /// The session
    #[arg(value_name = "UUID")]
    pub(super) session: SessionId,
    /// The name; an empty one is not recorded
    #[arg(allow_hyphen_values = true)]
    pub(super) name: String,
    /// Where the name comes from
    #[arg(long, value_name = "SOURCE")]
    pub(super) name_source: Option<String>,
    /// Who writes
    #[arg(long, value_name = "WHO", default_value = "sweep")]
    pub(super) source: Writer,
    #[command(flatten)]
    pub(super) dry_run: DryRun,
}

/// Who writes an event.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Writer {
    /// A hook
    Hook,
    /// A person
    User,
    /// An observation pass
    Sweep,
}

impl From<Writer> for Source {
    fn from(writer: Writer) -> Self {
        match writer {
            Writer::Hook => Self::Hook,
            Writer::User => Self::User,
            Writer::Sweep => Self::Sweep,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct StateFlags {
    /// Its process lives
    #[arg(long)]
    pub(super) live: bool,
    /// The process's start time was compared and is the recorded one
    #[arg(long)]
    pub(super) verified: bool,
    /// There is a registry file
    #[arg(long)]
    pub(super) registry_present: bool,
    /// The registry's status word
    #[arg(long, value_name = "S")]
    pub(super) status: Option<String>,
}
