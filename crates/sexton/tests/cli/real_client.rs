//! An unmodified client, driven offline, with `sexton hook` as its hooks.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use sexton_testkit::TestEnv;

use crate::support::{SEXTON, harness, kinds, listed, sexton, shared, shown};

/// What a scenario left.
struct Played {
    env: TestEnv,
    sessions: Vec<String>,
    /// What `sexton list --json` showed while the client was idle.
    during: Value,
}

/// Plays one scenario; `None`, with a note, unless `SEXTON_CLAUDE_PREFIX` names an npm prefix that has the client.
#[track_caller]
fn play(scenario: &str) -> Option<Played> {
    let script = shared("realclaude/run_session")?;
    let Some(prefix) = std::env::var_os("SEXTON_CLAUDE_PREFIX") else {
        eprintln!("skipped: SEXTON_CLAUDE_PREFIX names no npm prefix with a client");
        return None;
    };
    let mut env = TestEnv::new();
    let root = env.root().join("lab");
    fs::create_dir(&root).unwrap();
    let during = env.root().join("during.json");
    let register = env.register_dir();
    let mut command = Command::new(script);
    command
        .arg("--prefix")
        .arg(prefix)
        .args(["--no-install", "--keep", "--hook-timeout", "10", "--root"])
        .arg(&root)
        .args(["--start-hook", &format!("'{SEXTON}' hook session-start")])
        .args(["--end-hook", &format!("'{SEXTON}' hook session-end")])
        .args(["--env", &format!("SEXTON_REGISTER_DIR={}", register.display())]);
    if scenario != "print" {
        let list = format!(
            "'{SEXTON}' list --all --json --register-dir '{}' > '{}'",
            register.display(),
            during.display()
        );
        command.args(["--during", &list]);
    }
    let result: Value = serde_json::from_str(&harness(command.arg(scenario))).unwrap();
    assert_eq!(result["ok"], true, "{result:#}");
    assert_eq!(result["model_saw_hook_output"], false, "{result:#}");
    env.set("CLAUDE_CONFIG_DIR", result["config_dir"].as_str().unwrap());
    let ids = result["session_ids"].as_array().unwrap();
    Some(Played {
        sessions: ids.iter().map(|id| id.as_str().unwrap().to_owned()).collect(),
        during: fs::read_to_string(during).map_or(Value::Null, |text| serde_json::from_str(&text).unwrap()),
        env,
    })
}

/// Checks what was seen while it ran: one verified, live session.
#[track_caller]
fn assert_lived(played: &Played) {
    let sessions = played.during["sessions"].as_array().unwrap();
    let live: Vec<&Value> = sessions.iter().filter(|session| session["group"] == "live").collect();
    assert_eq!(live.len(), 1, "{:#}", played.during);
    assert_eq!(
        (&live[0]["state"], &live[0]["known_by"]),
        (&json!("idle"), &json!("kernel"))
    );
}

/// Checks the state of a session afterwards, on the list and on its own page, and returns it.
#[track_caller]
fn assert_is(played: &Played, session: &str, state: &str) -> Value {
    let all = listed(&played.env, &["--all"]);
    assert_eq!(all.len(), played.sessions.len(), "each session once: {all:#?}");
    let row = all.iter().find(|row| row["id"] == session).expect("it is listed");
    assert_eq!(row["state"], state, "{row:#}");
    let own = shown(&played.env, session);
    assert_eq!(own["state"], state, "{own:#}");
    assert!(sexton(&played.env, &["show", session]).stdout.contains(state));
    own
}

#[test]
fn print() {
    let Some(played) = play("print") else { return };
    let own = assert_is(&played, &played.sessions[0], "exited");
    assert!(own["title"].is_string() && own["directory"].is_string(), "{own:#}");
    assert_eq!(own["transcripts"].as_array().unwrap().len(), 1);
    let kinds = kinds(&played.env, &played.sessions[0]);
    assert_eq!(
        (kinds.first().unwrap().as_str(), kinds.last().unwrap().as_str()),
        ("started", "ended")
    );
}

#[test]
fn exit() {
    let Some(played) = play("interactive-exit") else { return };
    assert_lived(&played);
    let own = assert_is(&played, &played.sessions[0], "exited");
    assert_eq!(own["known_by"], "hook");
    // The name that the registry showed was captured before the record went.
    assert!(own["name"].is_string(), "{own:#}");
}

#[test]
fn killed() {
    let Some(played) = play("interactive-kill9") else {
        return;
    };
    assert_lived(&played);
    let own = assert_is(&played, &played.sessions[0], "crashed");
    assert_eq!(own["processes"][0]["alive"], false);
    sexton(&played.env, &["prune"]).assert_clean();
    let own = assert_is(&played, &played.sessions[0], "crashed");
    assert_eq!(
        (&own["processes"], own["name"].is_string()),
        (&json!([]), true),
        "{own:#}"
    );
}

#[test]
fn terminal_closed() {
    let Some(played) = play("interactive-hup") else { return };
    assert_lived(&played);
    assert_is(&played, &played.sessions[0], "exited");
}

#[test]
fn cleared() {
    let Some(played) = play("clear") else { return };
    assert_eq!(played.sessions.len(), 2);
    for session in &played.sessions {
        assert_is(&played, session, "exited");
        assert_eq!(
            kinds(&played.env, session)
                .iter()
                .filter(|kind| *kind == "started")
                .count(),
            1
        );
    }
}

#[test]
fn resumed() {
    let Some(played) = play("resume") else { return };
    assert_eq!(played.sessions.len(), 1);
    assert_is(&played, &played.sessions[0], "exited");
    let kinds = kinds(&played.env, &played.sessions[0]);
    assert_eq!(kinds.iter().filter(|kind| *kind == "started").count(), 2, "{kinds:?}");
}
