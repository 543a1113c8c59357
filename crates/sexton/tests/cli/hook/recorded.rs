//! The payloads that a real client sent, played again.

use std::fs;

use serde_json::Value;
use sexton_testkit::TestEnv;

use super::hook;
use crate::support::{kinds, listed, shared};

#[test]
fn each_recorded_run_leaves_its_record() {
    let Some(directory) = shared("fixtures/hooks") else {
        return;
    };
    let mut played = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let env = TestEnv::new();
        let mut expected: Vec<(String, &str)> = Vec::new();
        for line in fs::read_to_string(&path).unwrap().lines() {
            let call: Value = serde_json::from_str(line).unwrap();
            let (event, kind) = match call["event"].as_str().unwrap() {
                "SessionStart" => ("session-start", "started"),
                "SessionEnd" => ("session-end", "ended"),
                other => panic!("an event that isn't known: {other}"),
            };
            hook(&env, event, call["payload"].to_string()).assert_clean();
            expected.push((call["payload"]["session_id"].as_str().unwrap().to_owned(), kind));
            played += 1;
        }
        for (session, _) in &expected {
            let own: Vec<&str> = expected
                .iter()
                .filter(|(of, _)| of == session)
                .map(|(_, kind)| *kind)
                .collect();
            assert_eq!(kinds(&env, session), own, "{}", path.display());
            let state = if own.last() == Some(&"ended") {
                "exited"
            } else {
                "starting"
            };
            let sessions = listed(&env, &["--all"]);
            let row = sessions.iter().find(|row| row["id"] == session.as_str()).unwrap();
            assert_eq!(row["state"], state, "{}", path.display());
        }
    }
    assert!(played >= 19, "{played}");
}
