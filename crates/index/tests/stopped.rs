//! What changes facts and copies, stopped or failing at every step: each file is the old one or the new one, and the next try completes.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

use std::fs;
use std::path::PathBuf;

use sexton_index::facts::{FactStore, Facts};
use sexton_index::vault::{Source, Take, Vault};
use sexton_register::SessionId;
use sexton_sys::{Effects, Fault, FaultPlan};

/// A full disk, a bad one, and a kill.
const FAULTS: [Fault; 4] = [
    Fault::Stop,
    Fault::Error(5),
    Fault::ErrorFromHere(28),
    Fault::ShortWrite(3),
];

fn session() -> SessionId {
    SessionId::from_u128(7)
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(
            tempfile::tempdir_in("/dev/shm")
                .or_else(|_| tempfile::tempdir())
                .unwrap(),
        )
    }

    fn facts(&self) -> FactStore {
        FactStore::new(self.0.path().join("data"))
    }

    fn vault(&self) -> Vault {
        Vault::new(self.0.path().join("data/vault"))
    }

    fn transcript(&self) -> PathBuf {
        self.0.path().join(format!("config/projects/-w/{}.jsonl", session()))
    }

    /// A place with a transcript and its copy.
    fn with_copy() -> Self {
        let place = Self::new();
        fs::create_dir_all(place.transcript().parent().unwrap()).unwrap();
        fs::write(place.transcript(), "a line\n").unwrap();
        let source = Source {
            session: session(),
            config_dir: place.0.path().join("config"),
            names: vec![
                place
                    .transcript()
                    .strip_prefix(place.0.path().join("config"))
                    .unwrap()
                    .to_path_buf(),
            ],
        };
        let take = Take {
            now_ms: 1,
            room: u64::MAX,
            should_stop: &|| false,
        };
        place.vault().take(&Effects::apply(), &source, take).unwrap();
        place
    }

    /// Names that only an interruption leaves.
    fn strays(&self) -> Vec<PathBuf> {
        let data = self.0.path().join("data");
        let entries = fs::read_dir(data)
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path());
        entries
            .filter(|path| path.to_string_lossy().contains(".sexton-"))
            .collect()
    }
}

/// Calls `check` with each fault at each of the steps that `act` takes.
fn at_every_step(arrange: impl Fn() -> Place, act: impl Fn(&Place, &Effects), check: impl Fn(&Place, &str)) {
    let counting = Effects::faulty(FaultPlan::count_only());
    act(&arrange(), &counting);
    assert!(counting.steps_taken() > 0, "it changes nothing");
    for at in 0..counting.steps_taken() {
        for fault in FAULTS {
            let place = arrange();
            act(&place, &Effects::faulty(FaultPlan::new(at, fault)));
            check(&place, &format!("{fault:?} at step {at}"));
        }
    }
}

#[test]
fn facts_are_those_before_or_those_after() {
    let change = |facts: &mut Facts| {
        facts.missing.insert(session(), 5);
        facts.routine.insert(session(), true);
        facts.kept.insert(session());
    };
    let arrange = || {
        let place = Place::new();
        let other = SessionId::from_u128(8);
        place
            .facts()
            .update(&Effects::apply(), |facts| {
                facts.kept.insert(other);
                facts.routine.insert(other, false);
            })
            .unwrap();
        place
    };
    at_every_step(
        arrange,
        |place, effects| drop(place.facts().update(effects, change)),
        |place, what| {
            let facts = place.facts().load().unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(
                matches!((facts.kept.len(), facts.routine.len()), (1 | 2, 1 | 2)),
                "{what}: {facts:?}"
            );
            let facts = place.facts().update(&Effects::apply(), change).unwrap();
            assert_eq!(
                (facts.kept.len(), facts.routine.len(), facts.missing.len()),
                (2, 2, 1),
                "{what}"
            );
            assert_eq!(place.facts().load().unwrap(), facts, "{what}");
        },
    );
}

#[test]
fn a_copy_that_is_dropped_is_whole_or_goes_with_the_next_try() {
    at_every_step(
        Place::with_copy,
        |place, effects| drop(place.vault().drop_copy(effects, session())),
        |place, what| {
            let vault = place.vault();
            // A copy that is listed can be given back; what is left of one that isn't is no copy any more.
            if vault.manifest(session()).unwrap().is_some() {
                assert_eq!(vault.verify(session()).unwrap(), [], "{what}: half a copy");
            }
            if vault.session_directory(session()).exists() {
                vault.drop_copy(&Effects::apply(), session()).unwrap();
            }
            assert!(!vault.session_directory(session()).exists(), "{what}: it stays");
            assert!(vault.sessions().unwrap().is_empty(), "{what}");
        },
    );
}

#[test]
fn a_copy_that_is_given_back_is_never_taken_for_whole_when_it_failed() {
    let into = |place: &Place| place.0.path().join("data/out");
    at_every_step(
        Place::with_copy,
        |place, effects| {
            if place.vault().extract(effects, session(), &into(place)).is_ok() {
                let name = place.transcript();
                let name = name.strip_prefix(place.0.path().join("config")).unwrap();
                assert_eq!(fs::read(into(place).join(name)).unwrap(), b"a line\n");
            }
        },
        |place, what| {
            assert_eq!(
                place.vault().verify(session()).unwrap(),
                [],
                "{what}: the copy itself suffered"
            );
            assert!(place.strays().is_empty(), "{what}: {:?}", place.strays());
        },
    );
}
