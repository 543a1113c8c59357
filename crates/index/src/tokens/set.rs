//! The distinct tokens of one message, ready for the engine.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use super::split::{Compound, Unit, each_unit};
use super::{LONGEST_COMPOUND, LONGEST_TOKEN};

/// Collects the distinct tokens of a message; made once and cleared between messages, so that it allocates little.
#[derive(Debug, Default)]
pub struct TokenSet {
    text: String,
    seen: HashSet<u64, BuildHasherDefault<AlreadyHashed>>,
    compound: Compound,
}

impl TokenSet {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all tokens and keeps the memory, unless it is much.
    pub fn clear(&mut self) {
        self.text.clear();
        // Clearing costs time by capacity: after one huge message a small set is cheaper anew.
        if self.seen.capacity() > 64 * 1024 {
            self.seen = HashSet::default();
            self.text.shrink_to(64 * 1024);
        } else {
            self.seen.clear();
        }
    }

    /// Adds the tokens of `text`.
    pub fn add_text(&mut self, text: &str) {
        let mut compound = std::mem::take(&mut self.compound);
        each_unit(text, |_, unit| match unit {
            Unit::Compound(word) if word.len() > LONGEST_COMPOUND => {}
            Unit::Compound(word) if is_plain(word) => self.add(word),
            Unit::Compound(word) => {
                compound.cut(word);
                self.add_compound(&compound);
            }
            Unit::Ideographs(run) => self.add_ideographs(run),
        });
        self.compound = compound;
    }

    /// Adds one token as it stands, such as a mark that no text can contain; it must not contain a blank.
    pub(crate) fn add(&mut self, token: &str) {
        if token.len() <= LONGEST_TOKEN && self.seen.insert(hash(token.as_bytes())) {
            if !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(token);
        }
    }

    /// All tokens, separated by blanks, in the order of their first appearance.
    #[must_use]
    pub fn as_text(&self) -> &str {
        &self.text
    }

    fn add_compound(&mut self, compound: &Compound) {
        let atoms = compound.atoms.len();
        for index in 0..atoms {
            self.add(compound.span(index, index));
            if index + 1 < atoms {
                self.add(compound.span(index, index + 1));
            }
        }
        if compound.runs.len() == atoms {
            return;
        }
        for index in 0..compound.runs.len() {
            self.add(compound.run(index));
            if index + 1 < compound.runs.len() {
                self.add(compound.run_pair(index));
            }
        }
    }

    fn add_ideographs(&mut self, run: &str) {
        let mut pair = String::with_capacity(8);
        let mut characters = run.chars().peekable();
        while let Some(character) = characters.next() {
            pair.clear();
            super::fold(character, &mut pair);
            // The last one stands alone, so that every character begins some token and can be found by itself.
            if let Some(next) = characters.peek() {
                super::fold(*next, &mut pair);
            }
            self.add(&pair);
        }
    }
}

/// Whether a compound is one atom already in its compared form: true of most words of most texts.
fn is_plain(word: &str) -> bool {
    word.bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// A quick hash of 64 bits. Two different tokens of one message collide once in some 10^13 messages, and then one isn't found there.
fn hash(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut state = bytes.len() as u64 ^ ODD;
    let mix = |state: u64, word: u64| {
        let wide = u128::from(state ^ word) * u128::from(ODD ^ word.rotate_left(32));
        #[expect(clippy::cast_possible_truncation, reason = "both halves of the product are used")]
        let folded = (wide as u64) ^ ((wide >> 64) as u64);
        folded.wrapping_add(state.rotate_left(23))
    };
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = mix(state, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(mix(state, u64::from_le_bytes(last)), ODD)
}

/// Takes a hash for its own hash.
#[derive(Debug, Default)]
struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> String {
        let mut set = TokenSet::new();
        set.add_text(text);
        set.as_text().to_owned()
    }

    #[test]
    fn words_identifiers_and_paths() {
        for (text, expected) in [
            ("The cat, the hat.", "the cat hat"),
            ("load_all", "load load_all all"),
            ("getUserById", "get getuser user userby by byid id getuserbyid"),
            ("HTMLParser", "html htmlparser parser"),
            ("src/main.rs", "src src/main main main.rs rs"),
            ("error[E0308]: no", "error e0308 no"),
            ("std::fs::read", "std std::fs fs fs::read read"),
            ("don't", "don don't t"),
            ("3FA85F", "3fa85f"),
            ("Ünïcode ＦＵＬＬ", "ünïcode full"),
            (
                "foo.getUserById",
                "foo foo.get get getuser user userby by byid id foo.getuserbyid getuserbyid",
            ),
            ("--flag-name", "flag flag-name name"),
            ("a----b", "a b"),
            ("", ""),
            ("… !? \u{0}", ""),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }

    #[test]
    fn scripts_without_blanks_become_pairs() {
        assert_eq!(tokens("検索結果"), "検索 索結 結果 果");
        assert_eq!(tokens("字"), "字");
        assert_eq!(tokens("使用load_all函数"), "使用 用 load load_all all 函数 数");
        assert_eq!(tokens("한국어"), "한국 국어 어");
    }

    #[test]
    fn data_is_no_word() {
        assert_eq!(tokens(&"QUJD+".repeat(500)), "");
        assert_eq!(tokens(&"x".repeat(161)), "");
        assert_eq!(tokens(&"x".repeat(160)).len(), 160);
    }

    #[test]
    fn a_cleared_set_starts_over() {
        let mut set = TokenSet::new();
        set.add_text("one");
        set.clear();
        set.add_text("one two");
        assert_eq!(set.as_text(), "one two");
    }
}
