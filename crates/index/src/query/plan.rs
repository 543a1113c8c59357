//! What a query asks of the engine, and what must be verified in the text itself.

use super::parse::{Clause, Query, QueryError, Term};
use crate::matching::Needle;
use crate::tokens::{Needs, Wanted, wanted};

/// A query in terms of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What a hit has.
    pub needs: Needs,
    /// What a hit doesn't have.
    pub excludes: Vec<Needs>,
    /// What only the text can tell.
    pub verification: Verification,
}

/// Conditions on the text of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verification {
    /// Of each of these lists one must be in the text.
    pub with: Vec<Vec<Needle>>,
    /// None of these may be.
    pub without: Vec<Needle>,
}

impl Verification {
    /// Whether there is nothing to verify.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.with.is_empty() && self.without.is_empty()
    }

    /// Whether `text` fulfils all conditions.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        let mut verifying = Verifying::new(self);
        verifying.see(text);
        verifying.holds()
    }
}

/// Conditions on a text that comes in windows.
#[derive(Debug)]
pub(crate) struct Verifying<'v> {
    verification: &'v Verification,
    /// Which of the lists have been found.
    found: Vec<bool>,
    is_excluded: bool,
    is_seen: bool,
}

impl<'v> Verifying<'v> {
    pub(crate) fn new(verification: &'v Verification) -> Self {
        Self {
            verification,
            found: vec![false; verification.with.len()],
            is_excluded: false,
            is_seen: false,
        }
    }

    /// Takes in the next window.
    pub(crate) fn see(&mut self, text: &str) {
        let is_in = |needles: &[Needle]| needles.iter().any(|needle| needle.is_in(text));
        self.is_seen = true;
        self.is_excluded |= is_in(&self.verification.without);
        for (found, needles) in self.found.iter_mut().zip(&self.verification.with) {
            *found = *found || is_in(needles);
        }
    }

    /// Whether what was seen fulfils all conditions; nothing doesn't.
    pub(crate) fn holds(&self) -> bool {
        self.is_seen && !self.is_excluded && self.found.iter().all(|found| *found)
    }
}

impl Query {
    /// What this query asks of the engine.
    pub fn plan(&self) -> Result<Plan, QueryError> {
        if self.clauses.is_empty() {
            return Err(QueryError::Empty);
        }
        if self.positive_terms().next().is_none() {
            return Err(QueryError::OnlyExcludes);
        }
        let mut needs = Vec::new();
        let mut excludes = Vec::new();
        let mut verification = Verification::default();
        for clause in &self.clauses {
            match clause {
                Clause::With(terms) => {
                    let (one, verify) = either(terms);
                    needs.extend(one);
                    if verify {
                        verification.with.push(terms.iter().map(needle).collect());
                    }
                }
                Clause::Without(term) => match asked(term) {
                    Wanted {
                        needs: Some(needs),
                        verify: false,
                    } => excludes.push(needs),
                    _ => verification.without.push(needle(term)),
                },
            }
        }
        let needs = match needs.len() {
            0 => None,
            1 => needs.pop(),
            _ => Some(Needs::All(needs)),
        };
        let needs = needs.ok_or_else(|| QueryError::NotIndexed { text: self.text() })?;
        Ok(Plan {
            needs,
            excludes,
            verification,
        })
    }

    /// Whether a text that is no message, such as a name, is what this query asks for.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        self.clauses.iter().all(|clause| match clause {
            Clause::With(terms) => terms.iter().any(|term| needle(term).is_in(text)),
            Clause::Without(term) => !needle(term).is_in(text),
        })
    }

    fn text(&self) -> String {
        let terms: Vec<&str> = self.positive_terms().map(|term| term.text.as_str()).collect();
        terms.join(" ")
    }
}

/// Needs of a list of alternatives: nothing if one of them can't be told by tokens at all.
fn either(terms: &[Term]) -> (Option<Needs>, bool) {
    let wanted: Vec<Wanted> = terms.iter().map(asked).collect();
    let verify = wanted.iter().any(|wanted| wanted.verify || wanted.needs.is_none());
    let needs: Option<Vec<Needs>> = wanted.into_iter().map(|wanted| wanted.needs).collect();
    let needs = needs.and_then(|mut needs| match needs.len() {
        0 | 1 => needs.pop(),
        _ => Some(Needs::Any(needs)),
    });
    (needs, verify)
}

fn asked(term: &Term) -> Wanted {
    wanted(&term.text, term.open_end)
}

fn needle(term: &Term) -> Needle {
    Needle::new(&term.text, term.open_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_left_to_the_engine_and_phrases_are_verified() {
        let plan = Query::parse("deadlock \"the file\" -sqlite -\"not this\"")
            .plan()
            .unwrap();
        assert_eq!(plan.excludes, [Needs::Token("sqlite".to_owned())]);
        assert!(plan.verification.holds("Deadlock in the file"));
        assert!(!plan.verification.holds("deadlock in a file"));
        assert!(!plan.verification.holds("not this: the file"));
    }

    #[test]
    fn an_alternative_without_tokens_leaves_it_to_the_other_clauses() {
        let plan = Query::parse("a OR == b").plan().unwrap();
        assert_eq!(plan.needs, Needs::Token("b".to_owned()));
        assert!(plan.verification.holds("x == b"));
        assert!(!plan.verification.holds("b"));
    }

    #[test]
    fn what_the_index_can_not_answer_is_said() {
        for (text, error) in [
            ("", QueryError::Empty),
            ("  ", QueryError::Empty),
            ("-a", QueryError::OnlyExcludes),
            ("==", QueryError::NotIndexed { text: "==".to_owned() }),
        ] {
            assert_eq!(Query::parse(text).plan().unwrap_err(), error, "{text}");
        }
    }
}
