//! What lies there now: a listing, and one stat a file.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sexton_claude::config_dirs::ConfigDirectory;
use sexton_claude::projects::{ProjectsListing, list_projects};
use sexton_claude::transcript::{SubagentTranscript, look_at_subagents};
use sexton_register::SessionId;
use sexton_sys::FileIdentity;
use sexton_sys::listing::{Look, OpenDirectory};

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
    /// Transcripts and subagents' transcripts that could be looked at: transcripts first, by session.
    pub files: Vec<Seen>,
    /// What couldn't be looked at, with the reason. Nothing in or below such a path counts as gone.
    pub problems: Vec<(PathBuf, String)>,
}

/// Looks at everything below the config directories.
#[must_use]
pub fn survey(config_dirs: &[ConfigDirectory]) -> Survey {
    let listing = list_projects(config_dirs);
    let mut survey = Survey {
        files: Vec::with_capacity(listing.transcripts.len() + listing.session_directories.len()),
        ..Survey::default()
    };
    let (transcripts, subagents) = rayon::join(|| looks(&listing), || subagents(&listing));
    for (file, look) in listing.transcripts.iter().zip(transcripts) {
        survey.add(file.session, FileRole::Transcript, &file.path, look);
    }
    for (directory, found) in listing.session_directories.iter().zip(subagents) {
        match found {
            Ok(found) => {
                for subagent in found {
                    survey.add(directory.session, FileRole::Subagent, &subagent.path, subagent.look);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
            Err(error) => survey.problems.push((directory.path.clone(), error.to_string())),
        }
    }
    survey.listing = listing;
    survey
}

/// A look at each transcript, in their order; through a symlink, at its target.
///
/// File by file of one directory, by name: the kernel need not walk a whole path for each.
fn looks(listing: &ProjectsListing) -> Vec<io::Result<Look>> {
    let transcripts = &listing.transcripts;
    let mut by_directory: Vec<usize> = (0..transcripts.len()).collect();
    by_directory.sort_by_key(|index| transcripts[*index].directory);
    let looked: Vec<(usize, io::Result<Look>)> = by_directory
        .par_chunk_by(|one, other| transcripts[*one].directory == transcripts[*other].directory)
        .flat_map(|indices| indices.par_chunks(256))
        .flat_map_iter(|indices| {
            let directory = transcripts[indices[0]].path.parent().unwrap_or(Path::new(""));
            let open = OpenDirectory::open(directory);
            indices.iter().map(move |index| {
                let look = match &open {
                    Ok(open) => look_at(open, &transcripts[*index].path),
                    Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
                };
                (*index, look)
            })
        })
        .collect();
    let mut looks: Vec<Option<io::Result<Look>>> = transcripts.iter().map(|_| None).collect();
    for (index, look) in looked {
        looks[index] = Some(look);
    }
    let unseen = || Err(io::ErrorKind::NotFound.into());
    looks.into_iter().map(|look| look.unwrap_or_else(unseen)).collect()
}

fn look_at(directory: &OpenDirectory, path: &Path) -> io::Result<Look> {
    let name = CString::new(path.file_name().unwrap_or_default().as_bytes())?;
    directory.look(&name)
}

fn subagents(listing: &ProjectsListing) -> Vec<io::Result<Vec<SubagentTranscript>>> {
    let directories = listing.session_directories.par_iter().with_min_len(32);
    directories
        .map(|directory| look_at_subagents(&directory.path))
        .collect()
}

impl Survey {
    fn add(&mut self, session: SessionId, role: FileRole, path: &Path, look: io::Result<Look>) {
        match look {
            Ok(look) => self.files.push(Seen {
                session,
                role,
                path: path.to_path_buf(),
                identity: look.identity,
            }),
            // Gone since the listing.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.problems.push((path.to_path_buf(), error.to_string())),
        }
    }
}

impl Survey {
    /// How many files were seen.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The identity of the transcript of `session` at `path`, if it was seen.
    #[must_use]
    pub fn transcript(&self, session: SessionId, path: &Path) -> Option<FileIdentity> {
        // Transcripts come first, by session.
        let start = self
            .files
            .partition_point(|seen| seen.role == FileRole::Transcript && seen.session < session);
        self.files[start..]
            .iter()
            .take_while(|seen| seen.role == FileRole::Transcript && seen.session == session)
            .find(|seen| seen.path.as_os_str() == path.as_os_str())
            .map(|seen| seen.identity)
    }

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
}
