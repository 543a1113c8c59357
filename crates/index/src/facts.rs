//! What a person or the passage of time decided about sessions, and no reading of files could tell again.
//!
//! `missing.json`, `remembered.json`, `routine.json`, `kept.json` and `dropped.json` in the data directory, each with a version, each replaced in
//! one step under a lock.
//! A file that can't be understood is an error, and is never overwritten.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sexton_register::SessionId;
use sexton_sys::{Effects, read};

use crate::error::IndexError;

/// The version this program writes, and the newest it reads.
pub const FACTS_VERSION: u32 = 1;

/// A million sessions fit.
const LARGEST: u64 = 64 * 1024 * 1024;

const PATIENCE: Duration = Duration::from_secs(10);

/// All facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Since when a session's transcript has been missed, in milliseconds since the Unix epoch.
    pub missing: BTreeMap<SessionId, i64>,
    /// What was last known of those sessions, for the day when not even the catalogue knows them any more.
    pub remembered: BTreeMap<SessionId, Remembered>,
    /// What a person said of a session: routine or not.
    pub routine: BTreeMap<SessionId, bool>,
    /// Sessions that are copied into the vault whatever the policy.
    pub kept: BTreeSet<SessionId>,
    /// Sessions whose copies a person dropped: none is taken again just because the policy says so.
    pub dropped: BTreeSet<SessionId>,
}

/// What is remembered of a session whose transcript is missed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// Its title.
    #[serde(default)]
    pub title: Option<String>,
    /// The directory it last worked in; bytes that are not UTF-8 are U+FFFD.
    #[serde(default)]
    pub directory: Option<String>,
    /// Its last activity, in milliseconds since the Unix epoch.
    #[serde(default)]
    pub last_activity_ms: Option<i64>,
}

/// Where facts lie.
#[derive(Debug, Clone)]
pub struct FactStore {
    directory: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct File<T> {
    version: u32,
    sessions: T,
}

impl FactStore {
    /// Facts in the data directory, which need not exist yet.
    #[must_use]
    pub fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// The data directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Reads all facts.
    pub fn load(&self) -> Result<Facts, IndexError> {
        let (facts, errors) = self.load_readable();
        errors.into_iter().next().map_or(Ok(facts), Err)
    }

    /// Reads the facts of each file that can be read; of the others, why they can't.
    #[must_use]
    pub fn load_readable(&self) -> (Facts, Vec<IndexError>) {
        let mut errors = Vec::new();
        let facts = Facts {
            missing: self.read("missing.json", &mut errors),
            remembered: self.read("remembered.json", &mut errors),
            routine: self.read("routine.json", &mut errors),
            kept: self.read("kept.json", &mut errors),
            dropped: self.read("dropped.json", &mut errors),
        };
        (facts, errors)
    }

    /// Changes facts: `change` sees what is there now, under the lock, and what it leaves is written.
    pub fn update(&self, effects: &Effects, change: impl FnOnce(&mut Facts)) -> Result<Facts, IndexError> {
        effects.create_directory(&self.directory)?;
        let _lock = effects.lock(&self.directory.join("facts.lock"), PATIENCE)?;
        let before = self.load()?;
        let mut facts = before.clone();
        change(&mut facts);
        if facts.missing != before.missing {
            self.write(effects, "missing.json", &facts.missing)?;
        }
        if facts.remembered != before.remembered {
            self.write(effects, "remembered.json", &facts.remembered)?;
        }
        if facts.routine != before.routine {
            self.write(effects, "routine.json", &facts.routine)?;
        }
        if facts.kept != before.kept {
            self.write(effects, "kept.json", &facts.kept)?;
        }
        if facts.dropped != before.dropped {
            self.write(effects, "dropped.json", &facts.dropped)?;
        }
        Ok(facts)
    }

    fn read<T: DeserializeOwned + Default>(&self, name: &str, errors: &mut Vec<IndexError>) -> T {
        let path = self.directory.join(name);
        let content = read::read_limited_if_present(&path, LARGEST).map_err(IndexError::io(&path));
        let parsed = content.and_then(|content| content.map(|bytes| parse(&bytes, &path)).transpose());
        parsed
            .map_err(|error| errors.push(error))
            .ok()
            .flatten()
            .unwrap_or_default()
    }

    fn write<T: Serialize>(&self, effects: &Effects, name: &str, sessions: &T) -> Result<(), IndexError> {
        let path = self.directory.join(name);
        let file = File {
            version: FACTS_VERSION,
            sessions,
        };
        let mut bytes = serde_json::to_vec(&file).map_err(|error| IndexError::Facts {
            path: path.clone(),
            reason: error.to_string(),
        })?;
        bytes.push(b'\n');
        Ok(effects.replace_file(&path, &bytes)?)
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8], path: &Path) -> Result<T, IndexError> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let bad = |reason: String| IndexError::Facts {
        path: path.to_path_buf(),
        reason,
    };
    let Versioned { version } =
        serde_json::from_slice(bytes).map_err(|error| bad(format!("it is damaged: {error}")))?;
    if version > FACTS_VERSION {
        return Err(bad(format!(
            "it has version {version}, and this program knows {FACTS_VERSION}"
        )));
    }
    let file: File<T> = serde_json::from_slice(bytes).map_err(|error| bad(format!("it is damaged: {error}")))?;
    Ok(file.sessions)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests arrange files directly")]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, FactStore) {
        let directory = tempfile::tempdir().unwrap();
        let store = FactStore::new(directory.path().join("data"));
        (directory, store)
    }

    fn id(number: u128) -> SessionId {
        SessionId::from_u128(number)
    }

    #[test]
    fn facts_are_kept_and_the_bytes_are_those_of_version_1() {
        let (_directory, store) = store();
        assert_eq!(store.load().unwrap(), Facts::default());
        let written = store
            .update(&Effects::apply(), |facts| {
                facts.missing.insert(id(1), 1_767_258_000_000);
                let remembered = Remembered {
                    title: Some("Fix the parser".to_owned()),
                    directory: Some("/work".to_owned()),
                    last_activity_ms: Some(1_767_258_000_000),
                };
                facts.remembered.insert(id(1), remembered);
                facts.routine.insert(id(2), false);
                facts.kept.insert(id(3));
                facts.dropped.insert(id(4));
            })
            .unwrap();
        assert_eq!(store.load().unwrap(), written);
        let bytes = |name: &str| std::fs::read_to_string(store.directory.join(name)).unwrap();
        let names = [
            "missing.json",
            "remembered.json",
            "routine.json",
            "kept.json",
            "dropped.json",
        ];
        insta::assert_snapshot!(names.map(bytes).concat());
    }

    #[test]
    fn what_can_not_be_understood_is_never_overwritten() {
        for content in [
            "{\"version\":2,\"sessions\":7}",
            "",
            "{\"version\":1,\"sessions\":{\"x\":1}}",
        ] {
            let (_directory, store) = store();
            store
                .update(&Effects::apply(), |facts| _ = facts.kept.insert(id(1)))
                .unwrap();
            let path = store.directory.join("missing.json");
            std::fs::write(&path, content).unwrap();
            let result = store.update(&Effects::apply(), |facts| _ = facts.missing.insert(id(1), 1));
            assert!(matches!(result, Err(IndexError::Facts { .. })));
            assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        }
    }

    #[test]
    fn one_damaged_file_hides_no_other() {
        let (_directory, store) = store();
        let change = |facts: &mut Facts| {
            facts.kept.insert(id(1));
            facts.routine.insert(id(2), true);
        };
        store.update(&Effects::apply(), change).unwrap();
        std::fs::write(store.directory.join("missing.json"), "{").unwrap();
        let (facts, errors) = store.load_readable();
        assert_eq!((facts.kept.len(), facts.routine.len()), (1, 1));
        assert!(matches!(errors[..], [IndexError::Facts { .. }]), "{errors:?}");
    }

    #[test]
    fn an_unknown_field_is_read_over() {
        let (_directory, store) = store();
        std::fs::create_dir_all(&store.directory).unwrap();
        let content = format!("{{\"version\":1,\"by\":\"x\",\"sessions\":[\"{}\"]}}", id(1));
        std::fs::write(store.directory.join("kept.json"), content).unwrap();
        assert_eq!(store.load().unwrap().kept, BTreeSet::from([id(1)]));
    }
}
