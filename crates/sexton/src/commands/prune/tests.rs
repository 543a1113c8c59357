//! Stopped or failing at every step: what only a record knows is never lost, and never written down twice.

use std::fs;
use std::path::PathBuf;

use sexton_register::{Repair, SessionId, read_session, read_session_tolerant, repair, session_file};
use sexton_sys::{Effects, Fault, FaultPlan};
use sexton_testkit::register::{started, write};
use sexton_testkit::{NOW_MS, RegistryRecord, TestEnv, session_id};

use super::prune;
use crate::context::Context;

/// A kill, a bad disk, a full one, a quota that refuses one file, and a write that is cut short.
const FAULTS: [Fault; 5] = [
    Fault::Stop,
    Fault::Error(5),
    Fault::ErrorFromHere(28),
    Fault::Error(122),
    Fault::ShortWrite(20),
];

/// Two clients died: the register knows the beginning of one, and nothing of the other; only their records know their names.
struct Ghosts {
    env: TestEnv,
    left: Vec<(SessionId, PathBuf, PathBuf)>,
}

impl Ghosts {
    fn new(pids: [u32; 2]) -> Self {
        let env = TestEnv::new();
        write(
            &env.register_dir(),
            &session_id(1),
            &[started(&session_id(1), NOW_MS - 1000)],
        );
        let left = (1..).zip(pids).map(|(number, pid)| {
            let id = session_id(number);
            let (record, key) = RegistryRecord::with_pid(pid, &id)
                .name(&format!("ghost {number}"), "user")
                .write_with_key(&env.config_dir());
            (SessionId::parse(&id).unwrap(), record, key)
        });
        let left = left.collect();
        Self { env, left }
    }

    fn context(&self) -> Context {
        Context::for_completion(self.env.environment()).unwrap()
    }

    fn prune(&self, effects: &Effects) {
        drop(prune(effects, &self.context()));
    }

    fn file(&self, session: SessionId) -> PathBuf {
        session_file(&self.env.register_dir(), session)
    }

    /// What the register has of a session beside its beginning, in the order of the alphabet.
    fn kinds(&self, session: SessionId) -> Vec<String> {
        let reading = read_session_tolerant(&self.file(session)).unwrap();
        let kinds = reading.events.iter().map(|event| event.kind.word().to_owned());
        let mut kinds: Vec<String> = kinds.filter(|kind| kind != "started").collect();
        kinds.sort();
        kinds
    }

    /// Moves aside what a write that was cut short has left, as a person would.
    fn mend(&self) {
        for (session, ..) in &self.left {
            let file = self.file(*session);
            if file.exists() && read_session(&file).is_err() {
                let mending = Repair {
                    file: &file,
                    is_live: false,
                    now_ms: NOW_MS,
                    settle: std::time::Duration::ZERO,
                };
                repair(&Effects::apply(), &mending).unwrap();
            }
        }
    }
}

#[test]
fn whatever_stops_it_all_is_written_down_once_before_it_goes() {
    let pids = [sexton_testkit::dead_pid(), sexton_testkit::dead_pid()];
    let counting = Effects::faulty(FaultPlan::count_only());
    Ghosts::new(pids).prune(&counting);
    assert!(counting.steps_taken() > 10, "{}", counting.steps_taken());
    for at in 0..counting.steps_taken() {
        for fault in FAULTS {
            let what = format!("{fault:?} at step {at}");
            let ghosts = Ghosts::new(pids);
            ghosts.prune(&Effects::faulty(FaultPlan::new(at, fault)));
            for (session, record, key) in &ghosts.left {
                if !record.exists() {
                    assert_eq!(ghosts.kinds(*session), ["ended", "named"], "{what}: {session}");
                    assert!(!key.exists(), "{what}: nobody finds the key any more");
                }
            }
            // The next one appends behind what was cut short, and leaves the record until that is mended.
            ghosts.prune(&Effects::apply());
            ghosts.mend();
            ghosts.prune(&Effects::apply());
            for (session, record, key) in &ghosts.left {
                assert!(!record.exists() && !key.exists(), "{what}: {session}");
                assert_eq!(ghosts.kinds(*session), ["ended", "named"], "{what}: {session}");
            }
            let strays = fs::read_dir(ghosts.env.cache_dir()).into_iter().flatten();
            let strays = strays.filter(|entry| {
                let name = entry.as_ref().unwrap().file_name();
                name.to_string_lossy().contains(".sexton-")
            });
            assert_eq!(strays.count(), 0, "{what}");
        }
    }
}
