//! Words so common that not every match can be ranked.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

mod support;

use sexton_index::query::{Sort, View};
use support::{Machine, NOW, answer, id, prompt, title};

/// The minute of the hour before [`NOW`] in which something was said.
fn minute(at_ms: Option<i64>) -> i64 {
    60 - (NOW - at_ms.unwrap()) / 60_000
}

fn machine() -> Machine {
    let machine = Machine::new();
    let first = machine.transcript("-w", id(1));
    let second = machine.transcript("-w", id(2));
    let agent = first.with_extension("").join("subagents/agent-a.jsonl");
    let many = |minute: u32, count: usize| answer(minute, "a common word").repeat(count);
    machine.write(
        &first,
        &[
            title("a common title"),
            prompt(9, "a common question"),
            many(10, 3000),
            many(59, 1),
        ]
        .concat(),
    );
    machine.write(&agent, &many(20, 1500));
    machine.write(&second, &[many(30, 500), many(57, 1), many(58, 1)].concat());
    machine.pass();
    machine
}

#[test]
fn the_newest_messages_come_first_wherever_they_stand() {
    let answer = machine().search_with("common", |request| {
        request.sort = Sort::Newest;
        request.limit = 4;
    });
    let minutes: Vec<i64> = answer.hits.iter().map(|hit| minute(hit.at_ms)).collect();
    assert_eq!(minutes, [59, 58, 57, 30]);
    assert!(!answer.is_exact && answer.total >= 4);
}

#[test]
fn the_best_hit_of_a_session_is_found_among_thousands() {
    let answer = machine().search_with("common", |request| request.view = View::Sessions);
    let lines: Vec<_> = answer.hits.iter().map(|hit| (hit.session, hit.line)).collect();
    assert_eq!(lines, [(id(1), 1), (id(2), 502)]);
    assert!(!answer.is_exact);
}
