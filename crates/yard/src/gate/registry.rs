//! The gate that asks Claude Code's live registry and the kernel.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use sexton_claude::registry::{Liveness, RegistryRecord, observe, read_record};
use sexton_register::SessionId;
use sexton_sys::process::{PidDomain, own_pid_domain};
use sexton_sys::{FileIdentity, listing};

use super::{Gate, Verdict};

/// Looks through the registries of these config directories at every question.
///
/// A record is read again only if its file changed, so that a question costs one stat a record and, for the session asked about, one
/// look at its process.
#[derive(Debug)]
pub struct RegistryGate {
    config_dirs: Vec<PathBuf>,
    own_domain: Option<PidDomain>,
    seen: RefCell<HashMap<PathBuf, Seen>>,
}

#[derive(Debug)]
struct Seen {
    identity: FileIdentity,
    record: Option<RegistryRecord>,
}

impl RegistryGate {
    /// A gate over `config_dirs`: every known one, and every one that an unended `started` event names.
    #[must_use]
    pub fn new(config_dirs: Vec<PathBuf>) -> Self {
        Self {
            config_dirs,
            own_domain: own_pid_domain(),
            seen: RefCell::default(),
        }
    }

    fn record(&self, path: PathBuf) -> Option<RegistryRecord> {
        let identity = FileIdentity::at(&path).ok()?;
        let mut seen = self.seen.borrow_mut();
        match seen.get(&path) {
            Some(known) if known.identity == identity && known.record.is_some() => known.record.clone(),
            _ => {
                let record = read_record(&path).ok();
                let result = record.clone();
                seen.insert(path, Seen { identity, record });
                result
            }
        }
    }

    fn records(&self, config_dir: &Path) -> Result<Vec<RegistryRecord>, String> {
        let directory = config_dir.join("sessions");
        let entries = listing::list_if_present(&directory)
            .map_err(|error| format!("the live registry `{}` can't be read: {error}", directory.display()))?;
        let records = entries.into_iter().filter(|entry| is_record(&entry.name));
        Ok(records
            .filter_map(|entry| self.record(directory.join(entry.name)))
            .filter(|record| !record.spare)
            .collect())
    }
}

impl Gate for RegistryGate {
    fn verdict(&self, session: &SessionId) -> Verdict {
        let mut verdict = Verdict::Free;
        for config_dir in &self.config_dirs {
            let records = match self.records(config_dir) {
                Ok(records) => records,
                Err(reason) => {
                    verdict = Verdict::NotJudgeable(reason);
                    continue;
                }
            };
            for record in records.iter().filter(|record| record.session == *session) {
                match observe(record, self.own_domain.as_ref()) {
                    Liveness::Dead(_) => {}
                    alive @ Liveness::Alive { verified: true } => {
                        return Verdict::Live(format!("pid {}, {alive}", record.pid));
                    }
                    // Also a process of whose start nothing tells: it may be another one that got the pid.
                    other => verdict = Verdict::NotJudgeable(format!("pid {}, {other}", record.pid)),
                }
            }
        }
        verdict
    }
}

/// `<pid>.json`; never the `.key` files beside it, which hold a secret.
fn is_record(name: &std::ffi::OsStr) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "json")
}
