//! The journal: what was going to be done, and what came of it.
//!
//! Append-only JSON lines in the data directory. An intent is on disk before the first byte of its item moves; its result is written
//! when everything it did is on disk. An intent without a result is an interrupted item, which [`crate::recovery`] settles. One
//! operation writes at a time, under one lock, so that everything before a `closed` line is settled and need not be read.

mod line;
mod operation_id;
mod read;
mod tail;

use std::io;
use std::path::{Path, PathBuf};

use sexton_sys::{Clock, Durability, EffectError, Effects};

pub use line::{
    Intent, JOURNAL_VERSION, Line, LineBody, OperationKind, RecordedArrival, RecordedMove, RecordedOutcome,
    RecordedResult, RecordedTombstone,
};
pub use operation_id::OperationId;
pub use read::{History, Operation, RecordedItem};
pub use tail::Tail;

/// Why the journal could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// It can't be read.
    #[error("read journal `{}`: {source}", .path.display())]
    Unreadable {
        /// The journal.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A newer sexton has written to it; this one would misunderstand what is pending.
    #[error("use journal `{}`: a newer sexton wrote it (version {version}, this one knows {JOURNAL_VERSION})", .path.display())]
    Newer {
        /// The journal.
        path: PathBuf,
        /// The version that was met.
        version: u64,
    },
    /// A line could not be put into JSON.
    #[error("write a journal line: {0}")]
    Json(#[from] serde_json::Error),
    /// It can't be written.
    #[error(transparent)]
    Effect(#[from] EffectError),
}

/// The journal of one data directory.
#[derive(Debug, Clone)]
pub struct Journal {
    path: PathBuf,
}

impl Journal {
    /// The journal below `data_directory`, which need not exist yet.
    #[must_use]
    pub fn below(data_directory: &Path) -> Self {
        Self {
            path: data_directory.join("journal.jsonl"),
        }
    }

    /// The journal's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends the lines of `bodies` for `operation` in one write.
    pub(crate) fn append(
        &self,
        effects: &Effects,
        clock: &dyn Clock,
        operation: &OperationId,
        bodies: Vec<LineBody>,
        durability: Durability,
    ) -> Result<(), JournalError> {
        let at = timestamp(clock.now_ms());
        let mut bytes = Vec::new();
        for body in bodies {
            let line = Line {
                journal_version: JOURNAL_VERSION,
                at: at.clone(),
                operation: operation.clone(),
                body,
            };
            serde_json::to_writer(&mut bytes, &line)?;
            bytes.push(b'\n');
        }
        Ok(effects.append_to_own(&self.path, &bytes, durability)?)
    }

    fn unreadable(&self, source: io::Error) -> JournalError {
        JournalError::Unreadable {
            path: self.path.clone(),
            source,
        }
    }
}

/// `YYYY-MM-DDTHH:MM:SS.mmmZ`, as everywhere in our own files.
pub(crate) fn timestamp(ms: i64) -> String {
    let instant = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{instant:.3}")
}

/// The instant that such a text stands for, in milliseconds since the Unix epoch.
pub(crate) fn timestamp_ms(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>()
        .ok()
        .map(jiff::Timestamp::as_millisecond)
}
