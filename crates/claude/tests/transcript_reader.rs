//! The streaming reader: what it makes of records, of damage, and of a file that grows.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    reason = "tests arrange files directly and may fail loudly"
)]

mod shared;

use std::ops::ControlFlow;
use std::path::Path;

use proptest::prelude::*;
use sexton_claude::transcript::{
    Ending, Found, Harness, ItemKind, Problem, ProblemKind, ReadError, ReadState, RecordKind, TitleKind,
    TranscriptReader, TranscriptSummary, Usage, summarize_ends,
};
use sexton_register::SessionId;

/// What a reading found, in a form that can be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kept {
    Item(u64, u64, u32, RecordKind, String, String),
    Problem(Problem),
}

fn keep(found: Found<'_>) -> Kept {
    match found {
        Found::Problem(problem) => Kept::Problem(problem),
        Found::Item(item) => {
            let kind = match &item.kind {
                ItemKind::ToolCall { name, .. } => format!("ToolCall {name}"),
                ItemKind::ToolResult { .. } => "ToolResult".to_owned(),
                kind => format!("{kind:?}"),
            };
            Kept::Item(
                item.line,
                item.offset,
                item.part,
                item.record,
                kind,
                item.text.to_owned(),
            )
        }
    }
}

fn go_on(reader: &mut TranscriptReader, bytes: &[u8]) -> (Vec<Kept>, Ending) {
    let mut kept = Vec::new();
    let ending = reader.read(bytes, &mut |found| {
        kept.push(keep(found));
        ControlFlow::Continue(())
    });
    (kept, ending.unwrap())
}

fn read(content: impl AsRef<[u8]>) -> (Vec<Kept>, TranscriptSummary) {
    let mut reader = TranscriptReader::new();
    let (kept, _) = go_on(&mut reader, content.as_ref());
    (kept, reader.summary().clone())
}

/// Kind and text of every item.
fn items(content: impl AsRef<[u8]>) -> Vec<(String, String)> {
    let kept = read(content).0;
    kept.into_iter()
        .filter_map(|kept| match kept {
            Kept::Item(_, _, _, _, kind, text) => Some((kind, text)),
            Kept::Problem(_) => None,
        })
        .collect()
}

fn problems(content: impl AsRef<[u8]>) -> Vec<(u64, ProblemKind)> {
    let kept = read(content).0;
    kept.into_iter()
        .filter_map(|kept| match kept {
            Kept::Problem(problem) => Some((problem.line, problem.kind)),
            Kept::Item(..) => None,
        })
        .collect()
}

fn user(content: &str) -> String {
    format!(r#"{{"type":"user","message":{{"role":"user","content":{content}}}}}"#)
}

fn assistant(content: &str) -> String {
    format!(r#"{{"type":"assistant","message":{{"role":"assistant","content":{content}}}}}"#)
}

#[test]
fn every_kind_of_item() {
    let harness = |harness: Harness| format!("{:?}", ItemKind::Harness(harness));
    let title = |kind: TitleKind| format!("{:?}", ItemKind::Title(kind));
    let queued = |fields: &str| format!(r#"{{"type":"attachment","attachment":{{"type":"queued_command",{fields}}}}}"#);
    #[rustfmt::skip]
    let cases = [
        (user(r#""fix \"it\"""#), vec![("HumanPrompt".to_owned(), "fix \"it\"")]),
        (user(r#"[{"type":"image"},{"type":"text","text":"[Image #1] fix this"}]"#), vec![("HumanPrompt".into(), "[Image #1] fix this")]),
        (user(r#"[{"type":"image"}]"#), vec![("Other".into(), "")]),
        (user("5"), vec![("Other".into(), "")]),
        (r#"{"type":"user"}"#.into(), vec![("Other".into(), "")]),
        (user(r#""<command-name>/clear</command-name>""#), vec![(harness(Harness::Tag), "<command-name>/clear</command-name>")]),
        (user(r#"[{"type":"text","text":"<ide_selection>x"},{"type":"text","text":"explain"}]"#),
            vec![(harness(Harness::Tag), "<ide_selection>x"), ("HumanPrompt".into(), "explain")]),
        (user(r#"[{"type":"text","text":"[Request interrupted by user]"}]"#), vec![(harness(Harness::Interruption), "[Request interrupted by user]")]),
        (user(r#"[{"type":"tool_result","tool_use_id":"t","content":"a\nb"},{"type":"text","text":"by the way"}]"#),
            vec![("ToolResult".into(), "a\nb"), (harness(Harness::BesideToolResult), "by the way")]),
        (user(r#"[{"type":"tool_result","content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}]"#),
            vec![("ToolResult".into(), "a\nb")]),
        (user(r#"[{"type":"tool_result"}]"#), vec![("ToolResult".into(), "")]),
        (r#"{"type":"user","isMeta":true,"message":{"content":"x"}}"#.into(), vec![(harness(Harness::Meta), "x")]),
        (r#"{"type":"user","isCompactSummary":true,"message":{"content":"x"}}"#.into(), vec![(harness(Harness::CompactSummary), "x")]),
        (r#"{"type":"user","origin":{"kind":"task"},"message":{"content":"x"}}"#.into(), vec![(harness(Harness::OtherOrigin), "x")]),
        (r#"{"type":"user","origin":{"kind":"human"},"message":{"content":"x"}}"#.into(), vec![("HumanPrompt".into(), "x")]),
        (r#"{"type":"user","isSidechain":true,"message":{"content":"x"}}"#.into(), vec![(harness(Harness::AgentPrompt), "x")]),
        (assistant(r#"[{"type":"thinking","thinking":"hm"},{"type":"text","text":"so"},{"type":"redacted_thinking","data":"x"},
            {"type":"tool_use","name":"Bash","input":{"command":"ls"}},{"type":"text","text":"then"}]"#).replace('\n', " "),
            vec![("Thinking".into(), "hm"), ("AssistantText".into(), "so"), ("ToolCall Bash".into(), "command: ls"), ("AssistantText".into(), "then")]),
        (assistant(r#"[{"type":"server_tool_use","name":"web_search","input":{"query":"q"}},{"type":"web_search_tool_result","content":[]}]"#),
            vec![("ToolCall web_search".into(), "query: q"), ("ToolResult".into(), "")]),
        (assistant(r#""plain""#), vec![("AssistantText".into(), "plain")]),
        (assistant(r#"["\ud83d",{"text":"a"},7,{"text":"b","text":"c"},{"text":"d"}]"#),
            vec![("AssistantText".into(), "a"), ("AssistantText".into(), "d")]),
        (assistant(r#"[{"type":"fallback"}]"#), vec![("Other".into(), "")]),
        // Records without a type have been seen: the role tells.
        (r#"{"message":{"role":"assistant","content":"x"}}"#.into(), vec![("AssistantText".into(), "x")]),
        (r#"{"type":"system","subtype":"informational","content":"note"}"#.into(), vec![("System".into(), "note")]),
        (r#"{"type":"system","subtype":"turn_duration"}"#.into(), vec![("System".into(), "")]),
        (queued(r#""prompt":"also this","commandMode":"prompt""#), vec![("HumanPrompt".into(), "also this")]),
        (queued(r#""prompt":[{"type":"text","text":"and that"}]"#), vec![("HumanPrompt".into(), "and that")]),
        (queued(r#""prompt":"<task-notification>done""#), vec![(harness(Harness::Tag), "<task-notification>done")]),
        (queued(r#""prompt":"x","commandMode":"task-notification""#), vec![(harness(Harness::OtherOrigin), "x")]),
        (queued(r#""prompt":"x","isMeta":true"#), vec![(harness(Harness::Meta), "x")]),
        (r#"{"type":"attachment","attachment":{"type":"hook_success","content":"noise"}}"#.into(), vec![("Hook".into(), "")]),
        (r#"{"type":"attachment","attachment":{"type":"skill_listing","content":"noise"}}"#.into(), vec![]),
        (r#"{"type":"custom-title","customTitle":"t"}"#.into(), vec![(title(TitleKind::Custom), "t")]),
        (r#"{"type":"custom-title","customTitle":""}"#.into(), vec![]),
        (r#"{"type":"ai-title","aiTitle":"t"}"#.into(), vec![(title(TitleKind::Ai), "t")]),
        (r#"{"type":"summary","summary":"t"}"#.into(), vec![(title(TitleKind::Summary), "t")]),
        (r#"{"type":"agent-name","agentName":"t"}"#.into(), vec![(title(TitleKind::AgentName), "t")]),
        (r#"{"type":"tag","tag":"t"}"#.into(), vec![(title(TitleKind::Tag), "t")]),
        (r#"{"type":"last-prompt","lastPrompt":"t"}"#.into(), vec![]),
        (r#"{"type":"hologram","content":"t"}"#.into(), vec![]),
        ("{}".into(), vec![]),
    ];
    for (line, expected) in cases {
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(kind, text)| (kind, text.to_owned()))
            .collect();
        assert_eq!(items(&line), expected, "{line}");
    }
}

#[test]
fn items_say_where_and_when_and_whose() {
    let line = r#"{"type":"assistant","uuid":"u1","timestamp":"2026-01-01T09:00:00.5Z","isSidechain":true,"message":{"id":"m1","content":[{"text":"a"},{"text":"b"}]}}"#;
    let content = format!("\n{{\"type\":\"mode\"}}\n{line}\n");
    let mut seen = Vec::new();
    let reading = TranscriptReader::new().read(content.as_bytes(), &mut |found| {
        let Found::Item(item) = found else { panic!("{found:?}") };
        assert_eq!((item.line, item.offset, item.record), (3, 17, RecordKind::Assistant));
        assert_eq!(item.timestamp_ms, Some(1_767_258_000_500));
        assert_eq!(
            (item.uuid.as_deref(), item.message_id.as_deref()),
            (Some("u1"), Some("m1"))
        );
        assert!(item.is_sidechain);
        seen.push((item.part, item.text.to_owned()));
        ControlFlow::Continue(())
    });
    assert_eq!(reading.unwrap(), Ending::Complete);
    assert_eq!(seen, [(0, "a".to_owned()), (1, "b".to_owned())]);
}

#[test]
fn damage_is_counted_and_read_around() {
    use ProblemKind::{InvalidUtf8, LoneSurrogate, NotAnObject, NulBytes, Torn};
    let good = user(r#""good""#);
    let content = [
        b"\xef\xbb\xbf".to_vec(),
        format!("{good}\r\n\r\n").into_bytes(),
        b"noise\n".to_vec(),
        format!("\0\0\0\0{good}\n").into_bytes(),
        vec![0; 5000],
        b"\n".to_vec(),
        user(r#""caf\ud83d""#).into_bytes(),
        b"\n".to_vec(),
        user("\"a\u{1}b\"")
            .replace('\u{1}', "\u{e9}")
            .into_bytes()
            .into_iter()
            .filter(|byte| *byte != 0xc3)
            .collect(),
        b"\n[\"user\"]\n".to_vec(),
        format!("{good}\n{good}").into_bytes(),
        b"\n{\"type\":\"user\",\"mess".to_vec(),
    ]
    .concat();
    let expected = [
        (3, NotAnObject),
        (4, NulBytes),
        (5, NulBytes),
        (6, LoneSurrogate),
        (7, InvalidUtf8),
        (8, NotAnObject),
        (11, Torn),
    ];
    assert_eq!(problems(&content), expected);
    let texts: Vec<_> = items(&content).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["good", "good", "caf\u{fffd}", "a\u{fffd}b", "good", "good"]);
    let summary = read(&content).1;
    // The torn line is nobody's yet.
    assert_eq!(
        (summary.counts.lines, summary.counts.problems, summary.counts.user),
        (9, 6, 6)
    );
}

#[test]
fn one_pass_gives_the_summary() {
    let record = |fields: &str| format!("{{{fields}}}\n");
    let answer = |id: &str, at: &str, output: u64, model: &str| {
        record(&format!(
            r#""type":"assistant","timestamp":"2026-01-01T{at}Z","cwd":"/w/sub","gitBranch":"main","version":"2.1.1","requestId":"r","message":{{"id":"{id}","model":"{model}","content":[{{"text":"x"}}],"usage":{{"input_tokens":10,"output_tokens":{output},"cache_read_input_tokens":1}}}}"#
        ))
    };
    let fork = "33a8e781-9766-4574-a7aa-1ce12b8b16b7";
    let content = [
        record(r#""type":"mode""#),
        record(&format!(
            r#""type":"user","timestamp":"2026-01-01T09:00:05Z","cwd":"/w","version":"2.1.0","slug":"quiet-fox","forkedFrom":{{"sessionId":"{fork}"}},"message":{{"content":"hello"}}"#
        )),
        answer("m1", "09:00:00", 5, "opus"),
        answer("m1", "09:00:07", 50, "opus"),
        record(r#""type":"assistant","isSidechain":true,"cwd":"/side","message":{"model":"haiku","content":[]}"#),
        answer("m2", "09:00:06", 1, "<synthetic>"),
        record(r#""type":"user","message":{"content":[{"type":"tool_result","content":"x"}]}"#),
        record(r#""type":"system","content":"x""#),
        record(r#""type":"attachment","attachment":{"type":"hook_success"}"#),
        record(&format!(r#""type":"continued-in","continuedInSessionId":"{fork}""#)),
        record(r#""type":"worktree-state","worktreeSession":{"worktreePath":"/tree"}"#),
        record(r#""type":"worktree-state","worktreeSession":null"#),
    ]
    .concat();
    let summary = read(&content).1;
    let fork = SessionId::parse(fork).unwrap();
    assert_eq!(summary.title().map(|(title, _)| title), Some("hello"));
    assert_eq!(summary.directory(), Some(Path::new("/tree")));
    assert_eq!(summary.first_directory(), Some(Path::new("/w")));
    assert_eq!(
        (summary.model(), summary.branch(), summary.version()),
        (Some("opus"), Some("main"), Some("2.1.1"))
    );
    assert_eq!(summary.models, ["opus", "haiku"]);
    assert_eq!(summary.versions, ["2.1.0", "2.1.1"]);
    assert_eq!(summary.first_activity_ms, Some(1_767_258_000_000));
    assert_eq!(summary.last_activity_ms, Some(1_767_258_007_000));
    assert_eq!((summary.forked_from, summary.continued_in), (Some(fork), Some(fork)));
    assert_eq!(summary.plan.as_deref(), Some("quiet-fox"));
    let expected = Usage {
        input: 20,
        output: 51,
        cache_creation: 0,
        cache_read: 2,
    };
    assert_eq!(summary.usage, expected);
    let counts = summary.counts;
    assert_eq!(
        (counts.lines, counts.user, counts.assistant, counts.system, counts.hooks),
        (12, 2, 4, 1, 1)
    );
    assert_eq!((counts.human_prompts, counts.answers, counts.tool_results), (1, 3, 1));

    // Real messages after it make `continued-in` void.
    let summary = read(content + &answer("m3", "09:00:08", 1, "opus")).1;
    assert_eq!(summary.continued_in, None);
}

#[test]
fn a_line_longer_than_any_is_skipped_and_its_neighbours_are_read() {
    use std::io::Read;
    let good = format!("{}\n", user(r#""good""#));
    let long = std::io::repeat(b'x').take(65 * 1024 * 1024);
    let source = good.as_bytes().chain(long).chain(&b"\n"[..]).chain(good.as_bytes());
    let mut reader = TranscriptReader::new();
    let mut kept = Vec::new();
    let reading = reader.read(source, &mut |found| {
        kept.push(keep(found));
        ControlFlow::Continue(())
    });
    assert_eq!(reading.unwrap(), Ending::Complete);
    assert_eq!(kept.len(), 3);
    assert!(matches!(
        kept[1],
        Kept::Problem(Problem {
            line: 2,
            kind: ProblemKind::TooLong,
            ..
        })
    ));
    assert!(matches!(&kept[2], Kept::Item(3, _, 0, _, _, text) if text == "good"));
    assert_eq!(reader.state().offset(), good.len() as u64 * 2 + 65 * 1024 * 1024 + 1);
}

#[test]
fn a_long_text_comes_in_several_items() {
    let text = "word\n".repeat(600_000);
    let content = serde_json::json!([{ "text": "a" }, { "text": text }, { "text": "b" }]);
    let mut seen = Vec::new();
    let mut reader = TranscriptReader::new();
    let reading = reader.read(user(&content.to_string()).as_bytes(), &mut |found| {
        let Found::Item(item) = found else { panic!("{found:?}") };
        assert_eq!(item.kind, ItemKind::HumanPrompt);
        seen.push((item.part, item.continues, item.text.to_owned()));
        ControlFlow::Continue(())
    });
    assert_eq!(reading.unwrap(), Ending::Complete);
    let shape: Vec<_> = seen.iter().map(|(part, continues, _)| (*part, *continues)).collect();
    assert_eq!(shape, [(0, false), (1, false), (2, true), (3, true), (4, false)]);
    assert!(seen[1..4].iter().map(|(_, _, text)| text.as_str()).collect::<String>() == text);
    assert_eq!(reader.summary().counts.human_prompts, 3);
}

#[test]
fn a_receiver_that_has_enough_stops_the_reading() {
    let content = format!("{0}\n{0}\n", user(r#"[{"text":"a"},{"text":"b"}]"#));
    let mut reader = TranscriptReader::new();
    let mut seen = 0;
    let reading = reader.read(content.as_bytes(), &mut |_| {
        seen += 1;
        ControlFlow::Break(())
    });
    assert_eq!((reading.unwrap(), seen), (Ending::Stopped, 1));
    assert_eq!(reader.state().offset(), content.len() as u64 / 2);
    assert_eq!(reader.summary().counts.human_prompts, 2);
}

#[test]
fn a_file_is_read_on_from_where_it_ended() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.jsonl");
    let line = format!("{}\n", user(r#""a""#));
    std::fs::write(&path, &line).unwrap();
    let mut seen = 0;
    let mut count = |_: Found<'_>| {
        seen += 1;
        ControlFlow::Continue(())
    };
    let mut reader = TranscriptReader::new();
    reader.read_file(&path, &mut count).unwrap();
    std::fs::write(&path, line.repeat(3)).unwrap();
    let mut reader = TranscriptReader::resume(reader.into_state());
    reader.read_file(&path, &mut count).unwrap();
    assert_eq!(reader.summary().counts.user, 3);
    std::fs::write(&path, "").unwrap();
    let error = reader.read_file(&path, &mut count).unwrap_err();
    assert!(matches!(error, ReadError::Shrunk { size: 0, .. }), "{error}");
    let error = reader.read_file(directory.path(), &mut count).unwrap_err().to_string();
    assert!(error.starts_with("read transcript `"), "{error}");
    assert_eq!(seen, 3);
}

#[test]
fn a_state_of_another_version_is_not_taken() {
    let mut reader = TranscriptReader::new();
    go_on(&mut reader, user(r#""a""#).as_bytes());
    let json = reader.state().to_json();
    assert_eq!(ReadState::from_json(&json).as_ref(), Some(reader.state()));
    let newer = json.replacen("\"version\":1", "\"version\":2", 1);
    assert_ne!(newer, json);
    assert_eq!(ReadState::from_json(&newer), None);
    for damaged in ["", "{}", "[]", &json[..json.len() / 2]] {
        assert_eq!(ReadState::from_json(damaged), None);
    }
}

#[test]
fn the_states_bytes() {
    let mut reader = TranscriptReader::new();
    let line = r#"{"type":"assistant","timestamp":"2026-01-01T09:00:00Z","cwd":"/w","message":{"id":"m","model":"opus","usage":{"output_tokens":5}}}"#;
    go_on(&mut reader, line.as_bytes());
    insta::assert_snapshot!(reader.state().to_json());
}

/// Lines of every shape, whole and damaged.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let text = r#"[a-c<\\"\u{e9}\u{1f600}\n ]{0,6}"#.prop_map(|text: String| serde_json::to_string(&text).unwrap());
    let time = (0..60_u8).prop_map(|second| format!("2026-01-01T09:00:{second:02}Z"));
    let record = (text, time, 0..10_u8, 0..4_u8).prop_map(|(text, time, kind, id)| match kind {
        0 => format!(r#"{{"type":"user","timestamp":"{time}","cwd":"/w{id}","message":{{"content":{text}}}}}"#),
        1 => format!(
            r#"{{"type":"assistant","timestamp":"{time}","requestId":"r","message":{{"id":"m{id}","content":[{{"text":{text}}},{{"type":"tool_use","name":"T","input":{{"k":{text}}}}}],"usage":{{"output_tokens":{id}}}}}}}"#
        ),
        2 => format!(r#"{{"type":"custom-title","customTitle":{text}}}"#),
        3 => format!(r#"{{"type":"api-request-blob","message":{text}}}"#),
        4 => format!(
            r#"{{"parentUuid":null,"isSidechain":false,"attachment":{{"type":"x","content":{text}}},"type":"attachment","uuid":"u","cwd":"/a{id}"}}"#
        ),
        5 => r#"{"type":"continued-in","continuedInSessionId":"33a8e781-9766-4574-a7aa-1ce12b8b16b7"}"#.to_owned(),
        6 => format!(r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","content":{text}}}]}}}}"#),
        7 => "{\"type\":\"user\",\"message\":{\"content\":\"\\ud83d\"}}".to_owned(),
        8 => format!("{{\"type\":\"us{id}"),
        _ => " ".repeat(usize::from(id)),
    });
    (record, 0..8_u8).prop_map(|(record, damage)| {
        let bytes = record.into_bytes();
        match damage {
            0 => [b"\0\0".as_slice(), &bytes].concat(),
            1 => bytes
                .iter()
                .map(|byte| if *byte == b'a' { 0xff } else { *byte })
                .collect(),
            2 => [&bytes, b"\r".as_slice()].concat(),
            _ => bytes,
        }
    })
}

proptest! {
    /// Reading a file as it grows is reading it at once: the same items, the same lasting problems, the same summary.
    #[test]
    fn going_on_is_the_same_as_reading_at_once(
        lines in proptest::collection::vec(any_line(), 0..12), mark: bool, last_break: bool, cuts in proptest::collection::vec(0_usize..2000, 0..4),
    ) {
        let mut content = if mark { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
        content.extend(lines.join(&b'\n'));
        content.extend(last_break.then_some(b'\n'));
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(content.len())).collect();
        cuts.push(content.len());
        cuts.sort_unstable();

        let mut at_once = TranscriptReader::new();
        let (expected, ending) = go_on(&mut at_once, &content);

        let mut state = ReadState::default();
        let mut kept = Vec::new();
        let mut torn = Vec::new();
        for cut in cuts {
            // Written down and taken up again, as between two passes.
            let json = state.to_json();
            let mut reader = TranscriptReader::resume(ReadState::from_json(&json).unwrap());
            let from = usize::try_from(reader.state().offset()).unwrap();
            let (mut found, ending) = go_on(&mut reader, &content[from..cut]);
            torn = if ending == Ending::TornLine { found.split_off(found.len() - 1) } else { Vec::new() };
            kept.extend(found);
            state = reader.into_state();
        }
        kept.extend(torn);
        prop_assert_eq!(&kept, &expected);
        prop_assert_eq!(state.summary(), at_once.summary());
        prop_assert_eq!(state.offset(), at_once.state().offset());
        prop_assert_eq!(ending == Ending::TornLine, state.offset() < content.len() as u64 && !kept.is_empty() && matches!(kept.last(), Some(Kept::Problem(problem)) if problem.kind == ProblemKind::Torn));
    }

    #[test]
    fn no_bytes_panic(content in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'{'), Just(b'"'), Just(b'}'), Just(0), any::<u8>()], 0..300)) {
        let (_, summary) = read(&content);
        prop_assert!(summary.counts.problems <= summary.counts.lines + 1);
    }
}

#[test]
fn every_fixture_is_read_without_a_problem_but_the_torn_line() {
    for path in shared::fixtures("claude") {
        let content = std::fs::read(&path).unwrap();
        let (kept, summary) = read(&content);
        let damaged: Vec<_> = kept.iter().filter(|kept| matches!(kept, Kept::Problem(_))).collect();
        let is_torn = path.ends_with("torn-last-line.jsonl");
        assert_eq!(damaged.len(), usize::from(is_torn), "{}: {damaged:?}", path.display());
        assert_eq!(summary.counts.problems, 0);
        let lines = content
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .count();
        assert_eq!(
            summary.counts.lines,
            (lines - usize::from(is_torn)) as u64,
            "{}",
            path.display()
        );
        let messages = summary.counts.user + summary.counts.assistant;
        assert_eq!(summary.has_conversation(), messages > 0);

        // What is told from the two ends of a file that fits in them is what the whole tells.
        let mut ends = summarize_ends(&path).unwrap();
        if ends.is_whole {
            ends.summary.counts.problems = 0;
            ends.summary.counts.lines -= u64::from(is_torn);
            assert_eq!(ends.summary, summary, "{}", path.display());
        }
    }
}
