//! The liveness gate: nothing that runs, or may run, is moved.

mod registry;

use std::collections::BTreeSet;

use sexton_register::SessionId;

pub use registry::RegistryGate;

/// Whether a session's files may be moved, as far as its process is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// No process claims it, or those that do are provably gone.
    Free,
    /// A process runs it; the text names the process.
    Live(String),
    /// A process claims it and can't be judged from here; the text names it and says why.
    NotJudgeable(String),
}

/// Answers whether a session lives right now.
///
/// Asked when a plan is made and again for each session at the moment it is moved, so an answer must not be remembered.
pub trait Gate {
    /// What can be said about `session` at this moment.
    fn verdict(&self, session: &SessionId) -> Verdict;
}

impl<F: Fn(&SessionId) -> Verdict> Gate for F {
    fn verdict(&self, session: &SessionId) -> Verdict {
        self(session)
    }
}

/// The sessions that a person has named by full id and vouched for, although their process can't be judged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vouched(BTreeSet<SessionId>);

impl Vouched {
    /// Nobody is vouched for.
    #[must_use]
    pub fn nobody() -> Self {
        Self::default()
    }

    /// Those of `texts` that are full session ids; a prefix vouches for nothing.
    pub fn by_full_id<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self(
            texts
                .into_iter()
                .filter_map(|text| SessionId::parse(text).ok())
                .collect(),
        )
    }

    /// Whether `session` is vouched for.
    #[must_use]
    pub fn contains(&self, session: &SessionId) -> bool {
        self.0.contains(session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_id_vouches() {
        let id = SessionId::from_u128(7);
        assert!(Vouched::by_full_id([id.as_str()]).contains(&id));
        assert!(!Vouched::by_full_id([id.short(), ""]).contains(&id));
    }
}
