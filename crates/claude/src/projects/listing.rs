//! The listing itself.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sexton_sys::listing::{self, Entry, EntryKind, OpenDirectory};

use super::{
    ForeignFile, Listed, ProjectDirectory, ProjectName, ProjectsListing, ProjectsRoot, SessionPath, TranscriptFile,
};
use crate::config_dirs::ConfigDirectory;

/// Lists the project directories of all configuration directories. What can't be read is told in
/// [`roots`](ProjectsListing::roots) and [`directories`](ProjectsListing::directories), and hides nothing else.
#[must_use]
pub fn list_projects(config_dirs: &[ConfigDirectory]) -> ProjectsListing {
    let mut pass = Pass::default();
    for (index, config_dir) in config_dirs.iter().enumerate() {
        pass.add_root(index, &config_dir.path.join("projects"));
    }
    let Pass {
        mut listing, places, ..
    } = pass;
    let contents: Vec<(Listed, Content)> = places
        .par_iter()
        .enumerate()
        .map(|(index, place)| place.list(index))
        .collect();
    for (place, (listed, content)) in places.into_iter().zip(contents) {
        listing.directories.push(ProjectDirectory {
            path: place.path,
            config_dir: place.config_dir,
            listed,
        });
        listing.transcripts.extend(content.transcripts);
        listing.set_aside.extend(content.set_aside);
        listing.session_directories.extend(content.session_directories);
        listing.foreign.extend(content.foreign);
    }
    listing.transcripts.sort_unstable();
    listing.set_aside.sort_unstable();
    listing.session_directories.sort_unstable();
    listing
}

/// Which directories there are, each once, before any of them is listed.
#[derive(Default)]
struct Pass {
    listing: ProjectsListing,
    /// Real paths of roots and the index of their entry.
    roots: HashMap<PathBuf, usize>,
    /// Real paths of project directories that will be listed.
    directories: HashSet<PathBuf>,
    places: Vec<Place>,
}

impl Pass {
    fn add_root(&mut self, config_dir: usize, path: &Path) {
        let (listed, real) = Listed::of(path.canonicalize());
        let known = real.as_ref().and_then(|real| self.roots.get(real));
        if let Some(known) = known {
            self.listing.roots[*known].aliases.push(path.to_path_buf());
            return;
        }
        let (listed, entries) = match &real {
            Some(real) => Listed::of(listing::list(real)),
            None => (listed, None),
        };
        if let Some(real) = &real {
            self.roots.insert(real.clone(), self.listing.roots.len());
        }
        self.listing.roots.push(ProjectsRoot {
            path: path.to_path_buf(),
            aliases: real.iter().cloned().collect(),
            config_dir,
            listed,
        });
        let entries = entries.unwrap_or_default();
        let real = real.unwrap_or_default();
        // Directories before links to them, so that a directory has its own name.
        for kind in [EntryKind::Directory, EntryKind::Symlink] {
            for entry in entries.iter().filter(|entry| entry.kind == kind) {
                self.add_directory(config_dir, path, &real, entry);
            }
        }
    }

    fn add_directory(&mut self, config_dir: usize, root: &Path, real_root: &Path, entry: &Entry) {
        let path = root.join(&entry.name);
        let real = match entry.kind {
            // No link on the way, so the real path costs nothing.
            EntryKind::Directory => Ok(real_root.join(&entry.name)),
            _ => path.canonicalize(),
        };
        if let Ok(real) = &real {
            if entry.kind == EntryKind::Symlink && !real.is_dir() {
                return;
            }
            if !self.directories.insert(real.clone()) {
                return;
            }
        }
        self.places.push(Place { path, real, config_dir });
    }
}

/// A project directory that is to be listed.
struct Place {
    path: PathBuf,
    real: io::Result<PathBuf>,
    config_dir: usize,
}

/// What lies in one project directory.
#[derive(Default)]
struct Content {
    transcripts: Vec<TranscriptFile>,
    set_aside: Vec<SessionPath>,
    session_directories: Vec<SessionPath>,
    foreign: Vec<ForeignFile>,
}

impl Place {
    /// Lists it; `index` is its own among all directories.
    fn list(&self, index: usize) -> (Listed, Content) {
        let real = match &self.real {
            Ok(real) => real,
            Err(error) => return (Listed::of::<()>(Err(again(error))).0, Content::default()),
        };
        let mut content = Content::default();
        let listed = OpenDirectory::open(real).and_then(|open| {
            open.each(|name, kind| self.add(index, OsStr::from_bytes(name.to_bytes()), kind, &mut content))
        });
        match Listed::of(listed) {
            (listed, Some(())) => {
                content.foreign.sort_unstable_by(|a, b| a.path.cmp(&b.path));
                (listed, content)
            }
            // A listing that is short shows nothing.
            (listed, None) => (listed, Content::default()),
        }
    }

    fn add(&self, index: usize, name: &OsStr, kind: EntryKind, content: &mut Content) {
        let is_file = matches!(kind, EntryKind::File | EntryKind::Symlink);
        let (directory, config_dir) = (&self.path, self.config_dir);
        let of = |session| SessionPath {
            session,
            path: directory.join(name),
            config_dir,
        };
        let foreign = |stem| ForeignFile {
            path: directory.join(name),
            stem,
            kind,
            config_dir,
        };
        match ProjectName::parse(name) {
            ProjectName::Transcript(session) if is_file => content.transcripts.push(TranscriptFile {
                session,
                path: directory.join(name),
                config_dir,
                is_symlink: kind == EntryKind::Symlink,
                directory: index,
            }),
            ProjectName::Transcript(session) => content.foreign.push(foreign(session.as_str().into())),
            ProjectName::SetAside(session) if is_file => content.set_aside.push(of(session)),
            ProjectName::Session(session) => content.session_directories.push(of(session)),
            ProjectName::Foreign(stem) => content.foreign.push(foreign(stem)),
            ProjectName::SetAside(_) | ProjectName::Other => {}
        }
    }
}

/// The same error once more.
fn again(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error.kind().into(),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests arrange files directly")]
mod tests {
    use super::*;
    use crate::config_dirs::Origin;
    use sexton_register::SessionId;
    use std::fs::{create_dir_all, write};
    use std::os::unix::fs::symlink;

    fn id(number: u128) -> SessionId {
        SessionId::from_u128(number)
    }

    struct Machine(tempfile::TempDir);

    impl Machine {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn transcript(&self, directory: &str, session: SessionId) -> PathBuf {
            create_dir_all(self.path(directory)).unwrap();
            let path = self.path(directory).join(format!("{session}.jsonl"));
            write(&path, "").unwrap();
            path
        }

        fn list(&self, config_dirs: &[&str]) -> ProjectsListing {
            let config_dirs: Vec<_> = config_dirs
                .iter()
                .map(|name| ConfigDirectory {
                    path: self.path(name),
                    real: self.path(name),
                    origin: Origin::Option,
                })
                .collect();
            list_projects(&config_dirs)
        }
    }

    #[test]
    fn every_kind_of_entry() {
        let machine = Machine::new();
        let first = machine.transcript("a/projects/-w", id(1));
        let second = machine.transcript("a/projects/-x[*]?", id(1));
        let project = machine.path("a/projects/-w");
        let aside = [
            project.join(format!("{}.jsonl.superseded-5", id(1))),
            project.join(format!("{}.orphaned-5-x.jsonl", id(1))),
        ];
        for path in aside
            .iter()
            .chain([&project.join("agent-a1.jsonl"), &project.join("notes.txt")])
        {
            write(path, "").unwrap();
        }
        let own = project.join(id(2).as_str());
        create_dir_all(own.join("subagents")).unwrap();
        create_dir_all(project.join("memory")).unwrap();
        create_dir_all(project.join(format!("{}.jsonl", id(3)))).unwrap();
        symlink("/nowhere", project.join(format!("{}.jsonl", id(4)))).unwrap();
        // Directly in `projects`: nobody's.
        write(machine.path("a/projects").join(format!("{}.jsonl", id(5))), "").unwrap();

        let listing = machine.list(&["a"]);
        let paths: Vec<_> = listing.transcripts_of(&id(1)).iter().map(|file| &file.path).collect();
        assert_eq!(paths, [&first, &second]);
        assert_eq!(listing.transcripts.len(), 3);
        assert!(listing.transcripts_of(&id(4))[0].is_symlink);
        let set_aside: Vec<_> = listing
            .set_aside_of(&id(1))
            .iter()
            .map(|found| found.path.clone())
            .collect();
        assert_eq!(set_aside, aside);
        assert_eq!(listing.session_directories_of(&id(2))[0].path, own);
        let foreign: Vec<_> = listing
            .foreign
            .iter()
            .map(|file| (file.stem.to_str().unwrap(), file.kind))
            .collect();
        let third = id(3);
        assert_eq!(
            foreign,
            [(third.as_str(), EntryKind::Directory), ("agent-a1", EntryKind::File)]
        );
    }

    #[test]
    fn shared_directories_are_listed_once_for_the_first_owner() {
        let machine = Machine::new();
        machine.transcript("shared/-w", id(1));
        machine.transcript("b/projects/-own", id(2));
        create_dir_all(machine.path("a")).unwrap();
        create_dir_all(machine.path("c")).unwrap();
        symlink(machine.path("shared"), machine.path("a/projects")).unwrap();
        symlink(machine.path("shared"), machine.path("c/projects")).unwrap();
        // Two links to one directory, and one to a directory that another root holds.
        symlink(machine.path("shared/-w"), machine.path("b/projects/-link")).unwrap();
        symlink(machine.path("b/projects/-own"), machine.path("b/projects/-again")).unwrap();

        let listing = machine.list(&["a", "b", "c"]);
        let found: Vec<_> = listing
            .transcripts
            .iter()
            .map(|file| (file.session, file.config_dir))
            .collect();
        assert_eq!(found, [(id(1), 0), (id(2), 1)]);
        assert_eq!(
            listing.transcripts[0].path,
            machine.path("a/projects/-w").join(format!("{}.jsonl", id(1)))
        );
        assert!(listing.transcripts[1].path.starts_with(machine.path("b/projects/-own")));
        assert_eq!(listing.roots.len(), 2);
        for root in ["a/projects", "c/projects", "shared"] {
            assert!(
                listing.would_have_seen(&machine.path(root).join("-w/x.jsonl")),
                "{root}"
            );
        }
    }

    #[test]
    fn a_link_to_a_project_directory_elsewhere_is_followed_once() {
        let machine = Machine::new();
        machine.transcript("elsewhere", id(1));
        create_dir_all(machine.path("a/projects")).unwrap();
        symlink(machine.path("elsewhere"), machine.path("a/projects/-1")).unwrap();
        symlink(machine.path("elsewhere"), machine.path("a/projects/-2")).unwrap();
        let listing = machine.list(&["a"]);
        assert_eq!(listing.transcripts.len(), 1);
        assert!(listing.transcripts[0].path.starts_with(machine.path("a/projects/-1")));
        assert!(!listing.transcripts[0].is_symlink);
    }

    #[test]
    fn only_what_was_listed_can_be_missing() {
        let machine = Machine::new();
        create_dir_all(machine.path("a/projects/-w")).unwrap();
        create_dir_all(machine.path("b")).unwrap();
        create_dir_all(machine.path("c")).unwrap();
        write(machine.path("c/projects"), "").unwrap();
        symlink("/nowhere/mounted", machine.path("a/projects/-disk")).unwrap();
        let listing = machine.list(&["a", "b", "c"]);
        assert!(matches!(
            (
                &listing.roots[0].listed,
                &listing.roots[1].listed,
                &listing.roots[2].listed
            ),
            (Listed::Yes, Listed::Absent, Listed::Failed(_))
        ));
        for (path, seen) in [
            ("a/projects/-w/x.jsonl", true),
            ("a/projects/-gone/x.jsonl", true),
            ("a/projects/-disk/x.jsonl", false),
            ("b/projects/-w/x.jsonl", false),
            ("c/projects/-w/x.jsonl", false),
            ("d/projects/-w/x.jsonl", false),
            ("a/projects/x.jsonl", false),
        ] {
            assert_eq!(listing.would_have_seen(&machine.path(path)), seen, "{path}");
        }
        assert!(!listing.would_have_seen(Path::new("x.jsonl")));
    }
}
