//! The documents that `--json` prints, against their checked-in schemas.

use std::fs;
use std::path::Path;

use serde_json::Value;
use sexton_testkit::register::{file, mark, named, started, write};
use sexton_testkit::{LiveProcess, NOWHERE, RegistryRecord, Run, TestEnv, Transcript, dead_pid, session_id};

use crate::support::{document, now_ms, sexton};

fn schema_path(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas").join(name)
}

/// With `SEXTON_BLESS=1` the files are written instead.
#[test]
fn the_checked_in_schemas_are_those_of_the_types() {
    for (name, schema) in sexton::documents::schemas() {
        let path = schema_path(name);
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("SEXTON_BLESS").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
        } else {
            let checked_in = fs::read_to_string(&path).unwrap_or_default();
            assert!(
                checked_in == text,
                "`schemas/{name}` is not what the types say; run the tests with SEXTON_BLESS=1 and look at the difference"
            );
        }
    }
}

#[track_caller]
pub(crate) fn assert_valid(schema: &str, run: &Run) -> Value {
    let text = fs::read_to_string(schema_path(schema)).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap();
    let document = document(run);
    let errors: Vec<String> = validator
        .iter_errors(&document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(errors, [] as [&str; 0], "{document:#}");
    assert_eq!(document["schema_version"], 1);
    document
}

#[test]
fn every_document_is_what_its_schema_says() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    let id = session_id(1);
    RegistryRecord::of(&process, &id)
        .name("a\u{1b}b", "user")
        .waiting_for("permission")
        .write(&env.config_dir());
    RegistryRecord::with_pid(dead_pid(), &session_id(2))
        .name("stale", "user")
        .write(&env.config_dir());
    RegistryRecord::with_pid(dead_pid(), &session_id(3))
        .on_another_machine()
        .write(&env.config_dir());
    Transcript::new(&session_id(4))
        .opening()
        .conversation("a", "b")
        .write(&env.config_dir());
    let at = now_ms() - 3_600_000;
    write(
        &env.register_dir(),
        &id,
        &[started(&id, at), named(&id, at, "x"), mark(&id, at, Some("blocked"))],
    );
    env.write(&file(&env.register_dir(), &session_id(5)), "junk\n");

    let list = assert_valid("sessions.schema.json", &sexton(&env, &["list", "--all", "--json"]));
    assert_eq!(list["sessions"].as_array().unwrap().len(), 5);
    // A machine reads what is, not what is shown.
    let own = list["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|session| session["id"] == id.as_str());
    assert_eq!(own.unwrap()["name"], "a\u{1b}b");
    for number in 1..=5 {
        let id = session_id(number);
        assert_valid("sessions.schema.json", &sexton(&env, &["show", &id, "--json"]));
        assert_valid("events.schema.json", &sexton(&env, &["log", &id, "--json"]));
    }
    for command in [
        &["mark", &id, "done"][..],
        &["name", &id, "new"],
        &["name", &id, "new"],
        &["sweep"],
        &["prune"],
    ] {
        for dry in [&["--dry-run", "--json"][..], &["--json"]] {
            assert_valid("items.schema.json", &sexton(&env, &[command, dry].concat()));
        }
    }
    assert_valid("sessions.schema.json", &sexton(&env, &["demo", "--json"]));
}

#[test]
fn a_document_with_a_surprise_is_refused_by_no_reader() {
    // Fields may be added without a new version, so the schemas must let them through.
    for (name, schema) in sexton::documents::schemas() {
        let text = serde_json::to_string(&schema).unwrap();
        assert!(!text.contains("additionalProperties\":false"), "{name}");
    }
}

#[test]
fn errors_leave_stdout_empty() {
    let env = TestEnv::new();
    for command in [
        &["show", "12345678"][..],
        &["log", "12345678"],
        &["mark", "12345678", "done"],
        &["name", "12345678", "x"],
        &["list", "--config-dir", NOWHERE],
        &["list", "--since", "soon"],
        &["list", "--state", "x"],
        &["nonsense"],
    ] {
        let run = sexton(&env, &[&["--json"], command].concat());
        assert!(matches!(run.code, Some(1 | 2)), "{run:#?}");
        assert_eq!(run.stdout, "");
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    }
}
