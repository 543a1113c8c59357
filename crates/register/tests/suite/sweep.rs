//! Sweeping and names: what the model test can't see, chiefly races and dry runs.

use sexton_register::{
    Outcome, SeenName, Source, Stamps, append_event, capture_name, is_kept_name, load_all, parse_draft, read_session,
    sweep_crashed,
};
use sexton_sys::Effects;

use crate::arrange::{NOW_MS, Store, ended, lines, named, session, started};

const LONG_AGO: &str = "2026-01-01T00:00:00.000Z";

#[test]
fn an_end_that_came_after_the_load_is_not_followed_by_a_crash() {
    let store = Store::new();
    store.put(1, lines(&[started(1, LONG_AGO)]));
    store.put(2, lines(&[started(2, LONG_AGO)]));
    let loaded = load_all(store.path()).unwrap();
    store.put(
        1,
        lines(&[started(1, LONG_AGO), ended(1, "2026-01-01T00:00:05.000Z", "exited")]),
    );

    let stamps = Stamps::new(&store.clock);
    let sweep = sweep_crashed(&Effects::apply(), store.path(), &loaded, |_| false, NOW_MS, &stamps);
    let swept: Vec<_> = sweep.written.iter().map(|event| event.session).collect();
    assert_eq!(swept, [session(2)]);
    let now = load_all(store.path()).unwrap();
    assert_eq!(now[&session(1)].ended.as_ref().unwrap().kind.outcome, Outcome::Exited);
}

#[test]
fn two_sweeps_of_one_load_write_one_end() {
    let store = Store::new();
    store.put(1, lines(&[started(1, LONG_AGO)]));
    let loaded = load_all(store.path()).unwrap();
    let stamps = Stamps::new(&store.clock);
    let sweep = || {
        sweep_crashed(&Effects::apply(), store.path(), &loaded, |_| false, NOW_MS, &stamps)
            .written
            .len()
    };
    assert_eq!((sweep(), sweep()), (1, 0));
}

#[test]
fn a_file_that_went_bad_keeps_no_other_from_its_end() {
    let store = Store::new();
    store.put(1, lines(&[started(1, LONG_AGO)]));
    store.put(2, lines(&[started(2, LONG_AGO)]));
    let loaded = load_all(store.path()).unwrap();
    let bad = store.put(1, "damage\n");
    let stamps = Stamps::new(&store.clock);
    let sweep = sweep_crashed(&Effects::apply(), store.path(), &loaded, |_| false, NOW_MS, &stamps);
    assert_eq!(sweep.written.len(), 1);
    assert!(
        sweep.problems[0]
            .to_string()
            .starts_with(&format!("{}:1: ", bad.display()))
    );
    assert_eq!(std::fs::read(bad).unwrap(), b"damage\n");
}

#[test]
fn a_dry_run_says_what_it_would_write_and_touches_nothing() {
    let store = Store::new();
    store.put(1, lines(&[started(1, LONG_AGO)]));
    let before = store.everything();
    let effects = Effects::record();
    let stamps = Stamps::new(&store.clock);
    let sweep = sweep_crashed(
        &effects,
        store.path(),
        &load_all(store.path()).unwrap(),
        |_| false,
        NOW_MS,
        &stamps,
    );
    assert_eq!(sweep.written.len(), 1);
    let absent = store.path().join("absent");
    append_event(
        &effects,
        &absent,
        parse_draft(&started(2, LONG_AGO).to_string()).unwrap(),
        &stamps,
    )
    .unwrap();
    assert_eq!(store.everything(), before);
    let told: Vec<String> = effects.recorded().iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].contains(r#""kind":"ended","outcome":"crashed""#), "{told:?}");
    assert!(told[1].starts_with("create directory"), "{told:?}");
}

#[test]
fn a_name_that_a_person_gave_is_kept_unless_a_person_changed_it() {
    let store = Store::new();
    let mut by_person = named(1, LONG_AGO, "mine");
    by_person["source"] = "user".into();
    store.put(1, lines(&[by_person]));
    store.put(2, lines(&[named(2, LONG_AGO, "derived")]));
    let loaded = load_all(store.path()).unwrap();
    assert!(is_kept_name(Some(&loaded[&session(1)]), Some("derived")));
    assert!(is_kept_name(Some(&loaded[&session(1)]), None));
    assert!(!is_kept_name(Some(&loaded[&session(1)]), Some("user")));
    assert!(!is_kept_name(Some(&loaded[&session(2)]), None));
    assert!(!is_kept_name(None, None));
}

#[test]
fn names_survive_byte_for_byte_and_a_blank_source_is_unknown() {
    let store = Store::new();
    let name = "tab\tquote\" newline\n 😀 \u{202e}";
    let seen = SeenName {
        session: session(1),
        name,
        name_source: Some(""),
    };
    let stamps = Stamps::new(&store.clock);
    capture_name(&Effects::apply(), store.path(), None, seen, Source::User, &stamps)
        .unwrap()
        .unwrap();
    let loaded = load_all(store.path()).unwrap();
    let named = loaded[&session(1)].name.as_ref().unwrap();
    assert_eq!(named.kind.name, name);
    assert_eq!(named.kind.name_source, None);
    assert_eq!(read_session(&store.file(1)).unwrap().len(), 1);
}
