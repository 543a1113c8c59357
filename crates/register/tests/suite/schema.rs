//! The checked-in schema, and that it and the reader judge alike.

use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value, json};
use sexton_register::{event_schema, parse_event};

use crate::arrange::{any_event, started};

/// Set to anything, it makes the test write the schema instead of comparing it.
const BLESS: &str = "SEXTON_BLESS";

#[test]
fn the_checked_in_schema_is_the_one_the_types_make() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../schemas/lifecycle-event.schema.json");
    let schema = event_schema();
    if std::env::var_os(BLESS).is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("{schema:#}\n")).unwrap();
    }
    let checked_in: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(
        checked_in, schema,
        "run this test with {BLESS}=1 to write the schema anew"
    );
}

fn judge() -> jsonschema::Validator {
    jsonschema::validator_for(&event_schema()).unwrap()
}

#[test]
fn what_a_schema_cannot_see_is_all_that_they_differ_in() {
    let judge = judge();
    let line = started(1, "2026-02-28T00:00:00Z").to_string();
    for (from, to) in [
        ("\"pid\":null", "\"pid\":1.0"),
        ("\"pid\":null", "\"pid\":null,\"pid\":null"),
        ("02-28T", "02-30T"),
    ] {
        let line = line.replace(from, to);
        assert!(judge.is_valid(&serde_json::from_str(&line).unwrap()), "{line}");
        assert!(parse_event(&line).is_err(), "{line}");
    }
}

/// Values that are right in one place and wrong in all others, or nowhere right.
fn any_value() -> impl Strategy<Value = Value> {
    let values = vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(2),
        json!(1.5),
        json!(1e300),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(9_223_372_036_854_775_808_u64),
        json!(""),
        json!(" "),
        json!("text"),
        json!([]),
        json!({}),
        json!("2026-09-21T14:13:20.123Z"),
        json!("2026-09-21T14:13:20Z"),
        json!("2026-09-21T14:13:60Z"),
        json!("2026-09-21T14:13:61Z"),
        json!("2026-09-21T24:00:00Z"),
        json!("2026-09-21T14:13:20+24:00"),
        json!("2026-09-21T14:13:20+23:59"),
        json!("2026-09-21T14:13:20"),
        json!("2026-09-21T14:13Z"),
        json!("2026-09-21t14:13:20z"),
        json!("2026-13-21T14:13:20Z"),
        json!("2026-09-32T14:13:20Z"),
        json!("2026-00-01T14:13:20Z"),
        json!("2026-01-00T14:13:20Z"),
        json!("2026-09-21T14:13:20.Z"),
        json!("2026-09-21T14:13:20Z\n"),
        json!("20260921T141320Z"),
        json!("2026-09-21T14:60:20Z"),
        json!("2026-09-21T14:13:20-00:60"),
        json!("00000000-0000-0000-0000-000000000001"),
        json!("00000000-0000-0000-0000-00000000000A"),
        json!("00000000-0000-0000-0000-000000000001\n"),
        json!("000000000000-0000-0000-000000000001"),
        json!(".."),
        json!("hook"),
        json!("user"),
        json!("sweep"),
        json!("started"),
        json!("ended"),
        json!("named"),
        json!("mark"),
        json!("moved"),
        json!("startup"),
        json!("compact"),
        json!("exited"),
        json!("crashed"),
        json!("on-hold"),
        json!("done"),
        json!("Done"),
    ];
    proptest::sample::select(values)
}

#[derive(Debug, Clone)]
enum Mutation {
    Set(usize, Value),
    Remove(usize),
    Rename(usize, String),
    Add(String, Value),
}

fn any_mutation() -> impl Strategy<Value = Mutation> {
    let key = || {
        let keys = [
            "id", "kind", "cwd", "pid", "state", "note", "outcome", "name", "new_cwd", "at", "surprise", "",
        ];
        proptest::sample::select(keys.to_vec()).prop_map(str::to_owned)
    };
    prop_oneof![
        4 => (any::<usize>(), any_value()).prop_map(|(at, value)| Mutation::Set(at, value)),
        1 => any::<usize>().prop_map(Mutation::Remove),
        1 => (any::<usize>(), key()).prop_map(|(at, key)| Mutation::Rename(at, key)),
        1 => (key(), any_value()).prop_map(|(key, value)| Mutation::Add(key, value)),
    ]
}

fn mutate(event: &mut Value, mutation: Mutation) {
    let fields = event.as_object_mut().unwrap();
    let key_at = |at: usize| fields.keys().nth(at % fields.len()).unwrap().clone();
    match mutation {
        Mutation::Set(at, value) => drop(fields.insert(key_at(at), value)),
        Mutation::Remove(at) => drop(fields.remove(&key_at(at))),
        Mutation::Rename(at, key) => {
            let value = fields.remove(&key_at(at)).unwrap();
            fields.insert(key, value);
        }
        Mutation::Add(key, value) => drop(fields.insert(key, value)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn reader_and_schema_judge_alike(mut event in any_event(1), mutations in proptest::collection::vec(any_mutation(), 0..3)) {
        thread_local! {
            static JUDGE: jsonschema::Validator = judge();
        }
        for mutation in mutations {
            mutate(&mut event, mutation);
        }
        let line = event.to_string();
        let read = parse_event(&line);
        prop_assert_eq!(read.is_ok(), JUDGE.with(|judge| judge.is_valid(&event)), "{} {:?}", line, read);
    }
}
