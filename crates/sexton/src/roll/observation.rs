//! What the machine shows right now: every registry record, checked against the kernel.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use sexton_claude::config_dirs::{ConfigDirectories, ConfigDirectory, Origin};
use sexton_claude::registry::{Observed, RegistryScan, SkippedFile, observe_all, read_registry};
use sexton_register::{SessionId, SessionLifecycle};
use sexton_sys::process::{self, Existence, own_pid_domain};

/// One look at the live registries of all configuration directories.
#[derive(Debug, Default)]
pub struct Observation {
    /// Every record of every registry, with what the kernel says about its process.
    pub observed: Vec<Observed>,
    /// Each registry that could be listed.
    pub registries: Vec<Registry>,
    /// Registries that could not be listed, as sentences.
    pub problems: Vec<String>,
    /// Their configuration directories, by real path: nothing may be concluded about the sessions that run there.
    unreadable: BTreeSet<PathBuf>,
    /// The pids of living processes whose records could not be read, half written as they may be: nor about their sessions.
    unread: BTreeSet<u32>,
}

/// The registry of one configuration directory.
#[derive(Debug)]
pub struct Registry {
    /// The configuration directory, as it was named.
    pub config_dir: PathBuf,
    /// Its files; the records themselves have moved to [`Observation::observed`].
    pub scan: RegistryScan,
    /// Which of the observed records are its own.
    pub range: Range<usize>,
}

/// The configuration directories whose registries count: `known`, and every one that an unended beginning in `lifecycles` names.
///
/// Without the latter, a session under a profile that we don't know would be called crashed, or moved while it runs.
pub fn registry_directories<'a>(
    known: &ConfigDirectories,
    lifecycles: impl IntoIterator<Item = &'a SessionLifecycle>,
) -> Vec<ConfigDirectory> {
    let mut directories = known.as_slice().to_vec();
    let mut recorded = ConfigDirectories::default();
    // Few, of many sessions: each is walked to once.
    let named: BTreeSet<&Path> = lifecycles.into_iter().filter_map(unended_config_dir).collect();
    for config_dir in named {
        // One that is gone has no processes to show.
        let _ = recorded.add(config_dir, Origin::Recorded);
    }
    for directory in &recorded {
        if directories.iter().all(|known| known.real != directory.real) {
            directories.push(directory.clone());
        }
    }
    directories
}

/// Looks at the registries of all [`registry_directories`].
pub fn observe<'a>(
    known: &ConfigDirectories,
    lifecycles: impl IntoIterator<Item = &'a SessionLifecycle>,
) -> Observation {
    let own = own_pid_domain();
    let mut observation = Observation::default();
    for ConfigDirectory {
        path: config_dir, real, ..
    } in registry_directories(known, lifecycles)
    {
        match read_registry(&config_dir) {
            Ok(mut scan) => {
                let before = observation.observed.len();
                observation
                    .observed
                    .extend(observe_all(std::mem::take(&mut scan.records), own.as_ref()));
                let range = before..observation.observed.len();
                observation.unread.extend(living_without_record(&scan));
                observation.registries.push(Registry {
                    config_dir,
                    scan,
                    range,
                });
            }
            Err(error) => {
                observation.problems.push(error.to_string());
                observation.unreadable.insert(real);
            }
        }
    }
    observation
}

impl Observation {
    /// The sessions that a sweep must leave alone: their process lives, or can't be judged from here.
    #[must_use]
    pub fn live_sessions<'a>(&self, lifecycles: impl IntoIterator<Item = &'a SessionLifecycle>) -> BTreeSet<SessionId> {
        let shown = self
            .observed
            .iter()
            .filter(|observed| !observed.liveness.is_dead())
            .map(|observed| observed.record.session);
        let is_unreadable = |lifecycle| {
            let real = unended_config_dir(lifecycle).and_then(|path| path.canonicalize().ok());
            real.is_some_and(|real| self.unreadable.contains(&real))
        };
        let is_unread = |lifecycle: &SessionLifecycle| {
            let pid = lifecycle.started.as_ref().and_then(|started| started.kind.pid);
            pid.is_some_and(|pid| u32::try_from(pid).is_ok_and(|pid| self.unread.contains(&pid)))
        };
        // Mostly there is nothing of the kind, and no session need be asked.
        let hidden = lifecycles.into_iter().filter(|lifecycle| {
            (!self.unreadable.is_empty() && is_unreadable(lifecycle))
                || (!self.unread.is_empty() && is_unread(lifecycle))
        });
        shown.chain(hidden.map(|lifecycle| lifecycle.session)).collect()
    }
}

/// The pids that are the names of files without a record, and that a process has.
fn living_without_record(scan: &RegistryScan) -> impl Iterator<Item = u32> {
    let named = |file: &SkippedFile| file.path.file_stem()?.to_str()?.parse().ok();
    scan.skipped
        .iter()
        .filter_map(named)
        .filter(|pid| process::observe(*pid).existence != Existence::Missing)
}

/// The configuration directory of a session that began and has not ended.
fn unended_config_dir(lifecycle: &SessionLifecycle) -> Option<&Path> {
    let started = lifecycle.started.as_ref().filter(|_| lifecycle.ended.is_none())?;
    Some(Path::new(started.kind.config_dir.as_str()))
}
