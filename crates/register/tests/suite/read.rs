//! Reading one file: what is tolerated, and what is named.

use sexton_register::{event_to_json, read_session, read_session_tolerant};

use crate::arrange::{Store, ended, lines, named, started};

fn first() -> String {
    lines(&[started(1, "2026-01-01T00:00:00Z")])
}

fn second() -> String {
    lines(&[named(1, "2026-01-01T00:00:01Z", "日本")])
}

/// Reads a file of this content: the number of events, or the message without the path before it.
fn read(content: impl AsRef<[u8]>) -> Result<usize, String> {
    let store = Store::new();
    let path = store.put(1, content);
    match read_session(&path) {
        Ok(events) => Ok(events.len()),
        Err(error) => {
            let message = error.to_string();
            Err(message
                .strip_prefix(path.to_str().unwrap())
                .expect("the path comes first")
                .to_owned())
        }
    }
}

#[test]
fn absent_and_empty_files_hold_nothing() {
    let store = Store::new();
    assert!(read_session(&store.file(1)).unwrap().is_empty());
    assert!(
        read_session(&store.path().join("no/such/directory"))
            .unwrap()
            .is_empty()
    );
    for blank in ["", "\n", "\n\n \t\n\u{3000}\n", "   "] {
        assert_eq!(read(blank), Ok(0), "{blank:?}");
    }
}

#[test]
fn a_last_line_that_was_cut_short_anywhere_is_passed_over() {
    let (first, second) = (first(), second());
    let whole = second.trim_end();
    assert!(whole.contains("日本"), "raw UTF-8, as shell hooks write it");
    for cut in 1..whole.len() {
        let content = [first.as_bytes(), &whole.as_bytes()[..cut]].concat();
        assert_eq!(read(content), Ok(1), "cut after {cut} bytes");
    }
    assert_eq!(read(format!("{first}{whole}")), Ok(2), "only the newline is missing");
}

#[test]
fn a_last_line_that_is_json_must_be_an_event_even_without_its_newline() {
    assert_eq!(
        read(format!("{}{{}}", first())),
        Err(":2: `format_version` is missing".to_owned())
    );
    assert_eq!(read("12"), Err(":1: not a JSON object but 12".to_owned()));
}

#[test]
fn damage_anywhere_else_is_named_by_file_and_line() {
    let (first, second) = (first(), second());
    let torn = &first[..20];
    assert_eq!(
        read(format!("\n{torn}\n{second}")),
        Err(":2: malformed JSON: EOF while parsing a string at column 20".to_owned())
    );
    assert_eq!(
        read(format!("{first}{torn}\n")),
        Err(":2: malformed JSON: EOF while parsing a string at column 20".to_owned()),
        "a newline after it makes it a line"
    );
    assert_eq!(
        read([first.as_bytes(), b"\xff\n", second.as_bytes()].concat()),
        Err(":2: not UTF-8".to_owned())
    );
    assert_eq!(
        read([first.as_bytes(), b"\xff"].concat()),
        Ok(1),
        "in an unterminated last line it is only torn"
    );
}

#[test]
fn carriage_returns_before_newlines_are_trimmed_and_alone_are_white_space() {
    let windows = format!("{}\r\n{}\r\n", first().trim_end(), second().trim_end());
    assert_eq!(read(windows), Ok(2));
    let joined = format!("{}\r{}\n", first().trim_end(), second().trim_end());
    assert!(
        read(joined)
            .unwrap_err()
            .starts_with(":1: malformed JSON: trailing characters")
    );
}

#[test]
fn events_come_in_file_order_whatever_their_session() {
    let store = Store::new();
    let events = [
        ended(2, "2026-01-01T00:00:05Z", "exited"),
        started(1, "2026-01-01T00:00:00Z"),
    ];
    let path = store.put(1, lines(&events));
    let read: Vec<serde_json::Value> = read_session(&path)
        .unwrap()
        .iter()
        .map(|event| serde_json::from_str(&event_to_json(event)).unwrap())
        .collect();
    assert_eq!(read, events);
}

#[test]
fn the_tolerant_form_reads_around_every_damage() {
    let store = Store::new();
    let path = store.put(1, format!("x\n{}{{}}\n{}[\n{{", first(), second()));
    let reading = read_session_tolerant(&path).unwrap();
    assert_eq!(reading.events.len(), 2);
    let problems: Vec<String> = reading.problems.iter().map(ToString::to_string).collect();
    let file = path.display();
    assert_eq!(problems.len(), 3, "the last line is only torn: {problems:?}");
    assert!(problems[0].starts_with(&format!("{file}:1: malformed JSON")));
    assert_eq!(problems[1], format!("{file}:3: `format_version` is missing"));
    assert!(problems[2].starts_with(&format!("{file}:5: malformed JSON")));
}

#[test]
fn what_is_not_a_file_is_an_error_at_once() {
    let store = Store::new();
    let directory = store.file(1);
    std::fs::create_dir(&directory).unwrap();
    let error = read_session(&directory).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("{}: cannot be read: is a directory", directory.display())
    );

    let fifo = store.file(2);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let error = read_session(&fifo).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("{}: cannot be read: is not a regular file", fifo.display())
    );

    let below = store.put(3, "").join("below");
    let error = read_session(&below).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("{}: cannot be read: ", below.display())),
        "{error}"
    );
}

#[test]
fn a_file_without_end_is_refused_unread() {
    let store = Store::new();
    let path = store.put(1, "");
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(1 << 40).unwrap();
    let error = read_session(&path).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("{}: cannot be read: is larger than 268435456 bytes", path.display())
    );
}
