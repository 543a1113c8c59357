//! What the yard writes, and others may have written to.

use std::collections::BTreeSet;
use std::fs;

use sexton_register::SessionId;
use sexton_sys::Effects;
use sexton_yard::journal::{Journal, Line};
use sexton_yard::manifest::Manifest;
use sexton_yard::restore::find_sources;
use sexton_yard::stored_path::StoredPath;
use sexton_yard::tombstones::{is_tombstoned, lift_tombstones, load_tombstones, tombstone_ids, tombstone_path};
use sexton_yard::trash::list_trash;

use crate::scratch;

/// Tombstones: what is added is there beside all that was, and what is lifted is all that goes.
pub fn tombstone_file(bytes: &[u8]) {
    const NEW: &str = "01234567-89ab-4def-8123-456789abcdef";
    scratch::with(|directory| {
        let path = tombstone_path(directory);
        fs::write(&path, bytes).unwrap();
        let ids = || -> BTreeSet<String> {
            let tombstones = load_tombstones(directory).unwrap();
            assert_eq!(tombstones.len(), tombstones.iter().count());
            tombstones.iter().map(str::to_owned).collect()
        };
        let before = ids();
        let effects = Effects::apply();
        tombstone_ids(&effects, directory, &[NEW]).unwrap();
        let mut expected = before.clone();
        expected.insert(NEW.to_owned());
        assert_eq!(ids(), expected);
        assert!(
            fs::read(&path).unwrap().starts_with(bytes),
            "an append changed what was there"
        );

        lift_tombstones(&effects, directory, &[NEW]).unwrap();
        expected.remove(NEW);
        assert_eq!(ids(), expected);
        for id in before.iter().filter(|id| !id.chars().any(char::is_control)) {
            assert!(is_tombstoned(directory, id).unwrap() || id == NEW);
        }
        // A line that isn't UTF-8 is no text that could be lifted.
        if let Some(one) = expected.iter().find(|id| !id.contains('\u{fffd}')).cloned() {
            lift_tombstones(&effects, directory, &[&one]).unwrap();
            expected.remove(&one);
            assert_eq!(ids(), expected, "`{}` took another with it", one.escape_debug());
        }
    });
}

/// The journal: reading it twice is the same, a line that is understood survives being written again, and only ours count.
pub fn journal(bytes: &[u8]) {
    scratch::with(|directory| {
        let journal = Journal::below(directory);
        fs::write(journal.path(), bytes).unwrap();
        let _ = journal.tail();
        if let Ok(history) = journal.read() {
            assert_eq!(journal.read().unwrap(), history);
            let lines = bytes.split(|byte| *byte == b'\n').count() as u64;
            assert!(history.damaged.iter().all(|number| (1..=lines).contains(number)));
            assert!(history.open().count() <= usize::try_from(lines).unwrap());
        }
    });
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Ok(line) = serde_json::from_slice::<Line>(line) {
            let written = serde_json::to_string(&line).unwrap();
            let again: Line = serde_json::from_str(&written).expect("what we write can be read");
            assert_eq!((&again, serde_json::to_string(&again).unwrap()), (&line, written));
        }
    }
}

/// The manifests of trash and archive: listed without a word about anything outside, and written again the same.
pub fn manifest(bytes: &[u8]) {
    let session = SessionId::from_u128(7);
    scratch::with(|directory| {
        let generation = directory.join("trash/20260301T120000000Z-1");
        let archive = directory.join("archive");
        let rest = archive.join(format!("{session}.sexton"));
        fs::create_dir_all(&generation).unwrap();
        fs::create_dir_all(&rest).unwrap();
        fs::write(generation.join("manifest.jsonl"), bytes).unwrap();
        fs::write(rest.join("manifest.json"), bytes).unwrap();
        fs::write(archive.join(format!("{session}.jsonl")), "{}\n").unwrap();
        let roots = [directory.join("trash")];
        let listing = list_trash(&roots);
        assert_eq!(list_trash(&roots).items, listing.items);
        assert_eq!(listing.generations, [generation]);
        let _ = find_sources(session.as_str(), &listing, &[archive], &[]);
    });
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Ok(manifest) = serde_json::from_slice::<Manifest>(line) {
            let written = serde_json::to_string(&manifest).unwrap();
            let again: Manifest = serde_json::from_str(&written).expect("what we write can be read");
            assert_eq!((&again, serde_json::to_string(&again).unwrap()), (&manifest, written));
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Some(path) = StoredPath::decode(text)
    {
        assert_eq!(StoredPath::decode(&StoredPath::encode(&path)), Some(path));
    }
}
