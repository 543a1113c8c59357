//! The live registry against real processes.

#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests arrange files directly and may fail loudly"
)]

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use sexton_claude::registry::{
    Death, HookRecord, Kept, Liveness, Observed, Removal, StaleRecord, find_for_hook, observe_all, read_registry,
    remove_stale, stale_records,
};
use sexton_register::SessionId;
use sexton_sys::Effects;
use sexton_sys::process::{self, own_pid_domain};

/// A child that lives until it is dropped.
struct Sleeper(Child);

impl Sleeper {
    fn start() -> Self {
        // `cat` waits for its standard input to close.
        let child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        Self(child.unwrap())
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Kills the child without collecting it.
    fn become_zombie(&mut self) {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        self.0.kill().unwrap();
        let pid = Pid::from_raw(i32::try_from(self.pid()).unwrap()).unwrap();
        waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start_ticks(pid: u32) -> String {
    process::observe(pid).stat.unwrap().start_ticks
}

/// A config directory whose registry a test fills.
struct Registry(tempfile::TempDir);

impl Registry {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("sessions")).unwrap();
        Self(home)
    }

    fn path(&self, pid: u32) -> PathBuf {
        self.0.path().join(format!("sessions/{pid}.json"))
    }

    fn write(&self, pid: u32, session: SessionId, proc_start: &str, more: &str) {
        let record = format!(r#"{{"pid":{pid},"sessionId":"{session}","procStart":"{proc_start}"{more}}}"#);
        std::fs::write(self.path(pid), record).unwrap();
    }

    fn write_key(&self, pid: u32) -> PathBuf {
        let path = self.0.path().join(format!("sessions/{pid}.{}.key", "0a".repeat(32)));
        std::fs::write(&path, "secret").unwrap();
        path
    }

    fn observed(&self) -> Vec<Observed> {
        observe_all(read_registry(self.0.path()).unwrap().records, own_pid_domain().as_ref())
    }

    fn stale(&self) -> Vec<StaleRecord> {
        let scan = read_registry(self.0.path()).unwrap();
        let observed = observe_all(scan.records.clone(), own_pid_domain().as_ref());
        stale_records(&scan, &observed)
    }

    fn find(&self, session: SessionId, client: Option<u32>, ancestors: &[u32]) -> Option<HookRecord> {
        find_for_hook(
            self.0.path(),
            &session,
            client,
            ancestors.iter().copied(),
            own_pid_domain,
        )
    }
}

fn id(number: u128) -> SessionId {
    SessionId::from_u128(number)
}

#[test]
fn a_process_lives_becomes_a_zombie_and_is_gone() {
    let registry = Registry::new();
    let mut child = Sleeper::start();
    let pid = child.pid();
    registry.write(pid, id(1), &start_ticks(pid), "");
    let liveness = || registry.observed()[0].liveness;
    assert_eq!(liveness(), Liveness::Alive { verified: true });
    child.become_zombie();
    assert_eq!(liveness(), Liveness::Dead(Death::Zombie));
    drop(child);
    assert_eq!(liveness(), Liveness::Dead(Death::Missing));
}

#[test]
fn a_pid_used_again_is_another_process() {
    let registry = Registry::new();
    let child = Sleeper::start();
    registry.write(child.pid(), id(1), "1", "");
    assert_eq!(registry.observed()[0].liveness, Liveness::Dead(Death::Replaced));
    registry.write(child.pid(), id(1), " ", "");
    assert_eq!(registry.observed()[0].liveness, Liveness::Alive { verified: false });
}

#[test]
fn another_users_process_exists() {
    // Pid 1 is root's; signalling it is EPERM for everyone else.
    let registry = Registry::new();
    registry.write(1, id(1), "", "");
    assert_eq!(registry.observed()[0].liveness, Liveness::Alive { verified: false });
}

#[test]
fn this_machines_domain_is_judged_and_another_is_not() {
    let registry = Registry::new();
    let child = Sleeper::start();
    let ticks = start_ticks(child.pid());
    if let Some(own) = own_pid_domain() {
        registry.write(child.pid(), id(1), &ticks, &format!(r#","pidDomain":"{own}""#));
        assert_eq!(registry.observed()[0].liveness, Liveness::Alive { verified: true });
    }
    registry.write(child.pid(), id(1), "1", r#","pidDomain":"linux:elsewhere:pid:[1]""#);
    assert!(matches!(registry.observed()[0].liveness, Liveness::NotJudgeable(_)));
    assert!(registry.stale().is_empty());
}

#[test]
fn prune_takes_the_dead_with_their_keys_and_nothing_else() {
    let registry = Registry::new();
    let living = Sleeper::start();
    registry.write_key(living.pid());
    registry.write(living.pid(), id(1), &start_ticks(living.pid()), "");
    let dead = Sleeper::start();
    let (pid, ticks) = (dead.pid(), start_ticks(dead.pid()));
    drop(dead);
    let key = registry.write_key(pid);
    registry.write(pid, id(2), &ticks, r#","name":"lost""#);
    std::fs::write(registry.path(9), "{").unwrap();

    let stale = registry.stale();
    assert_eq!(stale.len(), 1);
    assert_eq!(stale[0].record.name.as_deref(), Some("lost"));

    let dry = Effects::record();
    assert!(matches!(
        remove_stale(&dry, &stale[0], None).unwrap(),
        Removal::Removed(_)
    ));
    assert_eq!(dry.recorded().len(), 2);
    assert!(key.exists() && registry.path(pid).exists());

    let Removal::Removed(removed) = remove_stale(&Effects::apply(), &stale[0], None).unwrap() else {
        panic!("kept");
    };
    assert_eq!(removed, [key, registry.path(pid)]);
    let left = std::fs::read_dir(registry.0.path().join("sessions")).unwrap().count();
    assert_eq!(left, 3, "the living one, its key, and the file that can't be parsed");
}

#[test]
fn a_record_that_changed_hands_meanwhile_is_kept() {
    let registry = Registry::new();
    let child = Sleeper::start();
    registry.write(child.pid(), id(1), "1", "");
    let stale = registry.stale().remove(0);

    let kept = |stale: &StaleRecord| match remove_stale(&Effects::apply(), stale, None).unwrap() {
        Removal::Kept(kept) => kept,
        Removal::Removed(removed) => panic!("removed {removed:?}"),
        _ => unreachable!(),
    };
    registry.write(child.pid(), id(2), &start_ticks(child.pid()), "");
    assert!(matches!(kept(&stale), Kept::Changed));
    let mut alive = stale.clone();
    alive.record.proc_start = Some(start_ticks(child.pid()));
    assert!(matches!(kept(&alive), Kept::NotDead(_)));
    std::fs::write(registry.path(child.pid()), "{").unwrap();
    assert!(matches!(kept(&stale), Kept::Unreadable(_)));
    assert!(registry.path(child.pid()).exists());
    std::fs::remove_file(registry.path(child.pid())).unwrap();
    assert!(matches!(kept(&stale), Kept::Gone));
}

#[test]
fn the_key_of_a_successor_is_left_alone() {
    let registry = Registry::new();
    let child = Sleeper::start();
    registry.write(child.pid(), id(1), "1", "");
    let record = std::fs::File::options()
        .write(true)
        .open(registry.path(child.pid()))
        .unwrap();
    record.set_modified(std::time::UNIX_EPOCH).unwrap();
    // The successor has written its key, and not yet its record.
    let key = registry.write_key(child.pid());
    let stale = registry.stale().remove(0);
    assert_eq!(stale.keys.len(), 1);
    remove_stale(&Effects::apply(), &stale, None).unwrap();
    assert!(key.exists() && !registry.path(child.pid()).exists());
}

#[test]
fn a_hook_finds_its_client() {
    let registry = Registry::new();
    let (outer, client, other) = (Sleeper::start(), Sleeper::start(), Sleeper::start());
    registry.write(outer.pid(), id(1), &start_ticks(outer.pid()), r#","name":"outer""#);
    registry.write(
        client.pid(),
        id(2),
        &start_ticks(client.pid()),
        r#","name":"inner","nameSource":"user""#,
    );
    registry.write(other.pid(), id(3), &start_ticks(other.pid()), "");
    let pid = |found: Option<HookRecord>| found.map(|found| (found.record.pid, found.is_own_session));

    let found = registry.find(id(2), Some(client.pid()), &[]).unwrap();
    assert_eq!(found.name(), Some(("inner", Some("user"))));
    // By ancestry alone, past a shell without a record.
    assert_eq!(
        pid(registry.find(id(2), None, &[1, client.pid(), outer.pid()])),
        Some((client.pid(), true))
    );
    // After `/clear` the record shows the id before: the pid is right, the name is not ours.
    let found = registry
        .find(id(9), Some(client.pid()), &[1, client.pid(), outer.pid()])
        .unwrap();
    assert_eq!((found.record.pid, found.name()), (client.pid(), None));
    // A client without a record: the one it was started from is not it.
    assert_eq!(pid(registry.find(id(9), Some(1), &[1, outer.pid()])), None);
    // An older client that sets no variable of its own, started from a newer one.
    assert_eq!(
        pid(registry.find(id(2), Some(outer.pid()), &[client.pid(), outer.pid()])),
        Some((client.pid(), true))
    );
    // Nobody of the family: the rest is searched by id.
    assert_eq!(pid(registry.find(id(3), None, &[])), Some((other.pid(), true)));
    assert_eq!(pid(registry.find(id(4), None, &[])), None);
}

#[test]
fn a_hook_passes_over_the_dead() {
    let registry = Registry::new();
    let (shell, client) = (Sleeper::start(), Sleeper::start());
    // The shell got the pid of a client that was killed long ago.
    registry.write(shell.pid(), id(1), "1", "");
    registry.write(client.pid(), id(2), &start_ticks(client.pid()), r#","startedAt":1"#);
    let found = registry.find(id(2), None, &[shell.pid()]).unwrap();
    assert_eq!(found.record.pid, client.pid());
    // A killed run of the same session, newer by its own account.
    let dead = Sleeper::start();
    let (pid, ticks) = (dead.pid(), start_ticks(dead.pid()));
    drop(dead);
    registry.write(pid, id(2), &ticks, r#","startedAt":2"#);
    assert_eq!(registry.find(id(2), None, &[]).unwrap().record.pid, client.pid());
}

#[test]
fn the_usual_case_reads_one_file() {
    let registry = Registry::new();
    let client = Sleeper::start();
    registry.write(client.pid(), id(1), &start_ticks(client.pid()), "");
    // With the directory unlistable and the ancestors never asked for, only the client's own file can have been read.
    let ancestors = std::iter::from_fn(|| panic!("walked"));
    let found = find_for_hook(registry.0.path(), &id(1), Some(client.pid()), ancestors, own_pid_domain);
    assert_eq!(found.unwrap().record.pid, client.pid());
}
