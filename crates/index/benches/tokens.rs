//! The tokenizer, on what sessions are made of.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use sexton_index::tokens::Tokenizer;

fn main() {
    divan::main();
}

const PROSE: &str =
    "The retry loop in the dispatcher swallows the first error, so that a stale lease is renewed for ever. ";
const CODE: &str =
    "let header = parse_header(&buffer[..HEADER_LEN]).map_err(|error| ParseError::at(path, error))?;\n    ";
const OUTPUT: &str =
    "crates/core/src/retry_policy.rs:118:24: error[E0308]: expected `Duration`, found `u64` 3fa9c1d7e2b0\n";
const CJK: &str = "解析器在读取标头时丢失最后一行、ファイルの読み込みでエラーが出るので修正してください。";

#[divan::bench(args = [("prose", PROSE), ("code", CODE), ("output", OUTPUT), ("Chinese and Japanese", CJK)])]
fn message_of_8_kb(bencher: Bencher<'_, '_>, (_, piece): (&str, &str)) {
    // Numbered, since a message that only repeats itself would be one lookup a word.
    let mut text = String::new();
    let mut number = 0;
    while text.len() < 8_000 {
        text += piece;
        text += &number.to_string();
        number += 7919;
    }
    let mut tokenizer = Tokenizer::new();
    bencher.counter(BytesCount::new(text.len())).bench_local(move || {
        let mut length = 0;
        tokenizer.each(black_box(&text), |token| length += token.len());
        length
    });
}
