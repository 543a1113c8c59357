//! What every session must go through after its client is gone.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sexton_testkit::TreePicture;

use super::lab::Played;
use crate::support::{document, kinds, listed, listed_ids, sexton, shown, tombstones};

/// Finds the session, archives, deletes and brings it back by each way there is, and lets the client go on with it.
///
/// `state` is what it was in; it is exited after the client went on with it.
#[track_caller]
pub(super) fn assert_afterlife(played: &Played, session: &str, state: &str) {
    let env = &played.env;
    let transcript = transcript(played, session);
    let text = fs::read(&transcript).unwrap();
    let is_shown = || {
        let own = shown(env, session);
        assert_eq!(own["state"], state, "{own:#}");
        assert_eq!(found(played, "hello"), all(played));
        assert_eq!(fs::read(&transcript).unwrap(), text);
    };
    is_shown();
    let before = TreePicture::of(transcript.parent().unwrap()).without_times();

    let run = sexton(env, &["archive", session]);
    run.assert_clean();
    assert!(
        Path::new(run.stdout.trim_end()).is_file() && !transcript.exists(),
        "{run:#?}"
    );
    assert_eq!(listed_ids(env, &["--archived"]), [session]);
    assert!(!listed_ids(env, &["--all"]).contains(&session.to_owned()));
    sexton(env, &["restore", session]).assert_clean();
    is_shown();

    for back in ["restore", "undo"] {
        sexton(env, &["delete", session, "--yes"]).assert_code(0);
        assert!(!transcript.exists());
        assert_eq!(tombstones(env), [session]);
        assert_eq!(listed_ids(env, &["--deleted"]), [session]);
        assert!(!listed_ids(env, &["--all"]).contains(&session.to_owned()));
        assert!(!found(played, "hello").contains(&session.to_owned()));
        let arguments: &[&str] = if back == "undo" {
            &["undo"]
        } else {
            &["restore", session]
        };
        sexton(env, arguments).assert_code(0);
        assert_eq!(tombstones(env), [] as [&str; 0]);
        is_shown();
    }
    before.assert_unchanged(&TreePicture::of(transcript.parent().unwrap()).without_times());

    let started = || kinds(env, session).iter().filter(|kind| *kind == "started").count();
    let starts = started();
    // A word that no other session says.
    let word = &format!("zanzibar{}", &session[..8]);
    let run = played.resume(session, &format!("hello {word}"));
    run.assert_code(0);
    assert!(run.stdout.contains("canned answer"), "{run:#?}");
    assert_eq!(
        started(),
        starts + 1,
        "the client's hooks recorded it under the same id"
    );
    let longer = fs::read(&transcript).unwrap();
    assert!(
        longer.starts_with(&text) && longer.len() > text.len(),
        "the transcript goes on where it was"
    );
    let own = shown(env, session);
    assert_eq!(
        (&own["state"], own["transcripts"].as_array().unwrap().len()),
        (&"exited".into(), 1),
        "{own:#}"
    );
    assert_eq!(found(played, word), [session]);
    assert_eq!(listed(env, &["--all"]).len(), played.sessions.len());
    // What went on can be put away like any other.
    sexton(env, &["delete", session, "--yes"]).assert_code(0);
    assert_eq!(found(played, word), [] as [&str; 0]);
    sexton(env, &["undo"]).assert_code(0);
    assert_eq!(found(played, word), [session]);
}

/// Where the one transcript of a session lies.
#[track_caller]
fn transcript(played: &Played, session: &str) -> PathBuf {
    let own = shown(&played.env, session);
    let transcripts = own["transcripts"].as_array().unwrap();
    assert_eq!(transcripts.len(), 1, "{own:#}");
    let of = |transcript: &Value| {
        transcript
            .as_str()
            .or_else(|| transcript["path"].as_str())
            .map(PathBuf::from)
    };
    of(&transcripts[0]).unwrap_or_else(|| panic!("{own:#}"))
}

/// The sessions in which a word is found, each once, in order.
fn found(played: &Played, word: &str) -> Vec<String> {
    let run = sexton(&played.env, &["search", word, "--json"]);
    let hits = document(&run)["hits"].as_array().unwrap().clone();
    let mut sessions: Vec<String> = hits
        .iter()
        .map(|hit| hit["session"].as_str().unwrap().to_owned())
        .collect();
    sessions.sort();
    sessions.dedup();
    sessions
}

fn all(played: &Played) -> Vec<String> {
    let mut all = played.sessions.clone();
    all.sort();
    all
}
