//! A vault that has little room left, and one that can't be written.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

mod support;

use std::fmt::Write;
use std::fs;

use sexton_index::pass::{CopyWarning, Keep, KeepPolicy};
use support::{Machine, answer, id};

/// Text that hardly gets smaller, of so many kilobytes.
fn noise(seed: u64, kilobytes: usize) -> String {
    let mut state = seed;
    (0..kilobytes * 64).fold(String::new(), |mut text, _| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let _ = write!(text, "{state:016x}");
        text
    })
}

fn warnings(machine: &Machine, limit: u64) -> Vec<CopyWarning> {
    let keep = Keep {
        policy: KeepPolicy::All,
        limit,
    };
    let report = machine.try_pass(&mut machine.open(), Some(&keep), &|| false).unwrap();
    report.warnings
}

#[test]
fn a_copy_that_does_not_fit_is_told_in_each_pass() {
    let machine = Machine::new();
    machine.write(&machine.transcript("-w", id(1)), &answer(1, &noise(1, 3000)));
    for pass in 0..3 {
        let told = warnings(&machine, 900_000);
        let [CopyWarning::Full { held, limit, waiting }] = told[..] else {
            panic!("pass {pass}: {told:?}");
        };
        assert_eq!((limit, waiting), (900_000, 1), "pass {pass}");
        assert_eq!(held, machine.vault.stored_bytes(id(1)).unwrap(), "pass {pass}");
    }
    assert_eq!(warnings(&machine, 100_000_000), []);
    assert!(machine.vault.status(id(1)).unwrap().unwrap().is_complete);
}

#[test]
fn small_copies_count_with_all_that_they_take() {
    let machine = Machine::new();
    for number in 1..=20 {
        let minute = u32::try_from(number).unwrap();
        machine.write(&machine.transcript("-w", id(number)), &answer(minute, "a word"));
    }
    let told = warnings(&machine, 4000);
    let [CopyWarning::Full { held, waiting, .. }] = told[..] else {
        panic!("{told:?}");
    };
    let copied = machine.vault.sessions().unwrap();
    let stored: u64 = copied.iter().map(|id| machine.vault.stored_bytes(*id).unwrap()).sum();
    assert_eq!(held, stored);
    assert!(stored < 5000, "{stored}");
    // The last one began while there was room, and may lack its end.
    assert!(copied.len() + waiting == 20 || copied.len() + waiting == 21, "{told:?}");
}

#[test]
fn a_vault_that_can_not_be_written_is_one_warning() {
    let machine = Machine::new();
    for number in 1..=5 {
        machine.write(&machine.transcript("-w", id(number)), &answer(1, "a word"));
    }
    // Where the vault's lock should be.
    fs::create_dir_all(machine.vault.directory().join("lock")).unwrap();
    let told = warnings(&machine, u64::MAX);
    assert!(matches!(told[..], [CopyWarning::Failed { waiting: 4, .. }]), "{told:?}");
}

/// What a pass over five sessions says of the vault if these vanish when everything has been listed and nothing is copied yet.
fn warnings_without(machine: &Machine, limit: u64, vanishing: &[u128]) -> Vec<CopyWarning> {
    for number in 1..=5 {
        machine.write(
            &machine.transcript("-w", id(number)),
            &answer(u32::try_from(number).unwrap(), "a word"),
        );
    }
    machine.pass();
    let keep = Keep {
        policy: KeepPolicy::All,
        limit,
    };
    // Nothing is left to be read, so that only the copies ask whether to stop.
    let vanish = || {
        for number in vanishing {
            let _ = fs::remove_file(machine.transcript("-w", id(*number)));
        }
        false
    };
    let report = machine.try_pass(&mut machine.open(), Some(&keep), &vanish).unwrap();
    assert!(
        vanishing
            .iter()
            .all(|number| !machine.transcript("-w", id(*number)).exists())
    );
    report.warnings
}

#[test]
fn what_vanished_before_it_was_copied_does_not_wait() {
    for vanishing in [&[1][..], &[3], &[1, 2, 5]] {
        let waiting = 5 - vanishing.len();
        let machine = Machine::new();
        let full = CopyWarning::Full {
            held: 0,
            limit: 0,
            waiting,
        };
        assert_eq!(warnings_without(&machine, 0, vanishing), [full], "{vanishing:?}");
        let machine = Machine::new();
        fs::create_dir_all(machine.vault.directory().join("lock")).unwrap();
        let told = warnings_without(&machine, u64::MAX, vanishing);
        let [CopyWarning::Failed { waiting: behind, .. }] = told[..] else {
            panic!("{vanishing:?}: {told:?}");
        };
        assert_eq!(behind, waiting - 1, "{vanishing:?}");
    }
}
