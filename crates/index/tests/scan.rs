//! Scans find what is said, without an index, and windows show it.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

mod support;

use std::collections::BTreeMap;
use std::fs;

use sexton_index::facts::Facts;
use sexton_index::pass::survey;
use sexton_index::query::{Filter, Role, Sort, View};
use sexton_index::scan::{Pattern, ScanFile, ScanRequest, Scanned, scan};
use sexton_index::texts::{Origin, Texts};
use sexton_index::window::{Part, Window, WindowRequest, window};
use sexton_yard::tombstones::load_tombstones;
use support::{Machine, NOW, answer, id, prompt, tool_call, tool_result};

fn scan_with(machine: &Machine, pattern: &Pattern, filter: &Filter) -> Scanned {
    let files: Vec<ScanFile> = survey(&machine.config_dirs())
        .files
        .into_iter()
        .map(|seen| ScanFile {
            session: seen.session,
            role: seen.role,
            path: seen.path,
        })
        .collect();
    scan(ScanRequest {
        pattern,
        files: &files,
        sessions: &BTreeMap::new(),
        filter,
        texts: Texts {
            vault: &machine.vault,
            archives: &[],
        },
        tombstones: &load_tombstones(&machine.tombstones()).unwrap(),
        facts: &Facts::default(),
        sort: Sort::Relevance,
        view: View::Messages,
        limit: 100,
        width: 60,
        now_ms: NOW,
    })
    .unwrap()
}

fn substring(text: &str) -> Pattern {
    Pattern::Substring {
        text: text.to_owned(),
        ignore_case: false,
    }
}

fn lines(machine: &Machine, pattern: &Pattern) -> Vec<u64> {
    let scanned = scan_with(machine, pattern, &Filter::default());
    assert!(scanned.problems.is_empty() && scanned.answer.is_exact);
    let mut lines: Vec<u64> = scanned.answer.hits.iter().map(|hit| hit.line).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn decoded_text_is_what_is_looked_through() {
    let machine = Machine::new();
    let escaped = prompt(5, "plainly here").replace("plainly", "pl\\u0061inly");
    let content = [
        prompt(1, "a \"quoted\" word\nand a second line"),
        answer(2, "検索 in an answer"),
        tool_call(3, "Bash", "ls -la == x"),
        "{\"type\":\"api-request\",\"x\":\"a second line of a snapshot\"}\n".to_owned(),
        tool_result(4, "Mixed CASE"),
        escaped,
    ];
    machine.write(&machine.transcript("-w", id(1)), &content.concat());
    for (text, expected) in [
        ("\"quoted\" word", vec![1]),
        ("word\nand", vec![1]),
        ("second line", vec![1]),
        ("econd lin", vec![1]),
        ("検索", vec![2]),
        ("== x", vec![3]),
        ("command: ls", vec![3]),
        ("mixed case", vec![]),
        ("plainly", vec![6]),
        ("\\n", vec![]),
    ] {
        assert_eq!(lines(&machine, &substring(text)), expected, "{text}");
    }
    let regex = |expression: &str, ignore_case| Pattern::Regex {
        expression: expression.to_owned(),
        ignore_case,
    };
    assert_eq!(lines(&machine, &regex("^and a", false)), [1]);
    assert_eq!(lines(&machine, &regex("mixed\\s+case$", true)), [5]);
    let ignoring = Pattern::Substring {
        text: "MIXED".to_owned(),
        ignore_case: true,
    };
    assert_eq!(lines(&machine, &ignoring), [5]);
    for bad in [substring(""), regex("(", false)] {
        let files: &[ScanFile] = &[];
        assert!(files.is_empty());
        let machine = Machine::new();
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            scan_with(&machine, &bad, &Filter::default())
        }));
        assert!(result.is_err(), "{bad:?} is refused");
    }
}

#[test]
fn filters_and_tombstones_hold_for_scans() {
    let machine = Machine::new();
    for number in 1..=3 {
        let content = [prompt(1, "common"), answer(2, "common")].concat();
        machine.write(&machine.transcript(&format!("-p{number}"), id(number)), &content);
    }
    machine.bury(id(3));
    let total = |filter: Filter| scan_with(&machine, &substring("common"), &filter).answer.total;
    assert_eq!(total(Filter::default()), 4);
    assert_eq!(
        total(Filter {
            roles: [Role::User].into(),
            ..Filter::default()
        }),
        2
    );
    assert_eq!(
        total(Filter {
            project: Some("p2".into()),
            ..Filter::default()
        }),
        2
    );
    assert_eq!(
        total(Filter {
            sessions: Some([id(1)].into()),
            ..Filter::default()
        }),
        2
    );
}

fn look(machine: &Machine, part: Part, count: usize, roles: &[Role]) -> Window {
    let request = WindowRequest {
        part,
        count,
        roles: roles.iter().copied().collect(),
        longest: 20,
    };
    let texts = Texts {
        vault: &machine.vault,
        archives: &[machine.path().join("archive")],
    };
    window(texts, id(1), &machine.transcript("-w", id(1)), &request)
        .unwrap()
        .unwrap()
}

fn shown(window: &Window) -> (bool, Vec<u64>, bool) {
    let lines = window.messages.iter().map(|message| message.line).collect();
    (window.more_before, lines, window.more_after)
}

#[test]
fn windows_show_what_stands_around() {
    let machine = Machine::new();
    let path = machine.transcript("-w", id(1));
    let content: String = (1..=9)
        .map(|minute| {
            if minute % 2 == 0 {
                answer(minute, "so")
            } else {
                prompt(minute, "why?")
            }
        })
        .collect();
    machine.write(&path, &content);
    assert_eq!(
        shown(&look(&machine, Part::Around(5), 2, &[])),
        (true, vec![3, 4, 5, 6, 7], true)
    );
    assert_eq!(
        shown(&look(&machine, Part::Around(4), 1, &[Role::User])),
        (true, vec![3, 4, 5], true)
    );
    assert_eq!(
        shown(&look(&machine, Part::Start, 3, &[])),
        (false, vec![1, 2, 3], true)
    );
    assert_eq!(
        shown(&look(&machine, Part::End, 2, &[Role::Assistant])),
        (true, vec![6, 8], false)
    );
    assert_eq!(shown(&look(&machine, Part::Around(9), 99, &[])).1.len(), 9);
    machine.write(&path, &prompt(1, "longer than twenty bytes"));
    let message = look(&machine, Part::Start, 1, &[]).messages.remove(0);
    assert_eq!((message.text.as_str(), message.cut), ("longer than twenty b", 4));
}

#[test]
fn an_archived_transcript_is_read_where_it_is() {
    let machine = Machine::new();
    let path = machine.transcript("-w", id(1));
    machine.write(&path, &prompt(1, "why?"));
    fs::create_dir_all(machine.path().join("archive")).unwrap();
    fs::rename(&path, machine.path().join("archive").join(path.file_name().unwrap())).unwrap();
    assert_eq!(look(&machine, Part::End, 5, &[]).origin, Origin::Archive);
}

/// Far more than is ever looked at together: what is in it is found all the same, by all means, and once.
#[test]
fn a_huge_message_is_found_by_either_end() {
    let machine = Machine::new();
    let filler = "lorem ipsum ".repeat(250_000);
    let huge = format!("the first heron {filler} the last kingfisher");
    machine.write(
        &machine.transcript("-w", id(1)),
        &[prompt(1, "before"), prompt(2, &huge), prompt(3, "after")].concat(),
    );
    machine.pass();
    for query in [
        "\"first heron\"",
        "\"last kingfisher\"",
        "\"first heron\" \"last kingfisher\"",
    ] {
        assert_eq!(machine.lines(query), [2], "{query}");
        let answer = machine.search_with(query, |_| {});
        let snippet = answer.hits[0].snippet.as_ref().unwrap();
        assert!(!snippet.marks.is_empty(), "{query}: {snippet:?}");
    }
    assert!(machine.lines("\"first heron\" -\"last kingfisher\"").is_empty());
    for text in ["first heron", "last kingfisher", "ipsum"] {
        assert_eq!(lines(&machine, &substring(text)), [2], "{text}");
    }
    let window = look(&machine, Part::Around(2), 1, &[]);
    let lengths: Vec<usize> = window
        .messages
        .iter()
        .map(|message| message.text.len() + message.cut)
        .collect();
    assert_eq!(lengths, ["before".len(), huge.len(), "after".len()]);
}
