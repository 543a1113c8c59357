//! Damage in how transcripts lie in their directories: copies, stubs, names, neighbours.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::thread;

use super::{Case, Exit};
use crate::ids::session_id;
use crate::transcript::Transcript;

pub(super) const CASES: &[Case] = &[
    Case::new("one uuid in many transcripts", |planted| {
        for number in 2..12 {
            planted.must_show(number, Some("survivorword"));
            let original = Transcript::new(&session_id(99)).conversation("the survivorword was said", "yes");
            planted.write(&Transcript::new(&session_id(number)).bytes(original.content()));
        }
    }),
    Case::new("one session id in two projects, with different contents", |planted| {
        let transcript = planted.survivor().prompt("the survivorword was said");
        planted.write(&transcript);
        let other = Transcript::new(&session_id(2))
            .cwd("/home/dev/elsewhere")
            .conversation("another", "yes");
        other.write(&planted.env.config_dir());
    }),
    Case::new("stub beside a relocated transcript", |planted| {
        let transcript = planted
            .survivor()
            .cwd("/home/dev/there")
            .prompt("the survivorword was said");
        planted.write(&transcript);
        let stub = Transcript::new(&session_id(2))
            .cwd("/home/dev/sample")
            .opening()
            .cost_state();
        stub.write_to(&planted.project().join(format!("{}.jsonl", session_id(2))));
    }),
    Case::new("set-aside copies", |planted| {
        let transcript = planted.survivor().prompt("the survivorword was said");
        for name in [
            "{}.orphaned-1796000000000-ab12cd.jsonl",
            "{}.jsonl.superseded-1796000000000",
        ] {
            transcript.write_to(&planted.project().join(name.replace("{}", &session_id(2))));
        }
        planted.write(&transcript);
    }),
    Case::new("directory of a session without its transcript", |planted| {
        let directory = planted.project().join(session_id(2));
        planted.env.write(&directory.join("subagents/agent-a1.jsonl"), "{}\n");
        planted.env.write(&directory.join("archived.json"), "not json");
    }),
    Case::new("names that are no session ids", |planted| {
        let project = planted.project();
        for name in [
            &b".jsonl"[..],
            b"..jsonl",
            b"notes.jsonl",
            b"[a-z]*.jsonl",
            b"new\nline.jsonl",
            b"\x1b[31mred.jsonl",
            b"not-utf8-\xff\xfe.jsonl",
            b"AAAAAAAA-5E55-4000-8000-000000000001.jsonl",
            b"00000009-5e55-4000-8000-000000000009.jsonl.bak",
            b"00000009-5e55-4000-8000-00000000000.jsonl",
        ] {
            planted
                .env
                .write(&project.join(OsStr::from_bytes(name)), "{\"type\":\"mode\"}\n");
        }
        planted.exit = Exit::Either;
    }),
    Case::new("name as long as a file system allows", |planted| {
        planted
            .env
            .write(&planted.project().join("x".repeat(249) + ".jsonl"), "{}\n");
        planted.exit = Exit::Either;
    }),
    Case::new(
        "project directory with characters of a pattern and of no encoding",
        |planted| {
            let projects = planted.env.config_dir().join("projects");
            planted.must_show(2, Some("survivorword"));
            planted.must_show(3, Some("survivorword"));
            let transcript = Transcript::new(&session_id(2)).conversation("the survivorword was said", "yes");
            transcript.write_to(&projects.join("[a]*?{b}").join(format!("{}.jsonl", session_id(2))));
            let transcript = Transcript::new(&session_id(3)).conversation("the survivorword was said", "yes");
            transcript.write_to(
                &projects
                    .join(OsStr::from_bytes(b"-home-\xff"))
                    .join(format!("{}.jsonl", session_id(3))),
            );
        },
    ),
    Case::new("transcript lying directly in projects", |planted| {
        let path = planted
            .env
            .config_dir()
            .join("projects")
            .join(format!("{}.jsonl", session_id(2)));
        planted.write_file(path, "{\"type\":\"mode\"}\n");
        planted.exit = Exit::Either;
    }),
    Case::new("transcript that grows while it is read", |planted| {
        let transcript = planted.survivor().prompt("the survivorword was said");
        planted.write(&transcript);
        let path = planted.file.clone().unwrap();
        planted.keep(Growing::start(path));
    }),
    Case::heavy("project with a hundred thousand entries", |planted| {
        let project = planted.project();
        for number in 0..100_000 {
            fs::write(project.join(format!("{number}.tmp")), b"").unwrap();
        }
    }),
];

/// A thread that appends to a file until it is dropped.
pub(super) struct Growing {
    stop: std::sync::mpsc::Sender<()>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Growing {
    fn start(path: std::path::PathBuf) -> Self {
        let (stop, stopped) = std::sync::mpsc::channel();
        let thread = thread::spawn(move || {
            let mut file = fs::File::options().append(true).open(path).unwrap();
            // In halves, so that readers meet torn lines; bounded, so that a forgotten one can't fill a disk.
            for _ in 0..100_000 {
                if stopped.try_recv() != Err(std::sync::mpsc::TryRecvError::Empty) {
                    break;
                }
                for half in ["{\"type\":\"mode\",", "\"mode\":\"normal\"}\n"] {
                    std::io::Write::write_all(&mut file, half.as_bytes()).unwrap();
                    thread::yield_now();
                }
            }
        });
        Self {
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        let _ = self.stop.send(());
        let _ = self.thread.take().unwrap().join();
    }
}
