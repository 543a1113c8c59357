//! A pass that finds everything as the last one left it.
//!
//! To compare thousands of stored files with what was seen takes as long as to see them. So a pass that compared and found nothing to do
//! writes down a sum of what it had seen. As long as the next ones see the same, and nothing was written to the catalogue in between, they
//! would find nothing either, and need not compare. Every transaction that touches files or sessions strikes the sum out.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use blake3::Hasher;
use rusqlite::Connection;
use sexton_claude::projects::Listed;
use sexton_register::SessionId;
use sexton_yard::tombstones::Tombstones;

use super::survey::Survey;
use super::writer::{set_setting, setting};
use crate::catalogue::{FileRole, PATIENCE, Snapshot};

const NAME: &str = "settled";

/// A sum of all that decides what a pass does, but for the catalogue and the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen(i64);

impl Seen {
    pub(super) fn of(survey: &Survey, tombstones: &Tombstones, archived: &BTreeMap<SessionId, PathBuf>) -> Self {
        /// So much at once is taken into the sum.
        const AT_ONCE: usize = 64 * 1024;
        let mut hasher = Hasher::new();
        let mut bytes = Vec::with_capacity(2 * AT_ONCE);
        for seen in &survey.files {
            if bytes.len() > AT_ONCE {
                hasher.update(&bytes);
                bytes.clear();
            }
            let identity = &seen.identity;
            bytes.push(match seen.role {
                FileRole::Transcript => 0,
                FileRole::Subagent => 1,
            });
            bytes.extend(seen.session.as_str().as_bytes());
            for number in [identity.device, identity.inode, identity.size] {
                bytes.extend(number.to_le_bytes());
            }
            bytes.extend(identity.modified.seconds.to_le_bytes());
            bytes.extend(identity.modified.nanoseconds.to_le_bytes());
            add_path(&mut bytes, &seen.path);
        }
        // What was listed decides what counts as gone.
        for (path, _) in &survey.problems {
            add_path(&mut bytes, path);
        }
        let roots = survey.listing.roots.iter();
        let roots = roots.flat_map(|root| {
            let names = std::iter::once(&root.path).chain(&root.aliases);
            names.map(|path| (path, &root.listed))
        });
        let directories = survey.listing.directories.iter();
        let directories = directories.map(|directory| (&directory.path, &directory.listed));
        for (path, listed) in roots.chain(directories) {
            bytes.push(match listed {
                Listed::Yes => 0,
                Listed::Absent => 1,
                Listed::Failed(_) => 2,
            });
            add_path(&mut bytes, path);
        }
        // The places of what is archived are far fewer than files.
        for path in archived.values() {
            add_path(&mut bytes, path);
        }
        hasher.update(&bytes);
        for id in tombstones.iter() {
            hasher.update(id.as_bytes());
            hasher.update(b"\n");
        }
        let mut sum = [0; size_of::<i64>()];
        hasher.finalize_xof().fill(&mut sum);
        Self(i64::from_le_bytes(sum))
    }

    /// Whether nothing was to be done when this was seen the last time, and the catalogue is still the one of then.
    pub(super) fn is_settled(self, connection: &Connection) -> rusqlite::Result<bool> {
        Ok(setting(connection, NAME)? == Some(self.0))
    }

    /// Writes down that there is nothing to do, in the very transaction in which that was found out.
    ///
    /// It is left to another pass if somebody else writes now or has written since, or if there is no room: nobody waits for this, and
    /// nothing fails for want of it.
    pub(super) fn settle(self, connection: &Connection, snapshot: Snapshot<'_>) -> rusqlite::Result<()> {
        connection.busy_timeout(Duration::ZERO)?;
        if set_setting(connection, NAME, self.0).is_ok() {
            let _ = snapshot.commit();
        }
        connection.busy_timeout(PATIENCE)
    }
}

fn add_path(bytes: &mut Vec<u8>, path: &Path) {
    bytes.extend(path.as_os_str().as_bytes());
    // In no path.
    bytes.push(0);
}

/// Files or sessions of the catalogue change.
pub(crate) fn unsettle(connection: &Connection) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM setting WHERE name = ?1")?
        .execute([NAME])
        .map(|_| ())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test arranges files directly")]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use sexton_claude::config_dirs::{ConfigDirectory, Origin};

    use super::super::survey::survey;
    use super::*;

    #[test]
    fn the_name_by_which_a_place_was_looked_at_counts() {
        let directory = tempfile::tempdir().unwrap();
        let real = directory.path().join("real");
        fs::create_dir_all(real.join("projects")).unwrap();
        // What the catalogue has below the one name is gone when that was looked at, and only then.
        let seen = |name: &str| {
            let path = directory.path().join(name);
            symlink(&real, &path).unwrap();
            let origin = Origin::Option;
            let config_dir = ConfigDirectory {
                path,
                real: real.clone(),
                origin,
            };
            Seen::of(&survey(&[config_dir]), &Tombstones::default(), &BTreeMap::new())
        };
        assert_ne!(seen("one"), seen("other"));
    }
}
