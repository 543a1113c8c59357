//! A disk that takes its time, and two at the same facts and copies: no fact is lost, and no copy is seen half.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sexton_index::facts::FactStore;
use sexton_index::vault::{Source, Take, Vault};
use sexton_register::SessionId;
use sexton_sys::{Effects, FaultPlan};

fn slow() -> Effects {
    Effects::faulty(FaultPlan::asking(|_| {
        std::thread::sleep(Duration::from_millis(2));
        None
    }))
}

fn place() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap()
}

#[test]
fn facts_of_two_are_all_there() {
    const EACH: u128 = 20;
    let place = place();
    std::thread::scope(|scope| {
        for who in 0..2 {
            let store = FactStore::new(place.path().to_path_buf());
            scope.spawn(move || {
                for number in 0..EACH {
                    let id = SessionId::from_u128(who * EACH + number);
                    let change = |facts: &mut sexton_index::facts::Facts| {
                        facts.kept.insert(id);
                        facts.routine.insert(id, true);
                    };
                    store.update(&slow(), change).unwrap();
                }
            });
        }
    });
    let facts = FactStore::new(place.path().to_path_buf()).load().unwrap();
    assert_eq!((facts.kept.len(), facts.routine.len()), (40, 40));
}

fn source(config_dir: &Path) -> Source {
    Source {
        session: SessionId::from_u128(7),
        config_dir: config_dir.to_path_buf(),
        names: vec![format!("projects/-w/{}.jsonl", SessionId::from_u128(7)).into()],
    }
}

#[test]
fn a_copy_that_grows_slowly_is_whole_whenever_it_is_read() {
    const ROUNDS: usize = 30;
    let place = place();
    let source = source(&place.path().join("config"));
    let transcript = source.config_dir.join(&source.names[0]);
    fs::create_dir_all(transcript.parent().unwrap()).unwrap();
    let vault = Vault::new(place.path().join("vault"));
    let line = |number: usize| format!("line {number}\n");
    let take = || Take {
        now_ms: 1,
        room: u64::MAX,
        should_stop: &|| false,
    };
    fs::write(&transcript, line(0)).unwrap();
    vault.take(&Effects::apply(), &source, take()).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..ROUNDS {
                let text = fs::read_to_string(&transcript).unwrap() + &line(number);
                fs::write(&transcript, text).unwrap();
                vault.take(&slow(), &source, take()).unwrap();
            }
            is_over.store(true, Ordering::Relaxed);
        });
        let (mut reads, mut longest) = (0, 0);
        while !is_over.load(Ordering::Relaxed) {
            assert_eq!(vault.verify(source.session).unwrap(), [], "read {reads}");
            let into = place.path().join(format!("out-{reads}"));
            vault.extract(&Effects::apply(), source.session, &into).unwrap();
            let text = fs::read_to_string(into.join(&source.names[0])).unwrap();
            let lines = text.lines().count();
            assert_eq!(text, (0..lines).map(line).collect::<String>());
            assert!(lines >= longest, "it shrank");
            (reads, longest) = (reads + 1, lines);
        }
        assert!(reads > 10, "{reads}");
    });
    assert_eq!(vault.verify(source.session).unwrap(), []);
}
