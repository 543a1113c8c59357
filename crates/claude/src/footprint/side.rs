//! The directories beside `projects/` in which sessions have something.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use sexton_register::SessionId;
use sexton_sys::listing;

use super::{FootprintProblem, PartKind, Places};
use crate::config_dirs::ConfigDirectory;
use crate::projects::split_session;

/// How names in a side directory tell their session.
#[derive(Clone, Copy)]
enum Naming {
    /// `<uuid>`.
    Exact,
    /// `<uuid>.txt`.
    Text,
    /// `<uuid>-*`.
    Prefix,
}

const SIDE_DIRECTORIES: [(&str, PartKind, Naming); 8] = [
    ("file-history", PartKind::FileHistory, Naming::Exact),
    ("session-env", PartKind::SessionEnvironment, Naming::Exact),
    ("tasks", PartKind::Tasks, Naming::Exact),
    ("todos", PartKind::Todos, Naming::Prefix),
    ("debug", PartKind::Debug, Naming::Text),
    ("uploads", PartKind::Uploads, Naming::Exact),
    ("image-cache", PartKind::ImageCache, Naming::Exact),
    ("dev-mods", PartKind::DevMods, Naming::Exact),
];

impl Naming {
    fn session(self, name: &OsStr) -> Option<SessionId> {
        let (session, rest) = split_session(name.as_bytes())?;
        let fits = match self {
            Self::Exact => rest.is_empty(),
            Self::Text => rest == b".txt",
            Self::Prefix => rest.starts_with(b"-"),
        };
        fits.then_some(session)
    }
}

/// Adds what lies in the side directories of all configuration directories.
pub(super) fn add_places(
    config_dirs: &[ConfigDirectory],
    sessions: &BTreeSet<SessionId>,
    places: &mut Places,
    problems: &mut Vec<FootprintProblem>,
) {
    let mut seen = HashSet::new();
    for (index, config_dir) in config_dirs.iter().enumerate() {
        for (name, kind, naming) in SIDE_DIRECTORIES {
            let directory = config_dir.path.join(name);
            // Profiles share side directories through links, as they share `projects`.
            let entries = match directory.canonicalize() {
                Ok(real) if !seen.insert(real.clone()) => continue,
                Ok(real) => listing::list_if_present(&real),
                Err(error) => Err(error),
            };
            match entries {
                Ok(entries) => {
                    for entry in entries {
                        if let Some(session) = naming.session(&entry.name).filter(|session| sessions.contains(session))
                        {
                            places.add(session, (kind, directory.join(&entry.name), index));
                        }
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(source) => problems.push(FootprintProblem {
                    path: directory,
                    session: None,
                    source,
                }),
            }
        }
    }
}
