//! Inputs that are nearly right: seeds with a few things wrong, the same for one number.

use sexton_testkit::Random;

/// Fragments that parsers of JSON, TOML and lines are sensitive to.
const FRAGMENTS: &[&[u8]] = &[
    b"\0",
    b"\n",
    b"\r\n",
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b" ",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"9223372036854775808",
    b"\\ud83d",
    b"\\u0000",
    b"\xff",
    b"\xc3",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xae",
    b"../",
    b"/",
    b"%2e%2e",
    b"%",
    b"*",
    b"OR",
    b"-",
    b"\x1b[2J",
    b"2026-13-01T25:00:00Z",
    b"9999-12-31T23:59:59.999Z",
    b"0000-01-01T00:00:00Z",
    b"[[[[[[[[",
    b"{\"a\":{\"a\":{\"a\":",
];

/// Makes inputs out of seeds.
#[derive(Debug)]
pub struct Mutator {
    random: Random,
}

impl Mutator {
    /// One that makes the same inputs for the same number.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
        }
    }

    /// One of `seeds` with up to four things wrong.
    pub fn input(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut input = seeds[self.random.below(seeds.len())].clone();
        for _ in 0..=self.random.below(4) {
            self.mutate(&mut input, seeds);
        }
        input
    }

    fn mutate(&mut self, input: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let at = self.random.below(input.len() + 1);
        let length = self.random.below(16).min(input.len() - at);
        match self.random.below(7) {
            0 => drop(input.drain(at..at + length)),
            1 => input.truncate(at),
            2 => {
                let piece = input[at..at + length].to_vec();
                input.splice(at..at, piece);
            }
            3 => {
                let other = &seeds[self.random.below(seeds.len())];
                let from = self.random.below(other.len() + 1);
                let to = from + self.random.below(64).min(other.len() - from);
                input.splice(at..at + length, other[from..to].iter().copied());
            }
            4 if at < input.len() => input[at] ^= 1 << self.random.below(8),
            _ => {
                let fragment = FRAGMENTS[self.random.below(FRAGMENTS.len())];
                let over = if self.random.below(2) == 0 {
                    0
                } else {
                    fragment.len().min(input.len() - at)
                };
                input.splice(at..at + over, fragment.iter().copied());
            }
        }
    }
}
