//! The tokens of a text, for the engine.

use super::split::{Compound, Unit, each_unit};
use super::{LONGEST_COMPOUND, LONGEST_TOKEN};

/// Finds tokens; made once, so that it allocates little.
#[derive(Debug, Default)]
pub struct Tokenizer {
    compound: Compound,
    /// A word in its compared form.
    folded: String,
}

impl Tokenizer {
    /// A tokenizer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `see` with each token of `text`; one that stands there several times comes as often.
    pub fn each(&mut self, text: &str, mut see: impl FnMut(&str)) {
        let Self { compound, folded } = self;
        let mut give = |token: &str| {
            if token.len() <= LONGEST_TOKEN {
                see(token);
            }
        };
        each_unit(text, |_, unit| match unit {
            Unit::Plain(word) => give(word),
            Unit::Simple(word) => {
                folded.clear();
                folded.push_str(word);
                folded.make_ascii_lowercase();
                give(folded);
            }
            Unit::Compound(word) if word.len() > LONGEST_COMPOUND => {}
            Unit::Compound(word) => {
                compound.cut(word);
                of_compound(compound, &mut give);
            }
            Unit::Ideographs(run) => of_ideographs(run, folded, &mut give),
        });
    }
}

fn of_compound(compound: &Compound, give: &mut impl FnMut(&str)) {
    let atoms = compound.atoms.len();
    for index in 0..atoms {
        give(compound.span(index, index));
        if index + 1 < atoms {
            give(compound.span(index, index + 1));
        }
    }
    if compound.runs.len() == atoms {
        return;
    }
    for index in 0..compound.runs.len() {
        give(compound.run(index));
        if index + 1 < compound.runs.len() {
            give(compound.run_pair(index));
        }
    }
}

fn of_ideographs(run: &str, pair: &mut String, give: &mut impl FnMut(&str)) {
    let mut characters = run.chars().peekable();
    while let Some(character) = characters.next() {
        pair.clear();
        super::fold(character, pair);
        // The last one stands alone, so that every character begins some token and can be found by itself.
        if let Some(next) = characters.peek() {
            super::fold(*next, pair);
        }
        give(pair);
    }
}

/// The distinct tokens of `text`, in the order of their first appearance, a blank between them.
#[cfg(test)]
pub(crate) fn tokens_of(text: &str) -> String {
    let mut tokens: Vec<String> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    Tokenizer::new().each(text, |token| {
        if seen.insert(token.to_owned()) {
            tokens.push(token.to_owned());
        }
    });
    tokens.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(tokens_of(text), expected, "{text}");
        }
    }

    #[test]
    fn scripts_without_blanks_become_pairs() {
        assert_eq!(tokens_of("検索結果"), "検索 索結 結果 果");
        assert_eq!(tokens_of("字"), "字");
        assert_eq!(tokens_of("使用load_all函数"), "使用 用 load load_all all 函数 数");
        assert_eq!(tokens_of("한국어"), "한국 국어 어");
    }

    #[test]
    fn data_is_no_word() {
        assert_eq!(tokens_of(&"QUJD+".repeat(500)), "");
        assert_eq!(tokens_of(&"x".repeat(161)), "");
        assert_eq!(tokens_of(&"x".repeat(160)).len(), 160);
    }
}
