//! An unmodified client, driven offline, with `sexton hook` as its hooks.

mod afterlife;
mod lab;

use serde_json::{Value, json};

use crate::support::{kinds, listed, sexton, shown};
use afterlife::assert_afterlife;
use lab::{Played, play};

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
    assert_afterlife(&played, &played.sessions[0], "exited");
}

#[test]
fn exit() {
    let Some(played) = play("interactive-exit") else { return };
    assert_lived(&played);
    let own = assert_is(&played, &played.sessions[0], "exited");
    assert_eq!(own["known_by"], "hook");
    // The name that the registry showed was captured before the record went.
    assert!(own["name"].is_string(), "{own:#}");
    assert_afterlife(&played, &played.sessions[0], "exited");
}

#[test]
fn end_of_input() {
    let Some(played) = play("interactive-ctrl-d") else {
        return;
    };
    assert_lived(&played);
    assert_is(&played, &played.sessions[0], "exited");
    assert_afterlife(&played, &played.sessions[0], "exited");
}

#[test]
fn terminated() {
    let Some(played) = play("interactive-term") else { return };
    assert_lived(&played);
    assert_is(&played, &played.sessions[0], "exited");
    assert_afterlife(&played, &played.sessions[0], "exited");
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
    assert_afterlife(&played, &played.sessions[0], "crashed");
}

#[test]
fn terminal_closed() {
    let Some(played) = play("interactive-hup") else { return };
    assert_lived(&played);
    assert_is(&played, &played.sessions[0], "exited");
    assert_afterlife(&played, &played.sessions[0], "exited");
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
    for session in &played.sessions {
        assert_afterlife(&played, session, "exited");
    }
}

#[test]
fn resumed() {
    let Some(played) = play("resume") else { return };
    assert_eq!(played.sessions.len(), 1);
    assert_is(&played, &played.sessions[0], "exited");
    let kinds = kinds(&played.env, &played.sessions[0]);
    assert_eq!(kinds.iter().filter(|kind| *kind == "started").count(), 2, "{kinds:?}");
    assert_afterlife(&played, &played.sessions[0], "exited");
}
