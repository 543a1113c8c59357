//! What is longer than the terminal is wide ends its rows at words; what is piped stays whole.

use sexton_sys::Clock;
use sexton_testkit::register::{ended, started, write};
use sexton_testkit::{TestEnv, Transcript, session_id};

use crate::support::{sexton, sexton_on_terminal, without_colours};

const COLUMNS: usize = 60;

fn machine() -> (TestEnv, String) {
    let env = TestEnv::new();
    let id = session_id(1);
    let now = sexton_sys::SystemClock.now_ms();
    Transcript::new(&id)
        .conversation("mend the parser", "done")
        .ai_title("A title that says what was done in so many words that one row has no room for it")
        .write(&env.config_dir());
    let end = ended(&id, now - 60_000, "crashed").text("detail", "no live process and no SessionEnd recorded");
    write(&env.register_dir(), &id, &[started(&id, now - 120_000), end]);
    (env, id)
}

/// No row is cut within a word, but where one word alone (a path) is too long, and continuations are indented by `hang`.
#[track_caller]
fn assert_wrapped(shown: &str, hang: usize, whole: &str) {
    let mut words = Vec::new();
    for row in shown.lines() {
        let width = row.chars().count();
        let last = row.split_whitespace().last().unwrap_or_default();
        let is_one_word = width - last.chars().count() <= hang + 2;
        let is_command = row.starts_with("  mend: ");
        assert!(
            width <= COLUMNS || is_one_word || is_command || last.starts_with('('),
            "{row:?}"
        );
        words.extend(row.split_whitespace());
    }
    let indented = format!("\n{}", " ".repeat(hang));
    assert!(shown.contains(&indented), "{shown}");
    assert_eq!(words, whole.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn a_session_is_shown_in_rows_that_end_at_words() {
    let (env, id) = machine();
    let whole = sexton(&env, &["show", &id]).stdout;
    assert!(whole.lines().any(|line| line.chars().count() > COLUMNS), "{whole}");
    assert!(!whole.contains("\n "), "{whole}");
    let Some(shown) = sexton_on_terminal(&env, COLUMNS, &format!("show {id}")) else {
        return;
    };
    assert_wrapped(&without_colours(&shown), 14, &whole);
}

#[test]
fn findings_are_told_in_rows_that_end_at_words() {
    let (env, _) = machine();
    let run = sexton(&env, &["doctor"]);
    let whole = run.stdout + &run.stderr;
    let Some(shown) = sexton_on_terminal(&env, COLUMNS, "doctor") else {
        return;
    };
    assert_wrapped(&without_colours(&shown), 2, &whole);
}

#[test]
fn events_are_told_whole_below_themselves() {
    let (env, id) = machine();
    let whole = sexton(&env, &["log", &id]).stdout;
    assert!(
        whole.lines().count() == 3 && whole.contains("no live process and no SessionEnd recorded"),
        "{whole}"
    );
    let Some(shown) = sexton_on_terminal(&env, 80, &format!("log {id}")) else {
        return;
    };
    let shown = without_colours(&shown);
    assert!(
        shown.lines().count() > 3 && shown.lines().all(|row| row.chars().count() <= 80),
        "{shown}"
    );
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&shown), words(&whole));
}

#[test]
fn a_plan_has_short_ids_and_a_row_for_each_change() {
    let (env, id) = machine();
    let plan = ["delete", &id, "--dry-run"];
    let whole = sexton(&env, &plan).stdout;
    assert!(whole.lines().nth(1).is_some_and(|row| row.starts_with(&id)), "{whole}");
    let Some(shown) = sexton_on_terminal(&env, 100, &plan.join(" ")) else {
        return;
    };
    let shown = without_colours(&shown);
    let row = shown.lines().nth(1).unwrap();
    assert!(
        row.starts_with(&format!("{} ", &id[..8])) && row.contains("A title that says"),
        "{shown}"
    );
    // What is appended is told in short.
    for text in [&whole, &shown] {
        let appends: Vec<_> = text.lines().filter(|line| line.starts_with("would append")).collect();
        assert!(appends[0].contains(": intent delete 0000000"), "{text}");
        assert!(appends.iter().all(|line| line.chars().count() < 200), "{text}");
    }
}
