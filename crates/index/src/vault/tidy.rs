//! Keeping a session's directory small: packs that nothing names are removed, half-empty ones rewritten.

use std::collections::{BTreeMap, BTreeSet};

use sexton_sys::Effects;

use super::manifest::{Content, Manifest};
use super::pack::{self, PackWriter};
use super::{Vault, VaultError};

/// More packs than this are put together: each take of a growing transcript adds one.
const MOST_PACKS: usize = 32;

/// So many bytes that are of no use any more are left alone, whatever their share.
const LITTLE: u64 = 4 * 1024 * 1024;

impl Vault {
    /// Removes what the manifest on disk, `manifest`, doesn't need; the lock is held.
    pub(super) fn tidy(&self, effects: &Effects, mut manifest: Manifest) -> Result<(), VaultError> {
        let directory = self.session_directory(manifest.session);
        let mut live: BTreeMap<u64, u64> = BTreeMap::new();
        for chunk in manifest.chunks() {
            *live.entry(chunk.pack).or_default() += chunk.stored;
        }
        let size = |number: &u64| {
            pack::path(&directory, *number)
                .metadata()
                .map_or(0, |found| found.len())
        };
        let stored: u64 = live.keys().map(size).sum();
        let dead = stored.saturating_sub(live.values().sum());
        if live.len() > MOST_PACKS || (dead > LITTLE && dead * 2 > stored) {
            // A copy with a damaged frame is left as it is, for `verify` to tell.
            let Ok(Some(rewritten)) = self.rewrite(effects, &manifest) else {
                return Ok(());
            };
            manifest = rewritten;
            self.write(effects, &manifest)?;
        }
        let named: BTreeSet<u64> = manifest.chunks().map(|chunk| chunk.pack).collect();
        for number in pack::numbers(&directory)?.difference(&named) {
            effects.remove_file(&pack::path(&directory, *number))?;
        }
        for path in pack::half_written(&directory)? {
            effects.remove_file(&path)?;
        }
        Ok(())
    }

    /// The same manifest with all frames in new packs, written; `None` if a frame can't be read.
    fn rewrite(&self, effects: &Effects, manifest: &Manifest) -> Result<Option<Manifest>, VaultError> {
        let directory = self.session_directory(manifest.session);
        let mut manifest = manifest.clone();
        let mut writer = PackWriter::new(effects, &directory)?;
        for entry in manifest.entries.iter_mut().chain(&mut manifest.earlier) {
            let Content::File(file) = &mut entry.content else {
                continue;
            };
            for chunk in &mut file.chunks {
                let Ok(frame) = pack::read_frame(&directory, chunk) else {
                    return Ok(None);
                };
                *chunk = writer.add_frame(&frame, chunk)?;
            }
        }
        writer.flush()?;
        Ok(Some(manifest))
    }
}
