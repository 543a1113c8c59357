//! Laying out what goes into the trash.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sexton_sys::FileTime;

use super::{MANIFEST, root_for};
use crate::facts::SessionFacts;
use crate::item::ItemId;
use crate::journal::{OperationId, OperationKind, timestamp};
use crate::manifest::{MANIFEST_VERSION, Manifest, ManifestEntry, ManifestKind, ManifestParent};
use crate::stored_path::StoredPath;
use crate::transfer::{ManifestPlace, Move, Parent, Transfer};
use crate::tree::Tree;
use crate::yard::Yard;

/// One path of a session, as it was seen.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) path: PathBuf,
    pub(crate) tree: Tree,
}

/// Everything of one item.
#[derive(Debug, Clone)]
pub(crate) struct Belongings {
    pub(crate) id: ItemId,
    /// The config directory or archive that `parts` lie below.
    pub(crate) base: PathBuf,
    /// Main files first.
    pub(crate) parts: Vec<Part>,
    /// Directories that are removed if they are left with nothing at all in them.
    pub(crate) prune: Vec<PathBuf>,
    pub(crate) facts: SessionFacts,
    pub(crate) vouched: bool,
}

impl Belongings {
    pub(crate) fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.tree.bytes()).sum()
    }

    pub(crate) fn files(&self) -> u64 {
        self.parts.iter().map(|part| part.tree.files()).sum()
    }
}

/// The generations that one operation fills: one for each base.
pub(crate) struct Filling<'a> {
    yard: &'a Yard<'a>,
    operation: &'a OperationId,
    at: String,
    generations: BTreeMap<PathBuf, PathBuf>,
}

impl<'a> Filling<'a> {
    pub(crate) fn new(yard: &'a Yard<'a>, operation: &'a OperationId) -> Self {
        Self {
            yard,
            operation,
            at: timestamp(yard.clock.now_ms()),
            generations: BTreeMap::new(),
        }
    }

    /// Lays out one item: where each of its paths goes, and the manifest line that tells where it was.
    pub(crate) fn add(&mut self, belongings: &Belongings, kind: OperationKind) -> Transfer {
        let generation = self.generation(belongings);
        let mut taken = BTreeSet::new();
        let mut moves = Vec::new();
        let mut entries = Vec::new();
        for part in &belongings.parts {
            let stored = stored(belongings, &part.path, &mut taken);
            entries.push(ManifestEntry {
                origin: StoredPath(part.path.clone()),
                stored: StoredPath(stored.clone()),
                kind: part.tree.top().map_or(ManifestKind::Other, |top| top.kind.into()),
            });
            moves.push(Move {
                from: part.path.clone(),
                to: generation.join(stored),
                seen: part.tree.clone(),
                refresh: false,
            });
        }
        let manifest = Manifest {
            manifest_version: MANIFEST_VERSION,
            at: self.at.clone(),
            operation: self.operation.clone(),
            kind,
            id: belongings.id.as_str().to_owned(),
            base: StoredPath(belongings.base.clone()),
            title: belongings.facts.title.clone(),
            directory: belongings.facts.directory.clone().map(StoredPath),
            bytes: belongings.bytes(),
            files: belongings.files(),
            entries,
            parents: parents(&belongings.parts, &belongings.base)
                .iter()
                .map(ManifestParent::from)
                .collect(),
        };
        Transfer {
            id: belongings.id.clone(),
            kind,
            main: moves.first().map(|mv| mv.to.clone()),
            moves,
            prune: belongings.prune.clone(),
            parents: Vec::new(),
            tombstoned: (kind == OperationKind::Delete).then_some(true),
            manifest: Some(ManifestPlace::TrashLine(generation.join(MANIFEST), manifest)),
            archive: None,
            generation: None,
            discard: false,
            involves: Vec::new(),
            known: Vec::new(),
            absent: Vec::new(),
            gated: true,
            vouched: belongings.vouched,
        }
    }

    fn generation(&mut self, belongings: &Belongings) -> PathBuf {
        let device = belongings
            .parts
            .first()
            .and_then(|part| part.tree.top())
            .map_or(0, |top| top.identity.device);
        let number = self.generations.len();
        let operation = self.operation;
        let data = &self.yard.data;
        self.generations
            .entry(belongings.base.clone())
            .or_insert_with(|| {
                let name = match number {
                    0 => operation.to_string(),
                    more => format!("{operation}-{}", more + 1),
                };
                root_for(data, &belongings.base, device).join(name)
            })
            .clone()
    }
}

/// `tree/<path below the base>`, or, for what lies elsewhere, `along/<id>/<name>` with a number if that is taken.
fn stored(belongings: &Belongings, path: &Path, taken: &mut BTreeSet<PathBuf>) -> PathBuf {
    if let Ok(relative) = path.strip_prefix(&belongings.base) {
        return Path::new("tree").join(relative);
    }
    let directory = Path::new("along").join(belongings.id.as_str());
    let name = path.file_name().unwrap_or_default();
    let mut stored = directory.join(name);
    for number in 2.. {
        if taken.insert(stored.clone()) {
            break;
        }
        let mut numbered = name.to_owned();
        numbered.push(format!("-{number}"));
        stored = directory.join(numbered);
    }
    stored
}

/// The directories between the base and the parts, as they are: one of them may be gone when the session comes back.
pub(crate) fn parents(parts: &[Part], base: &Path) -> Vec<Parent> {
    let mut seen = BTreeSet::new();
    let above = parts.iter().filter_map(|part| part.path.parent());
    for directory in above
        .flat_map(Path::ancestors)
        .filter(|path| path.starts_with(base) && *path != base)
    {
        seen.insert(directory.to_path_buf());
    }
    seen.into_iter()
        .filter_map(|path| {
            let metadata = path.metadata().ok().filter(std::fs::Metadata::is_dir)?;
            Some(Parent {
                path,
                mode: metadata.mode() & 0o7777,
                modified: FileTime::modified(&metadata),
            })
        })
        .collect()
}
