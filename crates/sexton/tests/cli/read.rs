//! `sexton read`: part of a conversation, for people and for programs.

use std::fs;

use sexton_testkit::{TestEnv, Transcript, session_id};

use crate::json::assert_valid;
use crate::support::{document, sexton};

#[test]
fn a_part_around_a_line_and_its_end_and_beginning() {
    let env = TestEnv::new();
    let id = session_id(1);
    let mut transcript = Transcript::new(&id).opening();
    for number in 1..=30 {
        transcript = transcript
            .prompt(&format!("question {number}."))
            .answer(&format!("answer {number}."));
    }
    transcript.write(&env.config_dir());
    let end = sexton(&env, &["read", &id[..8]]);
    end.assert_clean();
    assert!(
        end.stdout.contains("answer 30.") && !end.stdout.contains("question 1."),
        "{}",
        end.stdout
    );
    let start = sexton(&env, &["read", &id, "--first", "-n", "2"]);
    assert!(
        start.stdout.contains("question 1.") && start.stdout.contains("answer 1."),
        "{}",
        start.stdout
    );
    assert!(!start.stdout.contains("question 2."));
    let users = sexton(&env, &["read", &id, "--role", "user", "-n", "100", "--json"]);
    let messages = assert_valid("messages.schema.json", &users)["messages"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(messages.len(), 30);
    assert!(messages.iter().all(|message| message["role"] == "user"));
    let line = messages[14]["line"].as_u64().unwrap();
    let around = sexton(&env, &["read", &format!("{id}:{line}"), "--around", "1"]);
    around.assert_clean();
    for part in ["answer 14.", "question 15.", "answer 15."] {
        assert!(around.stdout.contains(part), "{}", around.stdout);
    }
    assert!(!around.stdout.contains("question 14.") && !around.stdout.contains("question 16."));
    let beyond = sexton(&env, &["read", &format!("{id}:99999")]);
    assert!(matches!(beyond.code, Some(0 | 1)), "{beyond:#?}");
    sexton(&env, &["read", "99999999"]).assert_code(1);
    sexton(&env, &["read", &id[..7]]).assert_code(1);
    sexton(&env, &["read", &id, "--role", "nobody"]).assert_code(2);
}

#[test]
fn what_steers_a_terminal_is_shown_and_not_obeyed() {
    let env = TestEnv::new();
    let id = session_id(1);
    let wild = "before\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m after\r\u{202e}kcab";
    Transcript::new(&id)
        .prompt(wild)
        .answer("two\nlines")
        .write(&env.config_dir());
    let run = sexton(&env, &["read", &id]);
    run.assert_clean();
    let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!run.stdout.contains(steers), "{:?}", run.stdout);
    assert!(
        run.stdout.contains("two\nlines") || run.stdout.contains("lines"),
        "{}",
        run.stdout
    );
    // A program reads what is.
    let json = document(&sexton(&env, &["read", &id, "--json"]));
    assert!(
        json["messages"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("before\u{1b}]0;owned")
    );
}

#[test]
fn an_archived_session_is_read_where_it_is() {
    let env = TestEnv::new();
    let id = session_id(1);
    Transcript::new(&id)
        .conversation("the heron waits", "so it does")
        .write(&env.config_dir());
    sexton(&env, &["archive", &id]).assert_code(0);
    let run = sexton(&env, &["read", &id[..8]]);
    run.assert_code(0);
    assert!(run.stdout.contains("the heron waits"), "{run:#?}");
}

#[test]
fn a_line_that_does_not_exist_is_said_not_to() {
    let env = TestEnv::new();
    let transcript = Transcript::new(&session_id(1))
        .conversation("a", "b")
        .write(&env.config_dir());
    let lines = fs::read_to_string(transcript).unwrap().lines().count();
    let at = |line: usize| sexton(&env, &["read", &format!("{}:{line}", session_id(1))]);
    at(lines).assert_code(0);
    for (line, why) in [
        (lines + 1, format!("there are {lines} lines")),
        (999, format!("there are {lines} lines")),
        (0, "counted from 1".to_owned()),
    ] {
        let run = at(line);
        run.assert_code(1);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains(&why), "{run:#?}");
    }
}
