//! What lies on the machine, in terms of sessions; panics if any of it is half, doubled or damaged.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::machine::{Machine, PROBE, files_below};

/// Where a whole session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Home {
    Projects,
    Archive,
    Trash,
    /// Swept by the client, and only the vault has it.
    Vault,
    /// Nowhere: emptied, or purged.
    Gone,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Observed {
    /// By the numbers of the sessions.
    pub(crate) homes: Vec<Home>,
    pub(crate) tombstones: BTreeSet<String>,
    /// The lines of each register file.
    pub(crate) register: BTreeMap<String, Vec<String>>,
    pub(crate) settings: Option<String>,
}

impl Observed {
    pub(crate) fn of(machine: &Machine) -> Self {
        let settings = fs::read_to_string(machine.settings()).ok();
        if let Some(text) = &settings {
            serde_json::from_str::<Value>(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        }
        Self {
            homes: homes(machine, machine.sessions.len()),
            tombstones: tombstones(machine),
            register: register(machine),
            settings,
        }
    }

    /// As [`Observed::of`], but only of the first sessions: the others' files are being written to.
    pub(crate) fn of_others(machine: &Machine, first: usize) -> Self {
        Self {
            homes: homes(machine, first),
            tombstones: tombstones(machine),
            register: register(machine),
            settings: None,
        }
    }

    pub(crate) fn at(&self, home: Home) -> Vec<usize> {
        let numbers = 0..self.homes.len();
        numbers.filter(|number| self.homes[*number] == home).collect()
    }
}

fn homes(machine: &Machine, first: usize) -> Vec<Home> {
    let (config, data) = (machine.env.config_dir(), machine.env.data_dir());
    let mut places: BTreeMap<Vec<u8>, Vec<(Home, PathBuf)>> = BTreeMap::new();
    for path in files_below(&config).into_iter().chain(files_below(&data.join("trash"))) {
        let name = path.to_string_lossy();
        // The settings as they were before the first edit stay. Of an edit that was killed a private temporary file can stay beside
        // them, which nobody reads; nowhere else.
        let is_beside_settings = path.parent() == Some(config.as_path());
        // What a killed take left in a copy goes where the copy goes; the next take tidies it away.
        let is_of_a_copy = path.starts_with(data.join("trash")) && name.contains("/along/");
        if name.ends_with(".sexton-backup") || (is_beside_settings || is_of_a_copy) && name.ends_with(".tmp") {
            continue;
        }
        assert!(
            !name.contains(".sexton-") && !name.contains(".emptying"),
            "left behind: {name}"
        );
        let home = if path.starts_with(config.join("archive")) {
            Home::Archive
        } else if path.starts_with(&config) {
            Home::Projects
        } else {
            Home::Trash
        };
        let content = fs::read(&path).unwrap();
        places.entry(content).or_default().push((home, path));
    }
    let home = |session: &crate::machine::Planted| {
        let mut homes = BTreeSet::new();
        for (name, content) in &session.files {
            let found = places.get(content).map(Vec::as_slice).unwrap_or_default();
            assert!(found.len() <= 1, "doubled: {found:?}");
            let home = found.first().map_or(Home::Gone, |(home, _)| *home);
            if let Some((Home::Projects, path)) = found.first() {
                assert_eq!(path, &config.join(name), "came back to another place");
            }
            homes.insert(home);
        }
        assert_eq!(homes.len(), 1, "{} is half here and half there: {homes:?}", session.id);
        match homes.first() {
            Some(Home::Gone) if machine.has_copy(&session.id) => Home::Vault,
            home => home.copied().unwrap(),
        }
    };
    machine.sessions.iter().take(first).map(home).collect()
}

fn tombstones(machine: &Machine) -> BTreeSet<String> {
    let text = fs::read_to_string(machine.env.tombstone_file()).unwrap_or_default();
    assert!(
        text.is_empty() || text.ends_with('\n'),
        "a tombstone is cut short: {text}"
    );
    let ids: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(ids.len(), text.lines().count(), "a tombstone is doubled: {text}");
    let known = |id: &String| id == PROBE || machine.sessions.iter().any(|session| session.id == *id);
    assert!(ids.iter().all(known), "nobody's tombstone: {text}");
    ids
}

fn register(machine: &Machine) -> BTreeMap<String, Vec<String>> {
    let mut register = BTreeMap::new();
    for path in files_below(&machine.env.register_dir()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let mut ids = BTreeSet::new();
        for line in text.lines().filter(|line| !line.starts_with("damaged")) {
            let event: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert!(
                ids.insert(event["id"].as_str().unwrap().to_owned()),
                "an event is doubled: {text}"
            );
        }
        register.insert(name, text.lines().map(str::to_owned).collect());
    }
    register
}
