//! What a message must have stored so that it can contain a given word or phrase.

use super::split::{Compound, Unit, each_unit};
use super::{Class, LONGEST_COMPOUND, LONGEST_TOKEN, class_of, fold};

/// A condition on the tokens of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Needs {
    /// This token.
    Token(String),
    /// A token that begins so.
    Prefix(String),
    /// Each of these; never empty.
    All(Vec<Needs>),
    /// One of these; never empty.
    Any(Vec<Needs>),
}

/// The tokens that a piece of query text needs, and whether having them is enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// `None` if nothing in the text is stored as a token: punctuation, or data too long to be a word.
    pub needs: Option<Needs>,
    /// Whether the tokens only make the text possible, so that the message itself must be looked at.
    pub verify: bool,
}

/// What `text` needs; `open_end` if anything may follow its last word (`prefix*`).
#[must_use]
pub fn wanted(text: &str, open_end: bool) -> Wanted {
    let mut units = Vec::new();
    each_unit(text, |at, unit| units.push((at, unit)));
    let last = units.len().saturating_sub(1);
    let mut all = Vec::new();
    let mut verify = units.len() > 1;
    for (index, (at, unit)) in units.into_iter().enumerate() {
        let is_last = index == last;
        let (needs, more) = match unit {
            Unit::Plain(word) | Unit::Simple(word) | Unit::Compound(word) => {
                let open_end = is_last && open_end;
                // Behind a joiner the word that follows decides which pairs are stored; the ones before it are in any case.
                let ends_joined = open_end && text[at + word.len()..].starts_with(|c| class_of(c) == Class::Joiner);
                let (needs, more) = compound(word, open_end && !ends_joined);
                (needs, more || ends_joined)
            }
            Unit::Ideographs(run) => ideographs(run),
        };
        all.extend(needs);
        verify |= more;
    }
    Wanted {
        needs: all_of(all),
        verify,
    }
}

fn all_of(mut needs: Vec<Needs>) -> Option<Needs> {
    needs.dedup();
    match needs.len() {
        0 => None,
        1 => needs.pop(),
        _ => Some(Needs::All(needs)),
    }
}

/// Needs of one compound; with `open_end` it may be the beginning of a longer one.
fn compound(word: &str, open_end: bool) -> (Option<Needs>, bool) {
    if word.len() > LONGEST_COMPOUND {
        return (None, true);
    }
    let mut cut = Compound::default();
    cut.cut(word);
    let atoms = cut.atoms.len();
    let (by_atoms, atoms_fit) = chain(atoms, |at| cut.span(at, at), |at| cut.span(at, at + 1), open_end);
    let verify = atoms > 2 || !atoms_fit;
    if cut.runs.len() == atoms {
        return (by_atoms, verify);
    }
    // Written elsewhere without the humps, the same identifier is stored by its runs only.
    let (by_runs, runs_fit) = chain(cut.runs.len(), |at| cut.run(at), |at| cut.run_pair(at), open_end);
    let verify = verify || !runs_fit;
    match (by_atoms, by_runs) {
        (Some(atoms), Some(runs)) if atoms == runs => (Some(atoms), verify),
        (Some(atoms), Some(runs)) => (Some(Needs::Any(vec![runs, atoms])), verify),
        (atoms, runs) => (atoms.or(runs), true),
    }
}

/// Needs of a chain of parts: each neighbouring pair, or the one part there is. False if a token was too long to be stored.
fn chain<'c>(
    parts: usize,
    part: impl Fn(usize) -> &'c str,
    pair: impl Fn(usize) -> &'c str,
    open_end: bool,
) -> (Option<Needs>, bool) {
    let mut needs = Vec::new();
    let mut fit = true;
    let mut push = |token: &str, is_last: bool| {
        let need = if open_end && is_last {
            Needs::Prefix(token.to_owned())
        } else {
            Needs::Token(token.to_owned())
        };
        let fits = token.len() <= LONGEST_TOKEN;
        if fits {
            needs.push(need);
        }
        fits
    };
    if parts == 1 {
        fit = push(part(0), true);
    }
    for at in 0..parts.saturating_sub(1) {
        let is_last = at + 2 == parts;
        if !push(pair(at), is_last) {
            fit = false;
            push(part(at), false);
            if is_last {
                push(part(at + 1), true);
            }
        }
    }
    (all_of(needs), fit)
}

fn ideographs(run: &str) -> (Option<Needs>, bool) {
    let mut folded = Vec::new();
    for character in run.chars() {
        let mut text = String::new();
        fold(character, &mut text);
        folded.push(text);
    }
    if let [one] = folded.as_slice() {
        return (Some(Needs::Prefix(one.clone())), false);
    }
    let pairs = folded.windows(2).map(|pair| Needs::Token(pair.concat())).collect();
    (all_of(pairs), folded.len() > 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str) -> Needs {
        Needs::Token(text.to_owned())
    }

    #[test]
    fn one_word_is_one_token() {
        let wanted = wanted("Deadlock", false);
        assert_eq!(wanted.needs, Some(token("deadlock")));
        assert!(!wanted.verify);
    }

    #[test]
    fn two_parts_are_one_exact_token() {
        for (text, expected) in [("load_all", "load_all"), ("main.rs", "main.rs"), ("LoadAll", "loadall")] {
            let wanted = wanted(text, false);
            assert_eq!((wanted.needs, wanted.verify), (Some(token(expected)), false), "{text}");
        }
    }

    #[test]
    fn longer_ones_are_pairs_to_be_verified() {
        let path = wanted("src/main.rs", false);
        assert_eq!(path.needs, Some(Needs::All(vec![token("src/main"), token("main.rs")])));
        assert!(path.verify);
        let humps = wanted("getUserById", false);
        let atoms = Needs::All(vec![token("getuser"), token("userby"), token("byid")]);
        assert_eq!(humps.needs, Some(Needs::Any(vec![token("getuserbyid"), atoms])));
    }

    #[test]
    fn prefixes_reach_over_joiners() {
        for (text, prefix) in [("dead", "dead"), ("load_al", "load_al")] {
            assert_eq!(
                wanted(text, true).needs,
                Some(Needs::Prefix(prefix.to_owned())),
                "{text}"
            );
        }
    }

    #[test]
    fn a_prefix_that_ends_in_a_joiner_needs_the_words_before_it() {
        for (text, word) in [("src/", "src"), ("foo.bar/", "foo.bar"), ("a----", "a")] {
            let wanted = wanted(text, true);
            assert_eq!((wanted.needs, wanted.verify), (Some(token(word)), true), "{text}");
        }
    }

    #[test]
    fn phrases_and_ideographs() {
        let phrase = wanted("the file", false);
        assert_eq!(phrase.needs, Some(Needs::All(vec![token("the"), token("file")])));
        assert!(phrase.verify);
        assert_eq!(wanted("字", false).needs, Some(Needs::Prefix("字".to_owned())));
        assert_eq!(wanted("検索", false).needs, Some(token("検索")));
        assert!(wanted("検索結果", false).verify);
    }

    #[test]
    fn punctuation_needs_nothing() {
        assert_eq!(wanted("== ->", false).needs, None);
    }
}
