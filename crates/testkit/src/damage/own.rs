//! Damage in sexton's own files: journal, facts, trash, archive, vault, catalogue; and in the settings that it edits.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::{link, pipe};
use super::{Case, Exit, Planted};
use crate::ids::session_id;

/// Longer than a line of anything, and no JSON.
fn garbage() -> Vec<u8> {
    [&b"\0\xff\x1b[2J{\"version\":1,"[..], &b"[".repeat(100_000)].concat()
}

pub(super) const CASES: &[Case] = &[
    Case::new("files of our own with garbage in them", |planted| {
        for path in places(planted) {
            planted.env.write(&path, garbage());
        }
        planted.exit = Exit::Any;
    }),
    Case::new("empty files of our own", |planted| {
        for path in places(planted) {
            planted.env.write(&path, "");
        }
        planted.exit = Exit::Any;
    }),
    Case::new("pipes where files of our own lie", |planted| {
        for path in places(planted) {
            pipe(&path);
        }
        planted.exit = Exit::Any;
    }),
    Case::new("directories where files of our own lie", |planted| {
        for path in places(planted) {
            fs::create_dir_all(path).unwrap();
        }
        planted.exit = Exit::Any;
    }),
    Case::new("links in a circle where files of our own lie", |planted| {
        for path in places(planted) {
            link(&path, &path);
        }
        planted.exit = Exit::Any;
    }),
    Case::new("links to endless devices where files of our own lie", |planted| {
        for path in places(planted) {
            link(Path::new("/dev/zero"), &path);
        }
        planted.exit = Exit::Any;
    }),
    Case::new("files of our own that a later sexton wrote", |planted| {
        for path in places(planted) {
            planted.env.write(
                &path,
                r#"{"version":9,"journal_version":9,"manifest_version":9,"entries":7,"sessions":"elsewhere"}"#,
            );
        }
        planted.exit = Exit::Any;
    }),
    Case::new("manifests that list what lies outside", |planted| {
        let id = session_id(2);
        let line = format!(
            r#"{{"manifest_version":1,"at":"2026-03-01T12:00:00.000Z","operation":"20260301T120000.000Z-1","kind":"delete","id":"{id}","base":"/","title":"\u001b[2J\u202eevil","directory":null,"bytes":18446744073709551615,"files":18446744073709551615,"entries":[{{"origin":"/etc/hostname","stored":"../../../../../../../../etc/hostname","kind":"file"}}],"parents":[{{"path":"/etc","mode":4294967295,"modified_seconds":-9223372036854775808,"modified_nanoseconds":4294967295}}]}}"#
        );
        let data = planted.env.data_dir();
        planted
            .env
            .write(&data.join("trash/20260301T120000.000Z-1/manifest.jsonl"), line + "\n");
        planted.env.write(
            &data.join(format!("vault/{id}/manifest.json")),
            format!(
                r#"{{"version":1,"session":"{id}","config_dir":"/","taken_ms":9223372036854775807,"entries":[{{"path":"../../x","mode":511,"modified":[0,0],"content":"directory"}}]}}"#
            ),
        );
        planted.exit = Exit::Any;
    }),
];

fn places(planted: &Planted<'_>) -> Vec<PathBuf> {
    let id = session_id(2);
    let (data, config) = (planted.env.data_dir(), planted.env.config_dir());
    vec![
        data.join("journal.jsonl"),
        data.join("missing.json"),
        data.join("routine.json"),
        data.join("kept.json"),
        data.join("dropped.json"),
        data.join("trash/20260301T120000.000Z-1/manifest.jsonl"),
        data.join(format!("vault/{id}/manifest.json")),
        data.join(format!("vault/{id}/000001.pack")),
        config.join(format!("archive/{id}.jsonl")),
        config.join(format!("archive/{id}.sexton/manifest.json")),
        config.join("settings.json"),
        planted.env.cache_dir().join("catalogue.sqlite"),
    ]
}
