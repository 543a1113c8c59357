//! What the real client wrote: payloads of hooks, and every state of its registry files.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests arrange files directly and may fail loudly"
)]

mod shared;

use serde_json::Value;
use sexton_claude::hook_payload::HookPayload;
use sexton_claude::registry::{read_registry, this_session};
use sexton_sys::Environment;

fn lines(folder: &str) -> Vec<Value> {
    shared::fixtures(folder)
        .iter()
        .flat_map(|path| {
            let content = std::fs::read_to_string(path).unwrap();
            content
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect::<Vec<Value>>()
        })
        .collect()
}

#[test]
fn every_payload_is_understood() {
    for hook in lines("hooks") {
        let bytes = serde_json::to_vec(&hook["payload"]).unwrap();
        let payload = HookPayload::read(&mut &bytes[..]).unwrap();
        assert_eq!(payload.event.as_deref(), hook["event"].as_str());
        assert_eq!(payload.cwd.as_deref(), Some("/home/dev/sample/work"));
        let is_start = hook["event"] == "SessionStart";
        assert_eq!(
            (payload.source.is_some(), payload.reason.is_some()),
            (is_start, !is_start)
        );
        let transcript = payload.transcript_path.unwrap();
        assert_eq!(transcript.file_stem().unwrap().to_str(), Some(payload.session.as_str()));
    }
}

#[test]
fn every_state_of_a_registry_file_is_a_record() {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("sessions");
    std::fs::create_dir(&directory).unwrap();
    for change in lines("registry") {
        let path = directory.join(change["file"].as_str().unwrap());
        let content = &change["content"];
        if content.is_null() {
            let _ = std::fs::remove_file(path);
            continue;
        }
        std::fs::write(&path, content.to_string()).unwrap();
        let scan = read_registry(home.path()).unwrap();
        assert!(scan.skipped.is_empty(), "{:?}", scan.skipped);
        let record = scan.records.iter().find(|record| record.path == path).unwrap();
        assert_eq!(u64::from(record.pid), content["pid"].as_u64().unwrap());
        assert_eq!(record.session.as_str(), content["sessionId"].as_str().unwrap());
        assert_eq!(record.status.as_deref(), content["status"].as_str());
        assert_eq!(record.proc_start.as_deref(), content["procStart"].as_str());
        let environment = Environment::from_variables([
            ("CLAUDE_CODE_SESSION_ID", record.session.to_string()),
            ("CLAUDE_PID", record.pid.to_string()),
        ]);
        assert_eq!(this_session(&environment, &scan.records).unwrap().pid, record.pid);
    }
}
