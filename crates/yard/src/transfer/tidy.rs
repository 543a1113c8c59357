//! What is left when things have moved: empty directories, manifests that list nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use sexton_sys::{Durability, EffectError, Effects, FileIdentity, listing};

use super::bring::{exists, walk_of};
use super::{ManifestPlace, SyncSet, Transfer};
use crate::archive::{manifest_path, tidy_archive};
use crate::item::{ItemError, ItemId};
use crate::journal::{Intent, OperationId, OperationKind};
use crate::trash::tidy_generation;
use crate::tree::remove_as_seen;
use crate::yard::Yard;

/// Places out of which something was taken, or into which something did not come.
#[derive(Debug, Default)]
pub(crate) struct Emptied {
    directories: BTreeSet<PathBuf>,
    generations: BTreeSet<PathBuf>,
    /// With the operation that wrote it, if that only prepared what did not come.
    archive_manifests: BTreeMap<PathBuf, Option<OperationId>>,
}

impl Emptied {
    /// What an item leaves behind when it has gone.
    pub(super) fn by_going(&mut self, transfer: &Transfer) {
        // What is discarded is still in its directory.
        self.directories
            .extend(transfer.prune.iter().filter(|_| !transfer.discard).cloned());
        self.generations.extend(transfer.generation.clone());
        let manifest = transfer.archive.as_ref().zip(transfer.id.session());
        self.archive_manifests
            .extend(manifest.map(|(archive, session)| (manifest_path(archive, session), None)));
    }

    /// What was prepared for an item that stays.
    pub(super) fn by_staying(&mut self, transfer: &Transfer) {
        self.directories
            .extend(transfer.prune.iter().filter(|_| transfer.discard).cloned());
        match &transfer.manifest {
            Some(ManifestPlace::TrashLine(path, _)) => self.generations.extend(path.parent().map(Path::to_path_buf)),
            Some(ManifestPlace::ArchiveFile(path, manifest)) => {
                let operation = manifest.operation.clone();
                self.archive_manifests.insert(path.clone(), Some(operation));
            }
            None => {}
        }
    }

    /// As [`Emptied::by_going`], for an item of the journal.
    pub(crate) fn by_going_recorded(&mut self, intent: &Intent) {
        self.directories.extend(
            intent
                .prune
                .iter()
                .filter(|_| !intent.discard)
                .map(|path| path.0.clone()),
        );
        self.generations
            .extend(intent.generation.as_ref().map(|path| path.0.clone()));
        let id = ItemId::of_stem(&intent.id);
        let manifest = intent.archive.as_ref().zip(id.session());
        self.archive_manifests
            .extend(manifest.map(|(archive, session)| (manifest_path(&archive.0, session), None)));
    }

    /// As [`Emptied::by_staying`], for an item of the journal.
    pub(crate) fn by_staying_recorded(&mut self, intent: &Intent, operation: &OperationId) {
        self.directories.extend(
            intent
                .prune
                .iter()
                .filter(|_| intent.discard)
                .map(|path| path.0.clone()),
        );
        let Some(manifest) = &intent.manifest else { return };
        if intent.kind == OperationKind::Archive {
            self.archive_manifests
                .insert(manifest.0.clone(), Some(operation.clone()));
        } else {
            self.generations.extend(manifest.0.parent().map(Path::to_path_buf));
        }
    }

    /// Removes what holds nothing; gives what could not be removed.
    pub(crate) fn tidy(&self, yard: &Yard<'_>, syncs: &mut SyncSet) -> Vec<String> {
        let mut problems = Vec::new();
        let mut note = |result: Result<(), ItemError>| problems.extend(result.err().map(|error| error.to_string()));
        // What lies in one of them comes before it.
        for directory in self.directories.iter().rev() {
            note(prune_empty(yard.effects, directory, syncs).map_err(ItemError::from));
        }
        for generation in &self.generations {
            note(tidy_generation(yard.effects, generation, syncs));
        }
        for (manifest, of) in &self.archive_manifests {
            note(tidy_archive(yard.effects, manifest, of.as_ref(), syncs));
        }
        problems
    }
}

/// Removes `directory` if it is one, not a link to one, and holds nothing at all.
pub(crate) fn prune_empty(effects: &Effects, directory: &Path, syncs: &mut SyncSet) -> Result<(), EffectError> {
    let is_directory = directory.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    if !is_directory || !listing::list(directory).is_ok_and(|names| names.is_empty()) {
        return Ok(());
    }
    match effects.remove_directory_with(directory, Durability::Buffered) {
        Err(error) if error.is_not_found() || error.kind() == Some(std::io::ErrorKind::DirectoryNotEmpty) => Ok(()),
        Err(error) => Err(error),
        Ok(()) => {
            syncs.add_parent(directory);
            Ok(())
        }
    }
}

/// Removes what lies at `path` for good, if it is what was `seen` there, and then the directory that held it if it is empty.
pub(crate) fn discard(
    effects: &Effects,
    path: &Path,
    seen: Option<&FileIdentity>,
    syncs: &mut SyncSet,
) -> Result<(), ItemError> {
    if exists(path)? {
        let tree = walk_of(path, seen)?;
        syncs.add_parent(path);
        remove_as_seen(effects, path, &tree)?;
    }
    path.parent()
        .map_or(Ok(()), |parent| Ok(prune_empty(effects, parent, syncs)?))
}
