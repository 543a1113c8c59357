//! What plans show of a session beside its files: title, directory, last activity, and what filters ask for.
//!
//! The catalogue answers from what it has; without one, the first and last 64 KiB of the transcript do. Only two questions may read
//! more, and they are asked only by their filters: how many messages, and whether a session is routine.

use std::io;
use std::path::{Path, PathBuf};

use sexton_claude::transcript::{count_lines, summarize_ends};
use sexton_register::SessionId;

use crate::routine::is_routine;

/// What is known of a session; `None` where nothing is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFacts {
    /// Its title.
    pub title: Option<String>,
    /// Its real directory, as the transcript's records tell it.
    pub directory: Option<PathBuf>,
    /// The greatest time of its messages, in milliseconds since the Unix epoch.
    pub last_activity_ms: Option<i64>,
    /// How many messages it has: non-blank lines of the transcript.
    pub messages: Option<u64>,
    /// Whether it is routine.
    pub routine: Option<bool>,
}

/// Answers questions about sessions.
pub trait Facts {
    /// What is known of the session in `transcript` without reading much of it.
    fn facts(&self, session: Option<&SessionId>, transcript: &Path) -> io::Result<SessionFacts>;

    /// How many non-blank lines the transcript has; counting may stop once there are more than `at_most`.
    fn messages(&self, transcript: &Path, at_most: u64) -> io::Result<u64> {
        count_lines(transcript, at_most)
    }

    /// Whether the session is routine; reads only as far as is needed to tell.
    fn routine(&self, transcript: &Path) -> io::Result<bool> {
        is_routine(transcript)
    }
}

/// The facts that the transcripts themselves tell.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileFacts;

impl Facts for FileFacts {
    fn facts(&self, _session: Option<&SessionId>, transcript: &Path) -> io::Result<SessionFacts> {
        let ends = summarize_ends(transcript)?;
        Ok(SessionFacts {
            title: ends.summary.title().map(|(title, _)| title.to_owned()),
            directory: ends.summary.directory().map(Path::to_path_buf),
            last_activity_ms: ends.summary.last_activity_ms,
            messages: ends.is_whole.then_some(ends.summary.counts.lines),
            routine: None,
        })
    }
}
