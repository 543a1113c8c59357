#![expect(clippy::cast_possible_wrap, reason = "small numbers of a test")]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::query::Query;
use crate::tokens::{Needs, Tokenizer, tokens_of};

fn table() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(segments::TABLES).unwrap();
    connection
}

fn invert(messages: &[&[&str]]) -> Inverted {
    let mut inverter = Inverter::new();
    for message in messages {
        for token in *message {
            inverter.add(token);
        }
        inverter.end_message();
    }
    inverter.finish()
}

/// Stores `texts` as messages from 0 on, each with a kind and a tool.
fn add(connection: &Connection, texts: &[&str]) {
    let mut inverter = Inverter::new();
    let mut tokenizer = Tokenizer::new();
    for text in texts {
        tokenizer.each(text, |token| inverter.add(token));
        inverter.add(&Mark::Kind(Kind::Prompt).token());
        inverter.add(&Mark::Tool("Bash".to_owned()).token());
        inverter.end_message();
    }
    Engine::new(connection).append(0, &[&inverter.finish()]).unwrap();
}

fn find(connection: &Connection, query: &str, marks: &[Vec<Mark>], within: Option<&MessageRanges>) -> Vec<i64> {
    let plan = Query::parse(query).plan().unwrap();
    let question = Question {
        plan: Some(&plan),
        marks,
        within,
    };
    Engine::new(connection).find(question, 100).unwrap()
}

fn segments(connection: &Connection) -> usize {
    segments::live(connection).unwrap().len()
}

#[test]
fn the_language_finds_what_it_says() {
    let connection = table();
    let texts = [
        "how does load_all work in src/main.rs",
        "getUserById fails with error[E0308]",
        "検索結果を表示する",
        "deadlock in sqlite",
        "5e6f3c1a-0000-4000-8000-0123456789ab was deleted, don't panic",
    ];
    add(&connection, &texts);
    for (query, expected) in [
        ("load_all", vec![0]),
        ("load", vec![0]),
        ("main.rs", vec![0]),
        ("src/main.rs", vec![0]),
        ("src/*", vec![0]),
        ("getuserbyid", vec![1]),
        ("UserById", vec![1]),
        ("userby", vec![1]),
        ("E0308", vec![1]),
        ("検索", vec![2]),
        ("示", vec![2]),
        ("る", vec![2]),
        ("dead*", vec![3]),
        ("deadlock OR getUserById", vec![3, 1]),
        ("in -sqlite", vec![0]),
        ("5e6f3c1a", vec![4]),
        ("5e6f3c1a-0000-4000-8000-0123456789ab", vec![4]),
        ("DON'T", vec![4]),
        ("deadlock getUserById", vec![]),
    ] {
        assert_eq!(find(&connection, query, &[], None), expected, "{query}");
    }
}

#[test]
fn marks_and_ranges_narrow_and_no_text_reaches_marks() {
    let connection = table();
    add(&connection, &["same word", "same word", "same =k1 word"]);
    let within = MessageRanges::of([(1, 1)]);
    assert_eq!(find(&connection, "same", &[], Some(&within)), [1]);
    assert_eq!(
        find(&connection, "same", &[], Some(&MessageRanges::default())),
        Vec::<i64>::new()
    );
    let tools = [vec![Mark::Tool("bash".to_owned())], vec![Mark::Kind(Kind::Prompt)]];
    assert_eq!(find(&connection, "same", &tools, None), [2, 1, 0]);
    assert_eq!(find(&connection, "k1", &[], None), [2]);
    assert_eq!(
        find(&connection, "same", &[vec![Mark::Kind(Kind::Answer)]], None),
        Vec::<i64>::new()
    );
}

#[test]
fn long_queries_are_no_error() {
    let connection = table();
    add(&connection, &["one"]);
    let many: Vec<String> = (0..5000).map(|number| format!("w{number}")).collect();
    assert!(find(&connection, &many.join(" "), &[], None).is_empty());
    assert!(find(&connection, &many.join(" OR "), &[], None).is_empty());
    assert!(find(&connection, &format!("one -{}", many.join(" -")), &[], None).len() == 1);
}

#[test]
fn a_message_of_too_many_words_has_the_first_of_them() {
    let connection = table();
    let mut inverter = Inverter::new();
    for number in 0..=invert::MOST_OF_ONE {
        inverter.add(&format!("w{number}"));
    }
    inverter.end_message();
    inverter.add("next");
    inverter.end_message();
    Engine::new(&connection).append(0, &[&inverter.finish()]).unwrap();
    for (query, expected) in [
        ("w0".to_owned(), vec![0]),
        (format!("w{}", invert::MOST_OF_ONE - 1), vec![0]),
        (format!("w{}", invert::MOST_OF_ONE), vec![]),
        ("next".to_owned(), vec![1]),
    ] {
        assert_eq!(find(&connection, &query, &[], None), expected, "{query}");
    }
}

#[test]
fn ranges_that_touch_are_one() {
    let ranges = MessageRanges::of([(8, 9), (1, 3), (4, 5), (7, 6), (-4, 2)]);
    assert_eq!(ranges, MessageRanges::of([(8, 9), (1, 5)]));
    assert_eq!(
        [0, 1, 6, 9, 20].map(|most| ranges.highest(most)),
        [None, Some(1), Some(5), Some(9), Some(9)]
    );
}

#[test]
fn a_thousand_small_appends_leave_few_segments_and_are_found() {
    let connection = table();
    let engine = Engine::new(&connection);
    for number in 0..1000_i64 {
        let own = format!("own{number}");
        engine.append(number, &[&invert(&[&["all", &own]])]).unwrap();
        assert!(segments(&connection) <= 20);
    }
    let blocks: i64 = connection
        .query_row("SELECT count(*) FROM posting", [], |row| row.get(0))
        .unwrap();
    assert!(blocks < 60, "{blocks} blocks");
    for number in (0..1000).step_by(37) {
        assert_eq!(find(&connection, &format!("own{number}"), &[], None), [number]);
    }
    assert_eq!(
        find(&connection, "all", &[], None),
        (900..1000).rev().collect::<Vec<_>>()
    );
}

#[test]
fn a_small_append_is_not_held_up_by_a_large_merge() {
    let connection = table();
    let engine = Engine::new(&connection);
    let words: Vec<String> = (0..40_000).map(|number| format!("word{number}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let blocks = || -> i64 {
        connection
            .query_row("SELECT count(*) FROM posting", [], |row| row.get(0))
            .unwrap()
    };
    // Each is one message, so that the fourth begins a merge of them all; a small share of it is done with each of the next.
    let mut largest = 0;
    for number in 0..4 {
        engine.append(number, &[&invert(&[&words])]).unwrap();
    }
    for number in 4..200 {
        let before = blocks();
        engine.append(number, &[&invert(&[&["small"]])]).unwrap();
        largest = largest.max((blocks() - before).abs());
        assert_eq!(find(&connection, "word39999", &[], None), [3, 2, 1, 0]);
    }
    assert!(largest <= 20, "one append changed the number of blocks by {largest}");
}

#[test]
fn what_is_removed_is_gone_and_forgotten_once_merged() {
    let connection = table();
    let engine = Engine::new(&connection);
    for number in 0..3 {
        engine.append(number, &[&invert(&[&["a"]])]).unwrap();
    }
    engine.remove(1..=1).unwrap();
    assert_eq!(find(&connection, "a", &[], None), [2, 0]);
    let removed = || -> i64 {
        connection
            .query_row("SELECT count(*) FROM removed", [], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(removed(), 1);
    for number in 3..9 {
        engine.append(number, &[&invert(&[&["b"]])]).unwrap();
    }
    assert_eq!(removed(), 0);
    assert_eq!(find(&connection, "a", &[], None), [2, 0]);
}

#[test]
fn damaged_blocks_are_damage() {
    for change in [
        "UPDATE posting SET block = x''",
        "UPDATE posting SET block = x'FF'",
        "UPDATE posting SET block = substr(block, 1, length(block) / 2)",
        "UPDATE segment SET last = -1",
        "UPDATE segment SET first = 0, last = 9000000000000000000",
    ] {
        let connection = table();
        let engine = Engine::new(&connection);
        for number in 0..3 {
            engine.append(number, &[&invert(&[&["aa", "ab", "ac"]])]).unwrap();
        }
        connection.execute(change, []).unwrap();
        for query in ["aa", "a*", "zz OR ac"] {
            let plan = Query::parse(query).plan().unwrap();
            let question = Question {
                plan: Some(&plan),
                ..Question::default()
            };
            if let Err(error) = engine.find(question, 9) {
                assert!(crate::error::is_damage(&error), "{change}: {error}");
            }
        }
        if let Err(error) = engine.append(3, &[&invert(&[&["aa"]])]) {
            assert!(crate::error::is_damage(&error), "{change}: {error}");
        }
    }
}

/// What the engine must answer, by looking at every message.
#[derive(Debug, Default)]
struct Model {
    messages: BTreeMap<i64, BTreeSet<String>>,
}

impl Model {
    fn holds(tokens: &BTreeSet<String>, needs: &Needs) -> bool {
        match needs {
            Needs::Token(token) => tokens.contains(token),
            Needs::Prefix(prefix) => tokens.iter().any(|token| token.starts_with(prefix)),
            Needs::All(all) => all.iter().all(|needs| Self::holds(tokens, needs)),
            Needs::Any(any) => any.iter().any(|needs| Self::holds(tokens, needs)),
        }
    }

    fn find(&self, question: Question<'_>, most: usize) -> Vec<i64> {
        let plan = question.plan.unwrap();
        let fits = |(number, tokens): &(&i64, &BTreeSet<String>)| {
            Self::holds(tokens, &plan.needs)
                && !plan.excludes.iter().any(|needs| Self::holds(tokens, needs))
                && question
                    .marks
                    .iter()
                    .all(|marks| marks.is_empty() || marks.iter().any(|mark| tokens.contains(&mark.token())))
                && question
                    .within
                    .is_none_or(|within| within.iter().any(|range| range.contains(number)))
        };
        let found = self.messages.iter().rev().filter(fits);
        found.map(|(number, _)| *number).take(most).collect()
    }
}

#[derive(Debug, Clone)]
enum Step {
    /// Units of messages, each by the numbers of its words.
    Append(Vec<Vec<Vec<u32>>>),
    Remove(i64, i64),
    Find {
        query: String,
        kinds: Vec<bool>,
        within: Option<(i64, i64)>,
        most: usize,
    },
}

/// Few words that are common, many that are rare, and some that are long.
fn word(number: u32) -> String {
    match number {
        0..40 => format!("w{}", number % 8),
        40..60 => format!("long{}", "x".repeat(number as usize)),
        _ => format!("r{number}"),
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let message = proptest::collection::vec(0_u32..900, 0..30);
    let units = proptest::collection::vec(proptest::collection::vec(message, 0..12), 1..4);
    let term = (0_u32..100).prop_map(|number| match number % 9 {
        0 => "w*".to_owned(),
        1 => format!("-w{}", number % 8),
        2 => "r1*".to_owned(),
        3 => "OR".to_owned(),
        4 => format!("-r{number}"),
        _ => word(number),
    });
    let find = (
        proptest::collection::vec(term, 1..5),
        proptest::collection::vec(any::<bool>(), 2),
        proptest::option::of((0_i64..150, 0_i64..150)),
        prop_oneof![Just(1_usize), Just(7), Just(1000)],
    );
    let step = prop_oneof![
        4 => units.prop_map(Step::Append),
        1 => (0_i64..150, 0_i64..6).prop_map(|(first, count)| Step::Remove(first, first + count)),
        3 => find.prop_map(|(terms, kinds, within, most)| Step::Find { query: terms.join(" "), kinds, within, most }),
    ];
    proptest::collection::vec(step, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_engine_answers_as_looking_at_each_message_would(steps in steps()) {
        let connection = table();
        let engine = Engine::new(&connection);
        let mut model = Model::default();
        let mut next = 0;
        for step in steps {
            match step {
                Step::Append(units) => {
                    let first = next;
                    let mut inverted = Vec::new();
                    for unit in units {
                        let mut inverter = Inverter::new();
                        for words in unit {
                            let mut tokens: BTreeSet<String> = words.into_iter().map(word).collect();
                            tokens.insert(Mark::Kind(if next % 3 == 0 { Kind::Prompt } else { Kind::Answer }).token());
                            for token in &tokens {
                                inverter.add(token);
                            }
                            inverter.end_message();
                            model.messages.insert(next, tokens);
                            next += 1;
                        }
                        inverted.push(inverter.finish());
                    }
                    engine.append(first, &inverted.iter().collect::<Vec<_>>()).unwrap();
                }
                Step::Remove(first, last) => {
                    // Only what is there is removed, and once.
                    for number in first..=last {
                        if model.messages.remove(&number).is_some() {
                            engine.remove(number..=number).unwrap();
                        }
                    }
                }
                Step::Find { query, kinds, within, most } => {
                    let Ok(plan) = Query::parse(&query).plan() else { continue };
                    let kinds = kinds.iter().zip([Kind::Prompt, Kind::Answer]).filter(|(wanted, _)| **wanted);
                    let marks = [kinds.map(|(_, kind)| Mark::Kind(kind)).collect()];
                    let within = within.map(|(first, last)| MessageRanges::of([(first, last), (last, first)]));
                    let question = Question { plan: Some(&plan), marks: &marks, within: within.as_ref() };
                    prop_assert_eq!(engine.find(question, most).unwrap(), model.find(question, most), "{}", query);
                }
            }
        }
        prop_assert!(segments(&connection) <= 33);
    }

    /// What was inverted is what was added, whatever the tokens.
    #[test]
    fn any_token_is_found(tokens in proptest::collection::btree_set("[a-z0-9_.検索é]{1,50}", 1..40)) {
        let connection = table();
        let messages: Vec<[&str; 2]> = tokens.iter().map(|token| [&token[..], "="]).collect();
        let messages: Vec<&[&str]> = messages.iter().map(|message| &message[..]).collect();
        Engine::new(&connection).append(5, &[&invert(&messages)]).unwrap();
        for (index, token) in tokens.iter().enumerate() {
            let plan = crate::query::Plan {
                needs: Needs::Token(token.clone()),
                excludes: Vec::new(),
                verification: crate::query::Verification::default(),
            };
            let question = Question { plan: Some(&plan), ..Question::default() };
            prop_assert_eq!(Engine::new(&connection).find(question, 9).unwrap(), vec![5 + index as i64]);
        }
    }

    /// No text is an error, and a query made of a message's own text finds it, by tokens and by verification.
    #[test]
    fn any_text_is_a_query_and_finds_itself(text in "(?s)[^-\"*O]{0,60}|[a-zA-NP-Z_./:'検索 ]{0,40}", junk in "(?s).{0,40}") {
        let connection = table();
        add(&connection, &[&text]);
        if let Ok(plan) = Query::parse(&text).plan() {
            let question = Question { plan: Some(&plan), ..Question::default() };
            prop_assert_eq!(Engine::new(&connection).find(question, 9).unwrap(), vec![0]);
            prop_assert!(plan.verification.holds(&text));
        }
        if let Ok(plan) = Query::parse(&junk).plan() {
            let question = Question { plan: Some(&plan), ..Question::default() };
            Engine::new(&connection).find(question, 9).unwrap();
        }
    }

    /// The matcher sees every word that the tokens promise: marks in snippets never miss.
    #[test]
    fn what_the_tokens_have_the_matcher_finds(text in "[a-zA-Z0-9_./' 検索結]{1,40}") {
        for token in tokens_of(&text).split(' ').filter(|token| !token.is_empty()) {
            let open_end = token.chars().count() == 1;
            prop_assert!(crate::matching::Needle::new(token, open_end).is_in(&text), "{} in {}", token, text);
        }
    }
}
