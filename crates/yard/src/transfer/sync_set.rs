//! The directories and files that still want a sync, so that a batch pays once for each.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sexton_sys::{Durability, EffectError, Effects};

/// From this many paths on one device, its file system is synced as a whole: that costs about as much as a few files do, though it may
/// have to write what other programs left behind.
const MANY: usize = 32;

/// What has been changed with [`Durability::Buffered`].
#[derive(Debug, Default)]
pub(crate) struct SyncSet {
    paths: BTreeSet<PathBuf>,
}

impl SyncSet {
    /// Remembers a file or directory.
    pub(crate) fn add(&mut self, path: &Path) {
        if !self.paths.contains(path) {
            self.paths.insert(path.to_path_buf());
        }
    }

    /// Remembers the directory that holds `path`.
    pub(crate) fn add_parent(&mut self, path: &Path) {
        if let Some(parent) = path.parent() {
            self.add(parent);
        }
    }

    /// Makes `directory` and what is missing above it, and remembers where that left a name.
    pub(crate) fn create_directory(&mut self, effects: &Effects, directory: &Path) -> Result<(), EffectError> {
        let missing = directory.ancestors().take_while(|ancestor| !ancestor.is_dir());
        for path in missing {
            self.add_parent(path);
        }
        effects.create_directory_with(directory, Durability::Buffered)
    }

    /// Syncs everything remembered and forgets it. What is gone by now needs none.
    pub(crate) fn flush(&mut self, effects: &Effects) -> Result<(), EffectError> {
        let mut devices: BTreeMap<u64, Vec<PathBuf>> = BTreeMap::new();
        for path in std::mem::take(&mut self.paths) {
            if let Ok(metadata) = path.metadata() {
                devices.entry(metadata.dev()).or_default().push(path);
            }
        }
        for paths in devices.values() {
            match paths.first() {
                Some(first) if paths.len() >= MANY => effects.sync_filesystem(first)?,
                _ => paths.iter().try_for_each(|path| effects.sync(path))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use sexton_sys::{Fault, FaultPlan};

    use super::*;

    #[test]
    fn few_paths_are_synced_each_and_many_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let steps = |count: usize| {
            let effects = Effects::apply();
            let mut set = SyncSet::default();
            for index in 0..count {
                let path = directory.path().join(index.to_string());
                effects.create_directory(&path).unwrap();
                set.add(&path);
                set.add(&path);
            }
            set.add(&directory.path().join("gone"));
            let counting = Effects::faulty(FaultPlan::count_only());
            set.flush(&counting).unwrap();
            counting.steps_taken()
        };
        assert_eq!((steps(3), steps(MANY)), (3, 1));
    }

    #[test]
    fn a_new_directory_wants_its_parents_synced() {
        let directory = tempfile::tempdir().unwrap();
        let mut set = SyncSet::default();
        set.create_directory(&Effects::apply(), &directory.path().join("a/b"))
            .unwrap();
        let wanted: Vec<PathBuf> = set.paths.iter().cloned().collect();
        assert_eq!(wanted, [directory.path().to_path_buf(), directory.path().join("a")]);
        set.flush(&Effects::faulty(FaultPlan::new(1, Fault::Stop))).unwrap_err();
    }
}
