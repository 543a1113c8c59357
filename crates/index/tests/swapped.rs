//! Links put in place of things while a copy is given back or dropped: nothing outside is changed, removed or given away.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use sexton_index::vault::{Source, Take, Vault};
use sexton_register::SessionId;
use sexton_sys::{Effects, FaultPlan};
use sexton_testkit::{Swap, Trap};

fn session() -> SessionId {
    SessionId::from_u128(7)
}

/// A copy of a transcript and of a file beside it, in a place of its own.
fn with_copy() -> (tempfile::TempDir, Vault) {
    let place = tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap();
    let config_dir = place.path().join("config");
    let names = [
        format!("projects/-w/{}.jsonl", session()),
        format!("todos/{}.json", session()),
    ];
    for name in &names {
        let path = config_dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "a line\n").unwrap();
        // Not that of what lies outside.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o604)).unwrap();
    }
    let directory = format!("projects/-w/{}", session());
    let names = [
        names[0].clone(),
        directory.clone(),
        format!("{directory}/notes"),
        names[1].clone(),
    ];
    fs::create_dir_all(config_dir.join(&directory)).unwrap();
    fs::write(config_dir.join(&names[2]), "a note\n").unwrap();
    let source = Source {
        session: session(),
        config_dir,
        names: names.into_iter().map(Into::into).collect(),
    };
    let take = Take {
        now_ms: 1,
        room: u64::MAX,
        should_stop: &|| false,
    };
    let vault = Vault::new(place.path().join("vault"));
    vault.take(&Effects::apply(), &source, take).unwrap();
    (place, vault)
}

fn nothing_outside_is_touched(act: impl Fn(&Path, &Vault, &Effects)) {
    let (place, vault) = with_copy();
    let counting = Effects::faulty(FaultPlan::count_only());
    act(place.path(), &vault, &counting);
    let mut made = 0;
    for at in 0..counting.steps_taken() {
        for swap in Swap::ALL {
            let (place, vault) = with_copy();
            let trap = Trap::in_directory(place.path());
            let outside = Arc::new(Mutex::new(None));
            let (own, note) = (trap.clone(), Arc::clone(&outside));
            let effects = Effects::faulty(FaultPlan::asking(move |step| {
                if step.number == at && own.spring(swap, step.path).is_some() {
                    *note.lock().unwrap() = Some(own.picture());
                }
                None
            }));
            act(place.path(), &vault, &effects);
            let Some(outside) = outside.lock().unwrap().take() else {
                continue;
            };
            made += 1;
            let what = format!("{swap:?} at step {at}");
            trap.assert_untouched(&outside, &what);
            if swap != Swap::HardLink {
                Trap::assert_not_taken_in(&place.path().join("out"), &what);
            }
        }
    }
    assert!(made > 5, "{made}");
}

#[test]
fn while_a_copy_is_given_back() {
    nothing_outside_is_touched(|place, vault, effects| {
        let _ = vault.extract(effects, session(), &place.join("out/copy"));
    });
}

#[test]
fn while_a_copy_is_dropped() {
    nothing_outside_is_touched(|_, vault, effects| drop(vault.drop_copy(effects, session())));
}
