//! The footprint of sessions in a configuration directory that has everything.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests arrange files directly and may fail loudly"
)]

use std::collections::BTreeSet;
use std::fs::{create_dir_all, write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use sexton_claude::config_dirs::{ConfigDirectory, Origin};
use sexton_claude::footprint::{Footprints, Mention, PartKind, footprints, mentions, plan_file};
use sexton_claude::projects::list_projects;
use sexton_register::SessionId;
use sexton_sys::listing::EntryKind;

const MINE: &str = "33a8e781-9766-4574-a7aa-1ce12b8b16b7";
const OTHER: &str = "44a8e781-9766-4574-a7aa-1ce12b8b16b7";

fn id(text: &str) -> SessionId {
    SessionId::parse(text).unwrap()
}

fn file(root: &Path, name: &str, content: &str) {
    let path = root.join(name);
    create_dir_all(path.parent().unwrap()).unwrap();
    write(path, content).unwrap();
}

/// Everything that one session can have, and the bytes in it.
fn arrange(root: &Path, session: &str) -> u64 {
    let names = [
        format!("projects/-w/{session}.jsonl"),
        format!("projects/-w/{session}/subagents/agent-1.jsonl"),
        format!("projects/-w/{session}/subagents/workflows/wf_1/agent-2.jsonl"),
        format!("projects/-w/{session}/archived.json"),
        format!("projects/-w/{session}.orphaned-1-a.jsonl"),
        format!("projects/-w/{session}.jsonl.superseded-1"),
        format!("file-history/{session}/0a@v1"),
        format!("session-env/{session}/sessionstart-hook-0.sh"),
        format!("tasks/{session}/1.json"),
        format!("todos/{session}-agent-{session}.json"),
        format!("debug/{session}.txt"),
        format!("uploads/{session}/a.png"),
        format!("image-cache/{session}/1.png"),
        format!("dev-mods/{session}/x"),
    ];
    for name in &names {
        file(root, name, "12345");
    }
    names.len() as u64 * 5
}

fn config_dirs(roots: &[&Path]) -> Vec<ConfigDirectory> {
    roots
        .iter()
        .map(|root| ConfigDirectory {
            path: root.to_path_buf(),
            real: root.canonicalize().unwrap(),
            origin: Origin::Option,
        })
        .collect()
}

fn look(config_dirs: &[ConfigDirectory], sessions: &[&str]) -> Footprints {
    let projects = list_projects(config_dirs);
    footprints(config_dirs, &projects, sessions.iter().map(|session| id(session)))
}

#[test]
fn the_whole_footprint_and_nothing_else() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path();
    let bytes = arrange(root, MINE);
    arrange(root, OTHER);
    for name in [
        "projects/-w/memory/MEMORY.md",
        "sessions/1.json",
        "agent-memory/x/MEMORY.md",
        ".credentials.json",
        "settings.json",
        ".claude.json",
        "history.jsonl",
        "jobs/33a8e781/state.json",
        "plans/quiet-fox.md",
        "debug/latest",
        &format!("debug/{MINE}.txt.bak"),
        &format!("todos/{MINE}"),
        &format!("file-history/{MINE}0/x"),
        &format!("unknown/{MINE}/x"),
    ] {
        file(root, name, "1");
    }
    let config_dirs = config_dirs(&[root]);
    let found = look(&config_dirs, &[MINE]);
    assert!(found.problems.is_empty());
    let footprint = &found.sessions[&id(MINE)];
    let parts: Vec<_> = footprint
        .parts
        .iter()
        .map(|part| (part.kind, part.relative_path(&config_dirs).unwrap().to_str().unwrap()))
        .collect();
    let expected = [
        (PartKind::Transcript, format!("projects/-w/{MINE}.jsonl")),
        (PartKind::SessionDirectory, format!("projects/-w/{MINE}")),
        (PartKind::SetAside, format!("projects/-w/{MINE}.jsonl.superseded-1")),
        (PartKind::SetAside, format!("projects/-w/{MINE}.orphaned-1-a.jsonl")),
        (PartKind::FileHistory, format!("file-history/{MINE}")),
        (PartKind::SessionEnvironment, format!("session-env/{MINE}")),
        (PartKind::Tasks, format!("tasks/{MINE}")),
        (PartKind::Todos, format!("todos/{MINE}-agent-{MINE}.json")),
        (PartKind::Debug, format!("debug/{MINE}.txt")),
        (PartKind::Uploads, format!("uploads/{MINE}")),
        (PartKind::ImageCache, format!("image-cache/{MINE}")),
        (PartKind::DevMods, format!("dev-mods/{MINE}")),
    ];
    let expected: Vec<_> = expected.iter().map(|(kind, path)| (*kind, path.as_str())).collect();
    assert_eq!(parts, expected);
    assert_eq!((footprint.bytes(), footprint.files()), (bytes, 14));
    // Parents come before what lies in them.
    let directory = footprint.of_kind(PartKind::SessionDirectory).next().unwrap();
    let names: Vec<_> = directory
        .entries
        .iter()
        .map(|entry| entry.path.strip_prefix(&directory.path).unwrap())
        .collect();
    let below = [
        "",
        "archived.json",
        "subagents",
        "subagents/agent-1.jsonl",
        "subagents/workflows",
    ];
    assert_eq!(names[..5], below.map(Path::new));
}

#[test]
fn many_sessions_are_kept_apart() {
    let home = tempfile::tempdir().unwrap();
    arrange(home.path(), MINE);
    arrange(home.path(), OTHER);
    let nobody = "55a8e781-9766-4574-a7aa-1ce12b8b16b7";
    let found = look(&config_dirs(&[home.path()]), &[MINE, OTHER, nobody]);
    let paths = |session: &str| -> BTreeSet<PathBuf> {
        let parts = &found.sessions[&id(session)].parts;
        parts
            .iter()
            .flat_map(|part| part.entries.iter().map(|entry| entry.path.clone()))
            .collect()
    };
    assert_eq!(paths(MINE).len(), paths(OTHER).len());
    assert!(paths(MINE).is_disjoint(&paths(OTHER)));
    assert!(paths(nobody).is_empty());
}

#[test]
fn links_are_entries_and_are_not_followed() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path();
    file(root, "elsewhere/precious", "1");
    file(root, &format!("projects/-w/{MINE}.jsonl"), "");
    create_dir_all(root.join("tasks")).unwrap();
    create_dir_all(root.join(format!("projects/-w/{MINE}"))).unwrap();
    symlink(root.join("elsewhere"), root.join(format!("projects/-w/{MINE}/link"))).unwrap();
    symlink(root.join("elsewhere"), root.join(format!("tasks/{MINE}"))).unwrap();
    let found = look(&config_dirs(&[root]), &[MINE]);
    let footprint = &found.sessions[&id(MINE)];
    let entries: Vec<_> = footprint.parts.iter().flat_map(|part| &part.entries).collect();
    assert!(entries.iter().all(|entry| !entry.path.ends_with("precious")));
    assert_eq!(
        entries.iter().filter(|entry| entry.kind == EntryKind::Symlink).count(),
        2
    );
    assert_eq!(footprint.bytes(), 0);
}

#[test]
fn what_profiles_share_is_there_once() {
    let home = tempfile::tempdir().unwrap();
    let [shared, first, second] = ["shared", "a", "b"].map(|name| home.path().join(name));
    arrange(&shared, MINE);
    for profile in [&first, &second] {
        create_dir_all(profile).unwrap();
        for name in ["projects", "todos"] {
            symlink(shared.join(name), profile.join(name)).unwrap();
        }
    }
    file(&second, &format!("file-history/{MINE}/x"), "");
    let found = look(&config_dirs(&[&first, &second]), &[MINE]);
    let owners: Vec<_> = found.sessions[&id(MINE)]
        .parts
        .iter()
        .map(|part| (part.kind, part.config_dir))
        .collect();
    let expected = [
        (PartKind::Transcript, 0),
        (PartKind::SessionDirectory, 0),
        (PartKind::SetAside, 0),
        (PartKind::SetAside, 0),
        (PartKind::FileHistory, 1),
        (PartKind::Todos, 0),
    ];
    assert_eq!(owners, expected);
}

#[test]
fn a_side_directory_that_cant_be_listed_is_a_problem() {
    let home = tempfile::tempdir().unwrap();
    arrange(home.path(), MINE);
    file(home.path(), "uploads.real", "");
    std::fs::rename(home.path().join("uploads"), home.path().join("uploads.old")).unwrap();
    symlink(home.path().join("uploads.real"), home.path().join("uploads")).unwrap();
    let found = look(&config_dirs(&[home.path()]), &[MINE]);
    assert_eq!(found.sessions[&id(MINE)].parts.len(), 11);
    let problems: Vec<_> = found.problems.iter().map(ToString::to_string).collect();
    assert!(
        matches!(&problems[..], [problem] if problem.contains("/uploads`: ")),
        "{problems:?}"
    );
}

#[test]
fn mentions_are_counted_and_stay() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path();
    let line = |session: &str, text: &str| {
        format!("{{\"display\":\"{text}\",\"project\":\"/w\",\"sessionId\":\"{session}\"}}\n")
    };
    let history = [
        line(MINE, "one"),
        line(OTHER, &format!("\\\"sessionId\\\":\\\"{MINE}\\\"")),
        "damaged\n".into(),
        line(MINE, "two"),
    ];
    file(root, "history.jsonl", &history.concat());
    file(root, "jobs/33a8e781/state.json", "");
    file(root, "plans/quiet-fox.md", "");
    let sessions = BTreeSet::from([id(MINE), id("55a8e781-9766-4574-a7aa-1ce12b8b16b7")]);
    let found = mentions(&config_dirs(&[root]), &sessions);
    let expected = [
        Mention::History {
            path: root.join("history.jsonl"),
            lines: 2,
        },
        Mention::Job(root.join("jobs/33a8e781")),
    ];
    assert_eq!(found.sessions[&id(MINE)], expected);
    assert_eq!((found.sessions.len(), found.problems.len()), (1, 0));

    assert_eq!(plan_file(root, "quiet-fox"), Some(root.join("plans/quiet-fox.md")));
    for name in [
        "",
        "..",
        "../plans/quiet-fox",
        "/etc/passwd",
        "absent",
        "./quiet-fox",
        "quiet-fox/",
    ] {
        assert_eq!(plan_file(root, name), None, "{name}");
    }
}
