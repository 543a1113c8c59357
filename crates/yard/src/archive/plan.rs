//! Planning an archive, and applying it.

use std::path::{Path, PathBuf};

use sexton_claude::footprint::{Footprints, footprints};
use sexton_claude::projects::TranscriptFile;
use sexton_register::SessionId;

use super::place::{manifest_path, stored, transcript_path};
use super::{ArchiveError, archived};
use crate::address::{Addressed, address};
use crate::belongings::{belongings, gate_error, of_present};
use crate::facts::SessionFacts;
use crate::gate::Vouched;
use crate::item::{Applied, ItemError, ItemId, ItemResult, Outcome};
use crate::journal::{OperationId, OperationKind, timestamp};
use crate::manifest::{MANIFEST_VERSION, Manifest, ManifestEntry, ManifestKind, ManifestParent};
use crate::stored_path::StoredPath;
use crate::stub::is_stub;
use crate::survey::{ClaudeGround, Survey};
use crate::transfer::{ManifestPlace, Move, Operation, Transfer, run};
use crate::trash::{Belongings, Filling, parents};
use crate::tree::{Relation, relation};
use crate::yard::{Yard, YardError};

/// What is to be archived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArchiveRequest {
    /// A full id, or a prefix of at least 8 characters.
    Id(String),
    /// The absolute path of a transcript.
    Path(PathBuf),
}

/// One session of an archive plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveItem {
    /// Which one.
    pub session: SessionId,
    /// Where its transcript will be, or is.
    pub to: PathBuf,
    /// The paths that move; empty if it is archived already.
    pub from: Vec<PathBuf>,
    /// Files and symlinks.
    pub files: u64,
    /// Bytes in regular files.
    pub bytes: u64,
    /// What is known of it.
    pub facts: SessionFacts,
    /// Whether only what a client left behind under the id of this archived session is put away, into the trash.
    pub is_stub: bool,
}

/// What will be archived. Applied once, by value.
#[derive(Debug)]
pub struct ArchivePlan {
    /// The sessions, in the order they were asked for.
    pub items: Vec<ArchiveItem>,
    /// The sessions that won't be, and why.
    pub refused: Vec<(ItemId, ItemError)>,
    operation: OperationId,
    transfers: Vec<Transfer>,
    /// The archive that was named, unless it is a configuration directory's own.
    named: Option<PathBuf>,
}

/// The archive that a session of `config_dir` goes to unless another is given: `<config_dir>/archive`.
#[must_use]
pub fn archive_directory(config_dir: &Path) -> PathBuf {
    config_dir.join("archive")
}

/// Plans to move sessions into `archive`, else into their own config directory's; `Archive` in the reference implementation.
///
/// A session that is archived already is no error. Changes nothing.
pub fn plan_archive(
    yard: &Yard<'_>,
    survey: &Survey<'_>,
    requests: &[ArchiveRequest],
    archive: Option<&Path>,
    vouched: &Vouched,
) -> Result<ArchivePlan, ArchiveError> {
    if let Some(archive) = archive {
        refuse_inside_projects(survey, archive)?;
    }
    let operation = yard.new_operation()?;
    let mut planning = Planning {
        yard,
        survey,
        archive,
        vouched,
        filling: Filling::new(yard, &operation),
        operation: &operation,
        items: Vec::new(),
        refused: Vec::new(),
        transfers: Vec::new(),
    };
    let sessions = planning.resolve(requests)?;
    let mut found = footprints(survey.config_dirs, survey.projects, sessions.iter().copied());
    for session in sessions {
        match planning.add(session, &mut found) {
            Ok(()) => {}
            Err(error) => planning.refused.push((session.into(), error)),
        }
    }
    let Planning {
        items,
        refused,
        transfers,
        ..
    } = planning;
    let is_own = |archive: &&Path| {
        let mut config_dirs = survey.config_dirs.iter();
        config_dirs.any(|config_dir| archive_directory(&config_dir.path) == **archive)
    };
    Ok(ArchivePlan {
        items,
        refused,
        operation,
        transfers,
        named: archive.filter(|archive| !is_own(archive)).map(Path::to_path_buf),
    })
}

fn refuse_inside_projects(survey: &Survey<'_>, archive: &Path) -> Result<(), ArchiveError> {
    let existing = archive.ancestors().find(|path| path.exists()).unwrap_or(archive);
    let real = existing.canonicalize().unwrap_or_else(|_| existing.to_path_buf());
    let mut roots = survey
        .projects
        .roots
        .iter()
        .flat_map(|root| std::iter::once(&root.path).chain(&root.aliases));
    if roots.any(|root| real.starts_with(root) || archive.starts_with(root)) {
        return Err(ArchiveError::InsideProjects(archive.to_path_buf()));
    }
    Ok(())
}

struct Planning<'a> {
    yard: &'a Yard<'a>,
    survey: &'a Survey<'a>,
    archive: Option<&'a Path>,
    vouched: &'a Vouched,
    filling: Filling<'a>,
    operation: &'a OperationId,
    items: Vec<ArchiveItem>,
    refused: Vec<(ItemId, ItemError)>,
    transfers: Vec<Transfer>,
}

impl Planning<'_> {
    /// The archives in which a session may lie already.
    fn archives(&self) -> impl Iterator<Item = &Path> {
        self.archive
            .into_iter()
            .chain(self.survey.archives.iter().map(PathBuf::as_path))
    }

    fn resolve(&self, requests: &[ArchiveRequest]) -> Result<Vec<SessionId>, ArchiveError> {
        let mut known: Vec<ItemId> = self.survey.by_session().into_keys().map(ItemId::from).collect();
        for archive in self.archives() {
            // One that can't be listed makes nothing archived; the session itself may still be found.
            known.extend(
                super::list_archive(archive)
                    .unwrap_or_default()
                    .into_iter()
                    .map(ItemId::from),
            );
        }
        let mut sessions = Vec::new();
        for request in requests {
            let session = match request {
                ArchiveRequest::Path(path) => self.session_of(path)?,
                ArchiveRequest::Id(text) => match address(text, &known) {
                    Addressed::One(ItemId::Session(session)) => session,
                    Addressed::Several(matches) => {
                        return Err(ArchiveError::Ambiguous {
                            prefix: text.clone(),
                            matches: matches.iter().map(ToString::to_string).collect(),
                        });
                    }
                    _ => return Err(ArchiveError::NotFound(text.clone())),
                },
            };
            if !sessions.contains(&session) {
                sessions.push(session);
            }
        }
        Ok(sessions)
    }

    /// The session whose transcript `path` is, in the projects tree or in an archive, now or before it was archived.
    fn session_of(&self, path: &Path) -> Result<SessionId, ArchiveError> {
        let refused = || ArchiveError::NoTranscript(path.to_path_buf());
        let stem = path
            .file_stem()
            .filter(|_| path.extension().is_some_and(|extension| extension == "jsonl"));
        let session = SessionId::from_bytes(stem.ok_or_else(refused)?.as_encoded_bytes()).ok_or_else(refused)?;
        let real = |path: &Path| path.parent().and_then(|parent| parent.canonicalize().ok());
        let transcripts = self.survey.projects.transcripts_of(&session);
        let is_known = transcripts
            .iter()
            .any(|file| file.path == path || real(&file.path) == real(path));
        let is_archived = self
            .archives()
            .any(|archive| matches!(archived(archive, session), Ok(Some(_))));
        if is_known || is_archived {
            Ok(session)
        } else {
            Err(refused())
        }
    }

    fn add(&mut self, session: SessionId, found: &mut Footprints) -> Result<(), ItemError> {
        let files = self.survey.projects.transcripts_of(&session);
        let Some(main) = files.first() else {
            return self.add_archived(session);
        };
        if let Some(link) = files.iter().find(|file| file.is_symlink) {
            return Err(ItemError::SymlinkedTranscript(link.path.clone()));
        }
        let config_dir = &self.survey.config_dirs[main.config_dir].path;
        let archive = self
            .archive
            .map_or_else(|| archive_directory(config_dir), Path::to_path_buf);
        let to = transcript_path(&archive, &session);
        let transcripts = files.iter().map(|file| file.path.as_path());
        let mut belongings = belongings(session.into(), config_dir, of_present(found, &session, transcripts)?)?;
        belongings.vouched = self.vouched.contains(&session);
        belongings.facts = self.survey.facts.facts(Some(&session), &main.path).unwrap_or_default();
        gate_error(self.yard.gate, &session, belongings.vouched)?;

        let is_archived = to.symlink_metadata().is_ok();
        if is_archived && files.iter().all(|file| is_stub(&file.path)) {
            self.push(session, to, &belongings, true);
            let transfer = self.filling.add(&belongings, OperationKind::Tidy);
            self.transfers.push(transfer);
            return Ok(());
        }
        for other in &files[1..] {
            if relation(&main.path, &other.path).map_err(ItemError::look(&other.path))? != Relation::Same {
                return Err(two_copies(main, other));
            }
        }
        if is_archived && relation(&main.path, &to).map_err(ItemError::look(&to))? != Relation::Same {
            return Err(ItemError::Occupied {
                from: main.path.clone(),
                to,
            });
        }
        let transfer = self.transfer(session, &archive, &main.path, &belongings);
        self.push(session, to, &belongings, false);
        self.transfers.push(transfer);
        Ok(())
    }

    fn add_archived(&mut self, session: SessionId) -> Result<(), ItemError> {
        for archive in self.survey.archives.iter().map(PathBuf::as_path).chain(self.archive) {
            if let Some(there) = archived(archive, session)? {
                self.items.push(ArchiveItem {
                    session,
                    to: there.transcript,
                    from: Vec::new(),
                    files: 0,
                    bytes: 0,
                    facts: SessionFacts::default(),
                    is_stub: false,
                });
                return Ok(());
            }
        }
        Err(ItemError::Gone)
    }

    fn push(&mut self, session: SessionId, to: PathBuf, belongings: &Belongings, is_stub: bool) {
        self.items.push(ArchiveItem {
            session,
            to,
            from: belongings.parts.iter().map(|part| part.path.clone()).collect(),
            files: belongings.files(),
            bytes: belongings.bytes(),
            facts: belongings.facts.clone(),
            is_stub,
        });
    }

    fn transfer(&self, session: SessionId, archive: &Path, main: &Path, belongings: &Belongings) -> Transfer {
        let place = |path: &Path| stored(&session, &belongings.base, main, path);
        let entries = belongings.parts.iter().map(|part| ManifestEntry {
            origin: StoredPath(part.path.clone()),
            stored: StoredPath(place(&part.path)),
            kind: part.tree.top().map_or(ManifestKind::Other, |top| top.kind.into()),
        });
        let manifest = Manifest {
            manifest_version: MANIFEST_VERSION,
            at: timestamp(self.yard.clock.now_ms()),
            operation: self.operation.clone(),
            kind: OperationKind::Archive,
            id: session.to_string(),
            base: StoredPath(belongings.base.clone()),
            title: belongings.facts.title.clone(),
            directory: belongings.facts.directory.clone().map(StoredPath),
            bytes: belongings.bytes(),
            files: belongings.files(),
            entries: entries.collect(),
            parents: parents(&belongings.parts, &belongings.base)
                .iter()
                .map(ManifestParent::from)
                .collect(),
        };
        let moves = belongings.parts.iter().map(|part| Move {
            from: part.path.clone(),
            to: archive.join(place(&part.path)),
            seen: part.tree.clone(),
            refresh: false,
        });
        Transfer {
            id: session.into(),
            kind: OperationKind::Archive,
            moves: moves.collect(),
            prune: belongings.prune.clone(),
            parents: Vec::new(),
            tombstoned: None,
            manifest: Some(ManifestPlace::ArchiveFile(manifest_path(archive, &session), manifest)),
            archive: None,
            generation: None,
            discard: false,
            involves: Vec::new(),
            known: Vec::new(),
            absent: Vec::new(),
            gated: true,
            vouched: belongings.vouched,
            main: Some(transcript_path(archive, &session)),
        }
    }
}

fn two_copies(one: &TranscriptFile, other: &TranscriptFile) -> ItemError {
    ItemError::TwoContents {
        one: one.path.clone(),
        other: other.path.clone(),
    }
}

impl ArchivePlan {
    /// Moves what the plan shows. What is archived already is a success with its path.
    pub fn apply(self, yard: &Yard<'_>, survey: &Survey<'_>) -> Result<Applied, YardError> {
        self.apply_as(yard, survey, None)
    }

    pub(crate) fn apply_as(
        self,
        yard: &Yard<'_>,
        survey: &Survey<'_>,
        undoes: Option<OperationId>,
    ) -> Result<Applied, YardError> {
        let ground = ClaudeGround {
            config_dirs: survey.config_dirs,
        };
        let operation = Operation {
            id: Some(self.operation),
            undoes,
            ground: Some(&ground),
            archive: self.named,
        };
        let mut applied = run(yard, operation, self.transfers)?;
        for (place, item) in self.items.into_iter().enumerate() {
            if item.from.is_empty() {
                let result = ItemResult {
                    id: item.session.into(),
                    outcome: Outcome::AlreadyDone,
                    path: Some(item.to),
                    notes: Vec::new(),
                };
                applied.items.insert(place.min(applied.items.len()), result);
            } else if item.is_stub
                && let Some(result) = applied.items.get_mut(place)
            {
                // What is archived is the session; what was moved is what a client left behind.
                let moved = result.path.replace(item.to);
                result
                    .notes
                    .extend(moved.map(|path| format!("what a client left under its id lies in `{}`", path.display())));
            }
        }
        Ok(applied)
    }
}
