//! What the store does for each line: reading it, printing it, reducing a session to its summary.

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use sexton_register::{Event, SessionId, event_to_json, parse_event, summarize};
use sexton_testkit::{NOW_MS, register, session_id};

fn main() {
    divan::main();
}

fn lines(count: i64) -> Vec<String> {
    let id = session_id(1);
    (0..count)
        .map(|number| match number % 4 {
            0 => register::started(&id, NOW_MS + number).line(),
            1 => register::named(&id, NOW_MS + number, "mending the parser").line(),
            2 => register::mark(&id, NOW_MS + number, Some("on-hold")).line(),
            _ => register::ended(&id, NOW_MS + number, "exited").line(),
        })
        .collect()
}

fn events(count: i64) -> Vec<Event> {
    lines(count).iter().filter_map(|line| parse_event(line).ok()).collect()
}

#[divan::bench]
fn parse(bencher: Bencher<'_, '_>) {
    let lines = lines(4);
    let bytes: usize = lines.iter().map(String::len).sum();
    bencher
        .counter(ItemsCount::new(lines.len()))
        .counter(BytesCount::new(bytes))
        .bench_local(|| {
            for line in &lines {
                let _ = black_box(parse_event(black_box(line)));
            }
        });
}

#[divan::bench]
fn print(bencher: Bencher<'_, '_>) {
    let events = events(4);
    bencher.counter(ItemsCount::new(events.len())).bench_local(|| {
        for event in &events {
            black_box(event_to_json(black_box(event)));
        }
    });
}

/// In proportion to the events, whatever their order.
#[divan::bench(args = [10, 100, 1_000, 10_000])]
fn summary(bencher: Bencher<'_, '_>, count: i64) {
    let events = events(count);
    let Ok(session) = session_id(1).parse::<SessionId>() else {
        return;
    };
    bencher
        .counter(ItemsCount::new(events.len()))
        .with_inputs(|| events.clone())
        .bench_local_values(|events| summarize(session, events));
}
