//! Lines and sentences, made once and then drawn from, so that writing a corpus costs little more than copying bytes.

use super::words::{ADJECTIVES, CJK, DIRECTORIES, EXTENSIONS, GLUE, NOUNS, VERBS};
use crate::json::push_escaped;
use crate::random::Random;

/// Pieces of text, each already escaped as it stands inside a JSON string.
#[derive(Debug)]
pub(super) struct Vocabulary {
    /// English sentences about programs, with identifiers and paths in them.
    pub(super) sentences: Pieces,
    /// Sentences in Chinese and Japanese.
    pub(super) cjk: Pieces,
    /// Lines of source text.
    pub(super) code: Pieces,
    /// Lines as tools print them.
    pub(super) output: Pieces,
    /// Base64 without meaning, for signatures.
    pub(super) noise: String,
}

/// Many pieces in one allocation.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    text: String,
    ends: Vec<usize>,
}

impl Pieces {
    fn make(count: usize, random: &mut Random, mut one: impl FnMut(&mut Random) -> String) -> Self {
        let mut pieces = Self::default();
        for _ in 0..count {
            push_escaped(&mut pieces.text, &one(random));
            pieces.ends.push(pieces.text.len());
        }
        pieces
    }

    /// One of them.
    pub(super) fn draw(&self, random: &mut Random) -> &str {
        let index = random.below(self.ends.len());
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start..self.ends[index]]
    }
}

impl Vocabulary {
    /// About `count` pieces of each kind.
    pub(super) fn new(seed: u64, count: usize) -> Self {
        let mut random = Random::for_part(seed, 1 << 60);
        Self {
            sentences: Pieces::make(count, &mut random, sentence),
            cjk: Pieces::make(count / 10 + 1, &mut random, cjk_sentence),
            code: Pieces::make(count, &mut random, code_line),
            output: Pieces::make(count, &mut random, output_line),
            noise: noise(&mut random),
        }
    }
}

/// An identifier in one of the usual spellings: `parseHeader`, `stale_session_index`, `RetryPolicy`, `MAX_BATCH`.
pub(super) fn identifier(random: &mut Random) -> String {
    let mut words = vec![random.pick(VERBS), random.pick(NOUNS)];
    if random.percent(35) {
        words.insert(1, random.pick(ADJECTIVES));
    }
    if random.percent(25) {
        words.push(random.pick(NOUNS));
    }
    match random.below(10) {
        0..=4 => words.join("_"),
        5..=7 => camel(&words[0..1]).to_lowercase() + &camel(&words[1..]),
        8 => camel(&words[1..]),
        _ => words.join("_").to_uppercase(),
    }
}

/// A path below a project, such as `crates/core/parse_header.rs`.
pub(super) fn relative_path(random: &mut Random) -> String {
    let directory = random.pick(DIRECTORIES);
    let file = format!(
        "{}_{}.{}",
        random.pick(NOUNS),
        random.pick(NOUNS),
        random.pick(EXTENSIONS)
    );
    match random.below(3) {
        0 => format!("{directory}/{file}"),
        _ => format!("{directory}/{}/{file}", random.pick(NOUNS)),
    }
}

fn camel(words: &[&str]) -> String {
    let mut joined = String::new();
    for word in words {
        let (head, tail) = word.split_at(1);
        joined.push_str(&head.to_uppercase());
        joined.push_str(tail);
    }
    joined
}

fn sentence(random: &mut Random) -> String {
    let mut words: Vec<String> = Vec::new();
    for position in 0..random.between(5, 18) {
        words.push(match (position % 3, random.below(40)) {
            (_, 0) => format!("`{}`", identifier(random)),
            (_, 1) => relative_path(random),
            (_, 2) => random.below(5000).to_string(),
            (0, _) => random.pick(GLUE).to_owned(),
            (1, 3..=20) => random.pick(ADJECTIVES).to_owned(),
            (1, _) => random.pick(VERBS).to_owned(),
            _ => random.pick(NOUNS).to_owned(),
        });
    }
    let mut text = words.join(" ");
    if text.as_bytes()[0].is_ascii_lowercase() {
        text[..1].make_ascii_uppercase();
    }
    text + random.pick(&[".", ".", ".", ":", "?", "!"])
}

fn cjk_sentence(random: &mut Random) -> String {
    let mut text: String = (0..random.between(4, 14)).map(|_| random.pick(CJK)).collect();
    if random.percent(40) {
        text = format!("{text} `{}` {}", identifier(random), random.pick(CJK));
    }
    text + "。"
}

fn code_line(random: &mut Random) -> String {
    let mut name = || identifier(random);
    let (a, b, c) = (name(), name(), name());
    let number = random.below(10_000);
    let indent = "    ".repeat(random.below(4));
    let line = match random.below(12) {
        0 => format!("let {a} = {b}.{c}()?;"),
        1 => format!("pub fn {a}({b}: &str, {c}: usize) -> Result<String, Error> {{"),
        2 => format!("if {a}.{b}({number}) && !{c} {{"),
        3 => "}".to_owned(),
        4 => format!("const {a} = await {b}({{ {c}: {number} }});"),
        5 => format!("def {a}(self, {b}, {c}=None):"),
        6 => format!("return {a}({b}, \"{c}\")"),
        7 => format!("// {}", sentence(random)),
        8 => format!("import {{ {a}, {b} }} from \"./{}\";", relative_path(random)),
        9 => format!("assert_eq!({a}({number}), {b}::{c});"),
        10 => format!("\t{a}, err := {b}.{c}(ctx)"),
        _ => String::new(),
    };
    indent + &line
}

fn output_line(random: &mut Random) -> String {
    let name = identifier(random);
    let path = relative_path(random);
    let number = random.below(2_000);
    match random.below(8) {
        0 => format!("test {}::{name} ... ok", random.pick(NOUNS)),
        1 => format!("{path}:{number}:{}", code_line(random)),
        2 => format!("-rw-r--r-- 1 dev dev {number:>8} Nov 30 12:{:02} {path}", number % 60),
        3 => format!("   {number}→{}", code_line(random)),
        4 => format!("error[E{number:04}]: {}", sentence(random)),
        5 => format!("  --> {path}:{number}:{}", number % 80),
        6 => format!(
            "{:07x} {} {} {}",
            random.next() & 0xfff_ffff,
            random.pick(VERBS),
            random.pick(NOUNS),
            name
        ),
        _ => format!(
            "2026-11-30T12:{:02}:{:02}Z INFO {name} took {number} ms path={path}",
            number % 60,
            number % 59
        ),
    }
}

fn noise(random: &mut Random) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    (0..256 * 1024).map(|_| char::from(DIGITS[random.below(64)])).collect()
}
