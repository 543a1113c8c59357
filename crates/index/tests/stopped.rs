//! What changes facts and copies, stopped or failing at every step: each file is the old one or the new one, and the next try completes.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

use std::fs;
use std::path::PathBuf;

use sexton_index::catalogue::Catalogue;
use sexton_index::facts::{FactStore, Facts};
use sexton_index::vault::{Source, Take, Vault};
use sexton_register::SessionId;
use sexton_sys::{Effects, Fault, FaultPlan};

/// A kill, a bad disk, a full one, a quota that refuses one file, and a write that is cut short.
const FAULTS: [Fault; 5] = [
    Fault::Stop,
    Fault::Error(5),
    Fault::ErrorFromHere(28),
    Fault::Error(122),
    Fault::ShortWrite(3),
];

const DAMAGED: &str = "not a database at all, but long enough to be taken for one";

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

    fn catalogue(&self) -> PathBuf {
        self.0.path().join("cache/catalogue.sqlite")
    }

    /// A place with a damaged catalogue, and with what SQLite keeps beside it.
    fn with_damaged_catalogue() -> Self {
        let place = Self::new();
        fs::create_dir_all(place.catalogue().parent().unwrap()).unwrap();
        for suffix in ["", "-wal", "-shm"] {
            fs::write(place.catalogue().with_extension(format!("sqlite{suffix}")), DAMAGED).unwrap();
        }
        place
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
        let places = ["data", "cache"].map(|name| fs::read_dir(self.0.path().join(name)));
        let entries = places
            .into_iter()
            .flatten()
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

#[test]
fn a_damaged_catalogue_is_set_aside_whole_and_the_new_one_is_empty() {
    at_every_step(
        Place::with_damaged_catalogue,
        |place, effects| drop(Catalogue::open(&place.catalogue(), effects, 7)),
        |place, what| {
            let catalogue = Catalogue::open(&place.catalogue(), &Effects::apply(), 8).unwrap();
            assert!(catalogue.sessions().unwrap().is_empty(), "{what}");
            let beside = fs::read_dir(place.catalogue().parent().unwrap()).unwrap();
            let mut kept = beside.map(|entry| fs::read(entry.unwrap().path()).unwrap());
            assert!(kept.any(|bytes| bytes == DAMAGED.as_bytes()), "{what}: it is gone");
            drop(kept);
            assert!(place.strays().is_empty(), "{what}: {:?}", place.strays());
        },
    );
}
