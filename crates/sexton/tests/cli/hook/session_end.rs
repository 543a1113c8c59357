//! `sexton hook session-end`

use serde_json::{Value, json};
use sexton_testkit::register::{named, started, write};
use sexton_testkit::{LiveProcess, NOWHERE, RegistryRecord, TestEnv, Transcript, session_id};

use super::{end_payload, hook};
use crate::support::{events, kinds, now_ms};

#[test]
fn each_reason_that_the_register_has_a_word_for() {
    for (reason, recorded) in [
        ("clear", json!("clear")),
        ("resume", json!("resume")),
        ("logout", json!("logout")),
        ("prompt_input_exit", json!("prompt_input_exit")),
        ("other", json!("other")),
        ("bypass_permissions_disabled", Value::Null),
        ("", Value::Null),
    ] {
        let env = TestEnv::new();
        let id = session_id(1);
        hook(&env, "session-end", end_payload(&id, NOWHERE, reason).build()).assert_clean();
        let event = &events(&env, &id)[0];
        assert_eq!(
            json!([
                event["kind"],
                event["source"],
                event["outcome"],
                event["reason"],
                event["detail"]
            ]),
            json!(["ended", "hook", "exited", recorded, null])
        );
    }
}

#[test]
fn only_the_id_is_needed() {
    let env = TestEnv::new();
    let id = session_id(1);
    hook(&env, "session-end", format!(r#"{{"session_id":"{id}"}}"#)).assert_clean();
    assert_eq!(kinds(&env, &id), ["ended"]);
}

#[test]
fn the_name_comes_first_while_the_registry_shows_it() {
    let env = TestEnv::new();
    let id = session_id(1);
    let process = LiveProcess::start();
    RegistryRecord::of(&process, &id)
        .name("tab\t🌲\n\"", "user")
        .write(&env.config_dir());
    hook(&env, "session-end", end_payload(&id, NOWHERE, "other").build()).assert_clean();
    assert_eq!(kinds(&env, &id), ["named", "ended"]);
    assert_eq!(events(&env, &id)[0]["name"], "tab\t🌲\n\"");
}

/// Runs the hook of a session with this transcript and returns the recorded names.
#[track_caller]
fn names_after(env: &TestEnv, id: &str, transcript: &Transcript) -> Vec<String> {
    let path = transcript.write(&env.config_dir());
    let payload = end_payload(id, path.to_str().unwrap(), "prompt_input_exit");
    hook(env, "session-end", payload.build()).assert_clean();
    let events = events(env, id);
    assert_eq!(events.last().unwrap()["kind"], "ended");
    let named = events.iter().filter(|event| event["kind"] == "named");
    named.map(|event| event["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn once_the_record_is_gone_the_transcripts_end_has_the_name() {
    let id = session_id(1);
    let talk = Transcript::new(&id).conversation("a", "b");
    for (transcript, name) in [
        (
            talk.clone()
                .agent_name("agent")
                .custom_title("first")
                .custom_title("tab\t\"🌲\""),
            "tab\t\"🌲\"",
        ),
        (talk.clone().agent_name("agent"), "agent"),
        // Bookkeeping after it doesn't hide it.
        (talk.clone().custom_title("kept").turn_end("a").cost_state(), "kept"),
    ] {
        assert_eq!(names_after(&TestEnv::new(), &id, &transcript), [name]);
    }
    // What the client made up is no name.
    assert_eq!(
        names_after(&TestEnv::new(), &id, &talk.clone().ai_title("made up")),
        [] as [&str; 0]
    );
    // Only the last 64 KiB are read.
    let far = talk.custom_title("far").line("x".repeat(70_000)).conversation("c", "d");
    assert_eq!(names_after(&TestEnv::new(), &id, &far), [] as [&str; 0]);
}

#[test]
fn a_name_that_is_recorded_already_is_no_news() {
    let env = TestEnv::new();
    let id = session_id(1);
    let at = now_ms() - 60_000;
    write(&env.register_dir(), &id, &[started(&id, at), named(&id, at, "parser")]);
    let talk = Transcript::new(&id).conversation("a", "b").custom_title("parser");
    assert_eq!(names_after(&env, &id, &talk), ["parser"]);
    assert_eq!(
        names_after(&env, &id, &talk.custom_title("renamed")),
        ["parser", "renamed"]
    );
}

#[test]
fn a_damaged_register_file_still_takes_the_end() {
    let env = TestEnv::new();
    let id = session_id(1);
    let path = write(&env.register_dir(), &id, &[started(&id, now_ms())]);
    let before = std::fs::read_to_string(&path).unwrap() + "damaged\n";
    env.write(&path, &before);
    hook(&env, "session-end", end_payload(&id, NOWHERE, "other").build()).assert_clean();
    let after = std::fs::read_to_string(&path).unwrap();
    assert!(after.starts_with(&before) && after.contains("\"ended\""), "{after}");
}
