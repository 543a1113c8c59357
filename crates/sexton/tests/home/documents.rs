//! What `--json` prints is what the schemas say.

use std::path::PathBuf;

use sexton_testkit::{TestEnv, Transcript, session_id};

use crate::support::{document, read, sexton};

#[track_caller]
fn assert_valid(schema: &str, env: &TestEnv, arguments: &[&str]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../schemas")
        .join(schema);
    let validator = jsonschema::validator_for(&serde_json::from_str(&read(&path)).unwrap()).unwrap();
    let document = document(&sexton(env, &[arguments, &["--json"]].concat()));
    let errors: Vec<String> = validator
        .iter_errors(&document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(errors, [] as [&str; 0], "{document:#}");
    assert_eq!(document["schema_version"], 1);
}

#[test]
fn every_document_is_what_its_schema_says() {
    let env = TestEnv::new();
    env.install_program("claude", "#!/bin/sh\n");
    env.write(&env.config_dir().join("settings.json"), "{}\n");
    env.write(&env.config_file(), "[vault]\nsize = 3\n");
    let id = session_id(1);
    Transcript::new(&id)
        .cwd(env.home().to_str().unwrap())
        .conversation("a", "b")
        .write(&env.config_dir());
    assert_valid("items.schema.json", &env, &["hooks", "install", "--dry-run"]);
    assert_valid("items.schema.json", &env, &["hooks", "install"]);
    assert_valid("hooks.schema.json", &env, &["hooks", "status"]);
    assert_valid("configuration.schema.json", &env, &["config", "show"]);
    assert_valid("findings.schema.json", &env, &["doctor"]);
    assert_valid("findings.schema.json", &env, &["doctor", "--fix", "--dry-run"]);
    assert_valid("resumption.schema.json", &env, &["resume", &id]);
}
