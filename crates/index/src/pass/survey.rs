//! What lies there now: a listing, and one stat a file.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sexton_claude::config_dirs::ConfigDirectory;
use sexton_claude::projects::{ProjectsListing, list_projects};
use sexton_claude::transcript::subagent_transcripts;
use sexton_register::SessionId;
use sexton_sys::FileIdentity;

use crate::catalogue::FileRole;

/// A file that lies there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The session it belongs to.
    pub session: SessionId,
    /// What it is to the session.
    pub role: FileRole,
    /// Where it lies.
    pub path: PathBuf,
    /// Its identity; through a symlink, that of its target.
    pub identity: FileIdentity,
}

/// What a pass found before reading anything.
#[derive(Debug, Default)]
pub struct Survey {
    /// The listing of project directories.
    pub listing: ProjectsListing,
    /// Transcripts and subagents' transcripts that could be looked at, transcripts first.
    pub files: Vec<Seen>,
    /// What couldn't be looked at, with the reason. Nothing in or below such a path counts as gone.
    pub problems: Vec<(PathBuf, String)>,
}

/// Looks at everything below the config directories.
#[must_use]
pub fn survey(config_dirs: &[ConfigDirectory]) -> Survey {
    let listing = list_projects(config_dirs);
    let mut problems = Vec::new();
    let mut places: Vec<(SessionId, FileRole, PathBuf)> = Vec::with_capacity(listing.transcripts.len());
    for file in &listing.transcripts {
        places.push((file.session, FileRole::Transcript, file.path.clone()));
    }
    for directory in &listing.session_directories {
        match subagent_transcripts(&directory.path) {
            Ok(paths) => places.extend(
                paths
                    .into_iter()
                    .map(|path| (directory.session, FileRole::Subagent, path)),
            ),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
            Err(error) => problems.push((directory.path.clone(), error.to_string())),
        }
    }
    let looked: Vec<_> = places
        .into_par_iter()
        .with_min_len(256)
        .map(|(session, role, path)| {
            let identity = path.metadata().map(|metadata| FileIdentity::of(&metadata));
            (session, role, path, identity)
        })
        .collect();
    let mut files = Vec::with_capacity(looked.len());
    for (session, role, path, identity) in looked {
        match identity {
            Ok(identity) => files.push(Seen {
                session,
                role,
                path,
                identity,
            }),
            // Gone since the listing.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => problems.push((path, error.to_string())),
        }
    }
    Survey {
        listing,
        files,
        problems,
    }
}

impl Survey {
    /// Whether a file of `session` at `path` would have been seen, so that its absence means that it is gone.
    pub(super) fn would_have_seen(&self, session: SessionId, path: &Path) -> bool {
        if self.problems.iter().any(|(place, _)| path.starts_with(place)) {
            return false;
        }
        // A subagent's transcript lies below its session's directory, which lies beside the transcript.
        let own = path
            .ancestors()
            .find(|above| above.file_name().is_some_and(|name| name == session.as_str()));
        match own {
            Some(directory) => self.listing.would_have_seen(&directory.with_extension("jsonl")),
            None => self.listing.would_have_seen(path),
        }
    }

    /// The files by path.
    pub(super) fn by_path(&self) -> HashMap<&Path, &Seen> {
        self.files.iter().map(|seen| (seen.path.as_path(), seen)).collect()
    }
}
