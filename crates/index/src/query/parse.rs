//! From what was typed to clauses.

/// One word, prefix or phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The text without quotes and star.
    pub text: String,
    /// Whether anything may follow (`word*`).
    pub open_end: bool,
}

/// What a message must, or must not, contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clause {
    /// One of these; never empty.
    With(Vec<Term>),
    /// Not this.
    Without(Term),
}

/// A query: clauses that must all hold of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The clauses, in the order they were typed.
    pub clauses: Vec<Clause>,
}

/// Why a query can't be answered from the index.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// There is no word in it.
    #[error("the query is empty")]
    Empty,
    /// All it says is what not to find.
    #[error("the query only excludes; add a word to find")]
    OnlyExcludes,
    /// Punctuation, or data too long to be a word.
    #[error("the index has no words for `{}`; a scan (`--substring`) finds it", beginning(.text))]
    NotIndexed {
        /// The query's text.
        text: String,
    },
}

/// As much of a query as says which one it was.
fn beginning(text: &str) -> String {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl Query {
    /// Takes any text; see the module for what it means.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut clauses: Vec<Clause> = Vec::new();
        let mut words = words(text).into_iter().peekable();
        while let Some(word) = words.next() {
            // `OR` joins what stands on both sides; anywhere else it is a word like others.
            let joins = word.is_or()
                && matches!(clauses.last(), Some(Clause::With(_)))
                && words.peek().is_some_and(|next| !next.negated && !next.is_or());
            if joins && let (Some(Clause::With(terms)), Some(next)) = (clauses.last_mut(), words.next()) {
                terms.push(next.term);
            } else if word.negated {
                clauses.push(Clause::Without(word.term));
            } else {
                clauses.push(Clause::With(vec![word.term]));
            }
        }
        Self { clauses }
    }

    /// The terms that hits contain, for marking them.
    pub fn positive_terms(&self) -> impl Iterator<Item = &Term> {
        self.clauses.iter().flat_map(|clause| match clause {
            Clause::With(terms) => terms.as_slice(),
            Clause::Without(_) => &[],
        })
    }
}

#[derive(Debug)]
struct Word {
    term: Term,
    quoted: bool,
    negated: bool,
}

impl Word {
    fn is_or(&self) -> bool {
        !self.quoted && !self.negated && !self.term.open_end && self.term.text == "OR"
    }
}

fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (negated, body) = match rest.strip_prefix('-') {
            // `--flag` and a lone `-` are texts to be found.
            Some(body) if !body.starts_with(['-', ' ']) && !body.trim().is_empty() => (true, body),
            _ => (false, rest),
        };
        let (term, quoted, after) = match body.strip_prefix('"') {
            Some(body) => phrase(body),
            None => word(body),
        };
        if !term.text.trim().is_empty() {
            words.push(Word { term, quoted, negated });
        }
        rest = after.trim_start();
    }
    words
}

/// A phrase without its opening quote; one that is never closed goes to the end.
fn phrase(body: &str) -> (Term, bool, &str) {
    let (text, after) = body.split_once('"').unwrap_or((body, ""));
    let (open_end, after) = match after.strip_prefix('*') {
        Some(after) => (true, after),
        None => (false, after),
    };
    let text = text.to_owned();
    (Term { text, open_end }, true, after)
}

fn word(body: &str) -> (Term, bool, &str) {
    let end = body.find(char::is_whitespace).unwrap_or(body.len());
    let (text, after) = body.split_at(end);
    let (text, open_end) = match text.strip_suffix('*') {
        Some(stem) if stem.chars().any(char::is_alphanumeric) => (stem, true),
        _ => (text, false),
    };
    let text = text.to_owned();
    (Term { text, open_end }, false, after)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clauses in a short notation: `a|b` for either, `!a` for without, `a~` for a prefix, blanks in phrases as `_`.
    fn short(text: &str) -> String {
        let term = |term: &Term| term.text.replace(' ', "_") + if term.open_end { "~" } else { "" };
        let clauses = Query::parse(text).clauses;
        let clauses = clauses.iter().map(|clause| match clause {
            Clause::With(terms) => terms.iter().map(term).collect::<Vec<_>>().join("|"),
            Clause::Without(excluded) => format!("!{}", term(excluded)),
        });
        clauses.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_language() {
        for (text, expected) in [
            ("one two", "one two"),
            ("\"one two\" three", "one_two three"),
            ("one -two -\"three four\"", "one !two !three_four"),
            ("pre* x", "pre~ x"),
            ("a OR b OR c d", "a|b|c d"),
            ("\"a b\" OR c", "a_b|c"),
            ("a or b", "a or b"),
            ("", ""),
        ] {
            assert_eq!(short(text), expected, "{text}");
        }
    }

    #[test]
    fn broken_syntax_is_words() {
        for (text, expected) in [
            ("OR", "OR"),
            ("OR a", "OR a"),
            ("a OR", "a OR"),
            ("a OR -b", "a OR !b"),
            ("a OR OR b", "a OR|b"),
            ("-a OR b", "!a OR b"),
            ("\"never closed", "never_closed"),
            ("\"\" a", "a"),
            ("- a", "- a"),
            ("--flag", "--flag"),
            ("*", "*"),
            ("a -", "a -"),
            ("foo\"bar", "foo\"bar"),
            ("\"a\"*", "a~"),
        ] {
            assert_eq!(short(text), expected, "{text}");
        }
    }
}
