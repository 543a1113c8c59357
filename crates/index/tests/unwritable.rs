//! What a pass finds and adds where nothing can be written.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

mod support;

use std::fmt::Write;

use sexton_index::IndexError;
use sexton_index::catalogue::Catalogue;
use sexton_sys::Effects;
use support::{Machine, answer, id, prompt};

/// Text of which hardly a word comes twice, so that its words take room.
fn many_words(seed: u32) -> String {
    (0..20_000_u32).fold(String::new(), |mut text, number| {
        let _ = write!(text, "w{:x} ", (number + seed).wrapping_mul(2_654_435_761));
        text
    })
}

#[test]
fn a_catalogue_in_memory_is_filled_without_an_effect() {
    let machine = Machine::new();
    machine.write(&machine.transcript("-w", id(1)), &prompt(1, "hello"));
    let mut catalogue = Catalogue::in_memory(1 << 20).unwrap();
    let effects = Effects::record();
    let report = machine
        .try_pass_through(&effects, &mut catalogue, None, &|| false)
        .unwrap();
    assert!(report.finished, "{report:?}");
    assert_eq!(catalogue.sessions().unwrap().len(), 1);
    assert_eq!(effects.recorded(), []);
    assert!(!machine.catalogue_path().exists());
}

#[test]
fn one_that_is_full_keeps_what_fits() {
    let machine = Machine::new();
    for number in 1..=8 {
        let text = many_words(1_000_000 * number);
        let content = [prompt(1, "hello"), answer(2, &text)].concat();
        machine.write(&machine.transcript("-w", id(number.into())), &content);
    }
    let mut catalogue = Catalogue::in_memory(1 << 20).unwrap();
    let effects = Effects::record();
    let pass = |catalogue: &mut Catalogue| machine.try_pass_through(&effects, catalogue, None, &|| false);
    let error = pass(&mut catalogue).unwrap_err();
    assert!(error.is_of_the_disk(), "{error}");
    let mut catalogue = catalogue.sealed();
    let report = pass(&mut catalogue).unwrap();
    assert!(!report.finished, "{report:?}");
    assert_eq!(report.survey.len(), 8);
}

#[test]
fn a_catalogue_as_it_is_answers_and_adds_nothing() {
    let machine = Machine::new();
    machine.write(&machine.transcript("-w", id(1)), &prompt(1, "hello"));
    machine.pass();
    machine.write(&machine.transcript("-w", id(2)), &prompt(1, "hello"));
    let mut catalogue = Catalogue::open_as_it_is(&machine.catalogue_path()).unwrap().unwrap();
    let report = machine
        .try_pass_through(&Effects::record(), &mut catalogue, None, &|| false)
        .unwrap();
    assert!(!report.finished, "{report:?}");
    assert_eq!(catalogue.sessions().unwrap().len(), 1);
    // Even through effects that would be applied it is no place to write to.
    let error = machine.try_pass(&mut catalogue, None, &|| false).unwrap_err();
    assert!(matches!(error, IndexError::Catalogue(_)), "{error}");
}
