//! Things that have the name of a file and aren't one: links, pipes, sockets, directories, closed doors.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{Case, Exit, Planted};
use crate::environment::NOWHERE;
use crate::ids::session_id;
use crate::transcript::Transcript;

const SECRET: &str = "thesecretoutside";

pub(super) const CASES: &[Case] = &[
    Case::new("pipes where transcripts, records and events lie", |planted| {
        for path in places(planted) {
            pipe(&path);
        }
        planted.exit = Exit::Either;
    }),
    Case::new("sockets where transcripts, records and events lie", |planted| {
        for path in places(planted) {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            // A socket's path holds at most 107 bytes: bound at a short one, then moved.
            let short = planted.env.root().join("s");
            let listener = UnixListener::bind(&short).unwrap();
            fs::rename(short, path).unwrap();
            planted.keep(listener);
        }
        planted.exit = Exit::Either;
    }),
    Case::new("directories where transcripts, records and events lie", |planted| {
        for path in places(planted) {
            fs::create_dir_all(path).unwrap();
        }
        planted.exit = Exit::Either;
    }),
    Case::new(
        "links in a circle where transcripts, records and events lie",
        |planted| {
            for path in places(planted) {
                link(&path, &path);
            }
            planted.exit = Exit::Either;
        },
    ),
    Case::new(
        "links to nowhere where transcripts, records and events lie",
        |planted| {
            for path in places(planted) {
                link(Path::new(NOWHERE), &path);
            }
            planted.exit = Exit::Either;
        },
    ),
    Case::new(
        "links to endless devices where transcripts, records and events lie",
        |planted| {
            for path in places(planted) {
                link(Path::new("/dev/zero"), &path);
            }
            planted.exit = Exit::Either;
        },
    ),
    Case::new(
        "link to a file outside where a session directory's file lies",
        |planted| {
            let outside = planted.env.root().join("outside.txt");
            planted.env.write(&outside, SECRET);
            link(
                &outside,
                &planted.project().join(session_id(1)).join("custom-title.json"),
            );
            planted.forbidden.push(SECRET);
        },
    ),
    Case::new("project directories that link to their parents", |planted| {
        let projects = planted.env.config_dir().join("projects");
        link(&projects, &projects.join("-home-dev-loop"));
        link(&planted.env.config_dir(), &planted.project().join("up"));
        link(&projects, &planted.project().join(session_id(1)).join("subagents"));
        planted.exit = Exit::Either;
    }),
    Case::new("project directory reached twice", |planted| {
        let project = planted.project();
        link(&project, &planted.env.config_dir().join("projects/-home-dev-same"));
    }),
    Case::new("projects reached through a link and from two profiles", |planted| {
        let config = planted.env.config_dir();
        let real = planted.env.root().join("disk/projects");
        fs::create_dir_all(real.parent().unwrap()).unwrap();
        fs::rename(config.join("projects"), &real).unwrap();
        link(&real, &config.join("projects"));
        link(&real, &planted.env.profile_dir("work").join("projects"));
    }),
    Case::new("projects is a file", |planted| {
        fs::remove_dir_all(planted.env.config_dir().join("projects")).unwrap();
        planted.shown.clear();
        planted.write_file(planted.env.config_dir().join("projects"), "");
        planted.exit = Exit::Either;
    }),
    Case::new("sessions is a file", |planted| {
        planted.write_file(planted.env.config_dir().join("sessions"), "");
        planted.exit = Exit::Either;
    }),
    Case::new("the register is a file", |planted| {
        planted.shown.clear();
        planted.write_file(planted.env.register_dir(), "");
        planted.exit = Exit::Refused;
    }),
    Case::new("the catalogue's place is a file", |planted| {
        planted.write_file(planted.env.cache_dir(), "");
        planted.exit = Exit::Either;
    }),
    Case::new("the configuration is a pipe", |planted| {
        // What it says about copies and limits can't be guessed, so nothing is done without it.
        planted.shown.clear();
        pipe(&planted.env.config_file());
        planted.exit = Exit::Refused;
    }),
    // Of these two only someone other than root is kept out.
    Case::new("transcript that may not be read", |planted| {
        let transcript = planted.survivor().prompt("never seen");
        planted.shown.pop();
        planted.write(&transcript);
        close(planted.file.as_deref().unwrap());
        planted.exit = Exit::Either;
    }),
    Case::new("project that may not be listed", |planted| {
        let transcript = Transcript::new(&session_id(2))
            .cwd("/home/dev/closed")
            .conversation("never seen", "yes");
        planted.write(&transcript);
        close(planted.file.as_deref().unwrap().parent().unwrap());
        planted.exit = Exit::Either;
    }),
];

/// One path in each directory that is read.
fn places(planted: &Planted<'_>) -> Vec<PathBuf> {
    let id = session_id(2);
    let config = planted.env.config_dir();
    vec![
        planted.project().join(format!("{id}.jsonl")),
        planted.project().join(session_id(1)).join("subagents/agent-a1.jsonl"),
        config.join("sessions/4000001.json"),
        planted.env.register_dir().join(format!("{id}.jsonl")),
    ]
}

pub(super) fn link(target: &Path, at: &Path) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    symlink(target, at).unwrap();
}

pub(super) fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

fn close(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
}
