//! Reading a registry directory that its owners write meanwhile.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use sexton_sys::listing::{self, Entry, EntryKind};
use sexton_sys::read;

use super::record::{Incomplete, RegistryRecord};

/// Real records are under 1 KB, but nothing bounds a name, and a session whose record is passed over would seem to have crashed.
const LARGEST_RECORD: u64 = 16 * 1024 * 1024;

/// The registry directory could not be listed.
#[derive(Debug, thiserror::Error)]
#[error("list `{path}`: {source}")]
pub struct RegistryError {
    /// The directory.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Everything one registry directory holds.
#[derive(Debug, Default)]
pub struct RegistryScan {
    /// The records, by pid; helpers (`spare`) included.
    pub records: Vec<RegistryRecord>,
    /// The files that hold none, which is no error: a half-written file is a whole one a moment later.
    pub skipped: Vec<SkippedFile>,
    /// The key files beside the records, by pid. Their names are all that may be known of them.
    pub keys: BTreeMap<u32, Vec<PathBuf>>,
}

/// A registry file without a record.
#[derive(Debug)]
pub struct SkippedFile {
    /// The file.
    pub path: PathBuf,
    /// Why it was left out.
    pub reason: SkipReason,
}

/// Why a registry file was left out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkipReason {
    /// It is no JSON object, also on the second try.
    #[error("is not a JSON object")]
    Torn,
    /// It names no usable pid.
    #[error("names no process")]
    NoPid,
    /// It names no session.
    #[error("names no session")]
    NoSession,
    /// It could not be read.
    #[error("{0}")]
    Unreadable(#[from] io::Error),
}

impl From<Incomplete> for SkipReason {
    fn from(incomplete: Incomplete) -> Self {
        match incomplete {
            Incomplete::Torn => Self::Torn,
            Incomplete::NoPid => Self::NoPid,
            Incomplete::NoSession => Self::NoSession,
        }
    }
}

impl SkipReason {
    fn is_absence(&self) -> bool {
        matches!(self, Self::Unreadable(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// Reads `<config_dir>/sessions`. A directory that isn't there is an empty registry.
///
/// A file that can't be parsed is read once more, after all the others, so that its writer has had time to finish.
pub fn read_registry(config_dir: &Path) -> Result<RegistryScan, RegistryError> {
    let directory = config_dir.join("sessions");
    let entries = listing::list_if_present(&directory).map_err(|source| RegistryError {
        path: directory.clone(),
        source,
    })?;
    Ok(scan(&directory, &entries, read_once))
}

fn scan(
    directory: &Path,
    entries: &[Entry],
    mut read: impl FnMut(&Path) -> Result<RegistryRecord, SkipReason>,
) -> RegistryScan {
    let mut scan = RegistryScan::default();
    let mut torn = Vec::new();
    for entry in entries {
        let path = directory.join(&entry.name);
        if let Some(pid) = entry.name.to_str().and_then(key_owner) {
            scan.keys.entry(pid).or_default().push(path);
        } else if path.extension().is_some_and(|extension| extension == "json") && entry.kind != EntryKind::Directory {
            match read(&path) {
                Err(SkipReason::Torn) => torn.push(path),
                read => scan.add(path, read),
            }
        }
    }
    for path in torn {
        let read = read(&path);
        scan.add(path, read);
    }
    scan.records.sort_by_key(|record| record.pid);
    scan
}

impl RegistryScan {
    fn add(&mut self, path: PathBuf, read: Result<RegistryRecord, SkipReason>) {
        match read {
            Ok(record) => self.records.push(record),
            // Its process ended between the listing and the reading.
            Err(reason) if reason.is_absence() => {}
            Err(reason) => self.skipped.push(SkippedFile { path, reason }),
        }
    }
}

/// The record in the file at `path`; a torn one is read once more at once.
pub fn read_record(path: &Path) -> Result<RegistryRecord, SkipReason> {
    match read_once(path) {
        Err(SkipReason::Torn) => read_once(path),
        other => other,
    }
}

fn read_once(path: &Path) -> Result<RegistryRecord, SkipReason> {
    let bytes = read::read_limited(path, LARGEST_RECORD)?;
    Ok(RegistryRecord::parse(path, &bytes)?)
}

/// The pid of a key file's name, `<pid>.<64 hex digits>.key`.
fn key_owner(name: &str) -> Option<u32> {
    let (pid, secret) = name.strip_suffix(".key")?.split_once('.')?;
    let is_secret = secret.len() == 64 && secret.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_secret.then(|| pid.parse().ok())?
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests arrange files directly")]
mod tests {
    use super::*;

    const ID: &str = "33a8e781-9766-4574-a7aa-1ce12b8b16b7";

    fn sessions(config_dir: &Path) -> PathBuf {
        let directory = config_dir.join("sessions");
        std::fs::create_dir_all(&directory).unwrap();
        directory
    }

    #[test]
    fn an_absent_directory_is_an_empty_registry() {
        let home = tempfile::tempdir().unwrap();
        let scan = read_registry(home.path()).unwrap();
        assert!(scan.records.is_empty() && scan.skipped.is_empty());
    }

    #[test]
    fn a_file_in_place_of_the_directory_is_an_error_that_names_it() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("sessions"), "").unwrap();
        let error = read_registry(home.path()).unwrap_err().to_string();
        assert!(error.starts_with("list `") && error.contains("/sessions`: "), "{error}");
    }

    #[test]
    fn one_damaged_file_hides_no_other_and_nothing_hangs() {
        let home = tempfile::tempdir().unwrap();
        let directory = sessions(home.path());
        std::fs::write(directory.join("20.json"), format!("{{\"sessionId\":\"{ID}\"}}")).unwrap();
        std::fs::write(directory.join("3.json"), format!("{{\"sessionId\":\"{ID}\"}}")).unwrap();
        std::fs::write(directory.join("4.json"), "{\"pid\":").unwrap();
        std::fs::write(directory.join("notes.txt"), "x").unwrap();
        std::fs::create_dir(directory.join("1.json")).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(directory.join("2.json"))
            .status();
        assert!(made.unwrap().success());
        std::os::unix::fs::symlink("/nowhere/5.json", directory.join("5.json")).unwrap();

        let scan = read_registry(home.path()).unwrap();
        assert_eq!(
            scan.records.iter().map(|record| record.pid).collect::<Vec<_>>(),
            [3, 20]
        );
        let mut skipped: Vec<_> = scan
            .skipped
            .iter()
            .map(|file| {
                (
                    file.path.file_name().unwrap().to_str().unwrap(),
                    file.reason.to_string(),
                )
            })
            .collect();
        skipped.sort();
        assert_eq!(skipped.len(), 2);
        assert_eq!(skipped[0], ("2.json", "is not a regular file".to_owned()));
        assert_eq!(skipped[1], ("4.json", "is not a JSON object".to_owned()));
    }

    #[test]
    fn a_half_written_file_is_read_once_more_after_the_others() {
        let entries = ["1.json", "2.json"].map(|name| Entry {
            name: name.into(),
            kind: EntryKind::File,
        });
        let mut reads = Vec::new();
        let scan = scan(Path::new("/s"), &entries, |path| {
            let first = !reads.contains(&path.to_path_buf());
            reads.push(path.to_path_buf());
            let whole = format!("{{\"sessionId\":\"{ID}\"}}");
            let half = first && path.ends_with("1.json");
            let bytes = if half { &whole[..20] } else { &whole };
            Ok(RegistryRecord::parse(path, bytes.as_bytes())?)
        });
        assert_eq!(scan.records.iter().map(|record| record.pid).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(reads, ["/s/1.json", "/s/2.json", "/s/1.json"].map(PathBuf::from));
        assert!(scan.skipped.is_empty());
    }

    #[test]
    fn key_files_are_known_by_name_only() {
        let home = tempfile::tempdir().unwrap();
        let directory = sessions(home.path());
        let secret = "0123456789abcdef".repeat(4);
        // Directories can't be read, so that opening one would be an entry in `skipped`.
        std::fs::create_dir(directory.join(format!("7.{secret}.key"))).unwrap();
        std::fs::create_dir(directory.join(format!("7.{secret}0.key"))).unwrap();
        let scan = read_registry(home.path()).unwrap();
        assert_eq!(scan.keys[&7], [directory.join(format!("7.{secret}.key"))]);
        assert!(scan.skipped.is_empty());
    }
}
