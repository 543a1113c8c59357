//! The engine: turning messages into lists, and asking for words of each rarity.

#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use rusqlite::Connection;
use sexton_index::engine::{Engine, Inverted, Inverter, Question, TABLES};
use sexton_index::query::Query;

fn main() {
    divan::main();
}

/// Messages of a unit.
const MESSAGES: u64 = 5_000;

/// Units, each of which becomes a segment.
const UNITS: u64 = 8;

/// The tokens of a message: most from a few common words, some from many rare ones, as in any text.
fn tokens(message: u64) -> impl Iterator<Item = String> {
    let mut state = message.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..100).map(move |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // Few have many leading zeros: a word's rank among the others, roughly as in a language.
        let most = 1_u64 << (state % 18);
        format!("word{}", (state >> 20) % most)
    })
}

fn invert(unit: u64, inverter: &mut Inverter) -> Inverted {
    for message in unit * MESSAGES..(unit + 1) * MESSAGES {
        for token in tokens(message) {
            inverter.add(&token);
        }
        inverter.end_message();
    }
    inverter.finish()
}

#[divan::bench]
fn inverting_5000_messages(bencher: Bencher<'_, '_>) {
    let messages: Vec<Vec<String>> = (0..MESSAGES).map(|message| tokens(message).collect()).collect();
    let mut inverter = Inverter::new();
    bencher.counter(ItemsCount::new(MESSAGES)).bench_local(|| {
        for message in &messages {
            for token in message {
                inverter.add(black_box(token));
            }
            inverter.end_message();
        }
        inverter.finish()
    });
}

#[divan::bench(args = ["word0", "word0 word1", "word99991", "word0 word99991", "word1* -word0", "word5 OR word99991"])]
fn asking_for(bencher: Bencher<'_, '_>, query: &str) {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(TABLES).unwrap();
    let engine = Engine::new(&connection);
    let mut inverter = Inverter::new();
    for unit in 0..UNITS {
        let first = i64::try_from(unit * MESSAGES).unwrap();
        engine.append(first, &[&invert(unit, &mut inverter)]).unwrap();
    }
    let plan = Query::parse(query).plan().unwrap();
    let question = Question {
        plan: Some(&plan),
        ..Question::default()
    };
    bencher.bench_local(|| engine.find(black_box(question), 4_000).unwrap());
}
