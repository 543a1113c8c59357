//! Away and back over random footprints: the same tree, but for the times that are said to be refreshed.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use sexton_claude::cleanup::CleanupPeriod;
use sexton_register::SessionId;
use sexton_sys::{Effects, FileIdentity, FileTime};
use sexton_testkit::{NOW_MS, SmallFilesystem, TreePicture};
use sexton_yard::gate::Vouched;
use sexton_yard::restore::{RestoreOptions, find_sources, plan_restore};

use crate::support::{NOBODY, World, assert_done};

#[derive(Debug, Clone)]
enum Node {
    File {
        name: Vec<u8>,
        content: Vec<u8>,
        mode: u32,
        seconds: i64,
    },
    Link {
        name: Vec<u8>,
        target: Vec<u8>,
        seconds: i64,
    },
    Directory {
        name: Vec<u8>,
        mode: u32,
        seconds: i64,
        inside: Vec<Node>,
    },
}

fn name() -> impl Strategy<Value = Vec<u8>> {
    // Any bytes that a name may have, odd ones among them, without those that mean something.
    prop_oneof![
        "[a-z%]{1,8}".prop_map(String::into_bytes),
        proptest::collection::vec(
            prop_oneof![Just(b' '), Just(b'\n'), Just(0xff), Just(b'*'), Just(b'.'), 1..=0x2e_u8],
            2..6
        )
    ]
    .prop_filter("not a name", |name| {
        *name != b"." && *name != b".." && !name.contains(&b'/') && !name.contains(&0)
    })
}

fn seconds() -> impl Strategy<Value = i64> {
    prop_oneof![Just(-1), 0..2_000_000_000_i64]
}

fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        (
            name(),
            proptest::collection::vec(any::<u8>(), 0..200),
            prop_oneof![Just(0o600), Just(0o640), Just(0o444), Just(0o755)],
            seconds()
        )
            .prop_map(|(name, content, mode, seconds)| Node::File {
                name,
                content,
                mode,
                seconds
            }),
        (name(), proptest::collection::vec(1..=0xff_u8, 1..12), seconds())
            .prop_map(|(name, target, seconds)| Node::Link { name, target, seconds }),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        (
            name(),
            prop_oneof![Just(0o700), Just(0o755), Just(0o750)],
            seconds(),
            proptest::collection::vec(inner, 0..4),
        )
            .prop_map(|(name, mode, seconds, inside)| Node::Directory {
                name,
                mode,
                seconds,
                inside,
            })
    })
}

fn place(node: &Node, directory: &Path) {
    let at = |name: &[u8]| directory.join(OsString::from_vec(name.to_vec()));
    let (path, seconds) = match node {
        Node::File {
            name,
            content,
            mode,
            seconds,
        } => {
            let path = at(name);
            if path.symlink_metadata().is_ok() {
                return;
            }
            fs::write(&path, content).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
            (path, *seconds)
        }
        Node::Link { name, target, seconds } => {
            let path = at(name);
            if std::os::unix::fs::symlink(PathBuf::from(OsString::from_vec(target.clone())), &path).is_err() {
                return;
            }
            (path, *seconds)
        }
        Node::Directory {
            name,
            mode,
            seconds,
            inside,
        } => {
            let path = at(name);
            if fs::create_dir(&path).is_err() {
                return;
            }
            for node in inside {
                place(node, &path);
            }
            fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
            (path, *seconds)
        }
    };
    set_time(&path, seconds);
}

fn set_time(path: &Path, seconds: i64) {
    let time = FileTime {
        seconds,
        nanoseconds: 123_456_789,
    };
    Effects::apply().set_modified(path, time).unwrap();
}

/// Everything of the session, part by part; the directories that it shares with others change their times, as they must.
fn pictures(world: &World, session: SessionId) -> Vec<(PathBuf, TreePicture)> {
    let transcript = world.transcript(session);
    [
        transcript.clone(),
        transcript.with_extension(""),
        transcript.with_file_name(format!("{session}.orphaned-1-x.jsonl")),
        world.config.join("file-history").join(session.as_str()),
        world.config.join("tasks").join(session.as_str()),
        world.config.join("todos").join(format!("{session}-agent-1")),
    ]
    .map(|path| (path.clone(), TreePicture::of(&path)))
    .to_vec()
}

fn plant(world: &World, parts: &[Vec<Node>], modes: u32) -> SessionId {
    let (session, path) = world.plant_transcript(1);
    fs::set_permissions(&path, fs::Permissions::from_mode(modes)).unwrap();
    fs::set_permissions(path.parent().unwrap(), fs::Permissions::from_mode(0o751)).unwrap();
    fs::write(path.with_file_name(format!("{session}.orphaned-1-x.jsonl")), "{}\n").unwrap();
    let tops = [
        path.with_extension(""),
        world.config.join("file-history").join(session.as_str()),
        world.config.join("tasks").join(session.as_str()),
        world.config.join("todos").join(format!("{session}-agent-1")),
    ];
    for (top, nodes) in tops.iter().zip(parts) {
        fs::create_dir_all(top).unwrap();
        for node in nodes {
            place(node, top);
        }
        set_time(top, 1_700_000_000);
    }
    session
}

#[derive(Debug, Clone, Copy)]
enum Way {
    Trash,
    Archive,
}

fn there_and_back(world: &World, session: SessionId, way: Way) {
    let before = pictures(world, session);
    let mode = fs::metadata(world.transcript(session).parent().unwrap())
        .unwrap()
        .permissions()
        .mode();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    match way {
        Way::Trash => assert_done(&world.delete(&yard, &[session])),
        Way::Archive => assert_done(&world.archive(&yard, &[session])),
    }
    assert!(
        pictures(world, session)
            .iter()
            .all(|(_, picture)| picture.paths().next().is_none())
    );
    assert!(
        !world.transcript(session).parent().unwrap().exists(),
        "the project directory is empty and gone"
    );
    assert_done(&world.restore(&yard, session));
    for ((path, before), (_, after)) in before.iter().zip(pictures(world, session)) {
        let difference = before.difference(&after);
        assert!(difference.is_empty(), "{way:?} {}:\n{difference}", path.display());
    }
    let now = fs::metadata(world.transcript(session).parent().unwrap())
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(now, mode, "made again as it was");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_on_one_device(parts in proptest::collection::vec(proptest::collection::vec(node(), 0..5), 4), mode in prop_oneof![Just(0o600), Just(0o640)]) {
        for way in [Way::Trash, Way::Archive] {
            let world = World::new();
            let session = plant(&world, &parts, mode);
            there_and_back(&world, session, way);
        }
    }

    #[test]
    fn nothing_is_lost_across_devices(parts in proptest::collection::vec(proptest::collection::vec(node(), 0..5), 4), mode in prop_oneof![Just(0o600), Just(0o640)]) {
        // The archive is a link to another device, so that everything is copied there and back.
        let Some(other) = SmallFilesystem::mount(16 << 20) else { return Ok(()) };
        let world = World::new();
        std::os::unix::fs::symlink(other.path(), world.config.join("archive")).unwrap();
        let session = plant(&world, &parts, mode);
        there_and_back(&world, session, Way::Archive);
    }
}

#[test]
fn what_the_next_cleanup_would_take_is_refreshed_and_said() {
    let world = World::new();
    let session = world.plant_small(1);
    let day_s = 24 * 60 * 60;
    let (old, young) = (NOW_MS / 1000 - 40 * day_s, NOW_MS / 1000 - 3 * day_s);
    let transcript = world.transcript(session);
    let history = world.config.join("file-history").join(session.as_str());
    set_time(&transcript, old);
    set_time(&history, young);
    let subagent = transcript.with_extension("").join("subagents/agent-1.jsonl");
    set_time(&subagent, old);
    set_time(&transcript.with_extension(""), old);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    for keep_mtime in [true, false] {
        assert_done(&world.delete(&yard, &[session]));
        let ground = world.ground();
        let source = find_sources(session.as_str(), &world.trash(), &[], &[])
            .unwrap()
            .choose(None)
            .unwrap();
        let options = RestoreOptions {
            from: None,
            keep_mtime,
            cleanup: CleanupPeriod { days: 30, source: None },
        };
        let plan = plan_restore(&yard, &ground.survey(), &source, None, &options, &Vouched::nobody()).unwrap();
        let expected = if keep_mtime {
            vec![]
        } else {
            vec![transcript.with_extension(""), transcript.clone()]
        };
        assert_eq!(plan.refreshed, expected);
        let applied = plan.apply(&yard).unwrap();
        assert_done(&applied);
        assert_eq!(applied.items[0].notes.len(), expected.len(), "{applied:?}");
        let seconds = |path: &Path| FileIdentity::at(path).unwrap().modified.seconds;
        assert_eq!(seconds(&transcript), if keep_mtime { old } else { NOW_MS / 1000 });
        assert_eq!(
            (seconds(&history), seconds(&subagent)),
            (young, old),
            "only what is on top"
        );
    }
}
