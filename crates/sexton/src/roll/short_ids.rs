//! Short ids that stay unique.

use std::collections::BTreeMap;

use sexton_register::SessionId;

use super::Row;

/// For each session the shortest prefix of its id, of at least eight characters, that no other session shares.
#[derive(Debug, Default)]
pub struct ShortIds(BTreeMap<SessionId, usize>);

impl ShortIds {
    /// The short ids of these rows, which must be all that an id could mean.
    #[must_use]
    pub fn of(rows: &[Row]) -> Self {
        Self::of_sessions(rows.iter().map(|row| row.session))
    }

    fn of_sessions(sessions: impl Iterator<Item = SessionId>) -> Self {
        let mut sorted: Vec<SessionId> = sessions.collect();
        sorted.sort_unstable();
        sorted.dedup();
        // In sorted order only the neighbours can share a prefix longer than anyone else's.
        let mut lengths: BTreeMap<SessionId, usize> = sorted.iter().map(|session| (*session, 8)).collect();
        for pair in sorted.windows(2) {
            let needed = 1 + common_prefix(pair[0].as_str(), pair[1].as_str());
            for session in pair {
                lengths
                    .entry(*session)
                    .and_modify(|length| *length = needed.max(*length));
            }
        }
        Self(lengths)
    }

    /// The short form of `session`.
    #[must_use]
    pub fn get(&self, session: SessionId) -> String {
        let length = self.0.get(&session).copied().unwrap_or(usize::MAX);
        session.as_str().chars().take(length).collect()
    }
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_characters_or_as_many_as_it_takes() {
        let ids = [
            "11111111-0000-4000-8000-000000000000",
            "22222222-0000-4000-8000-000000000000",
            "22222222-0000-4000-9000-000000000000",
        ];
        let ids = ids.map(|id| SessionId::parse(id).unwrap());
        let short = ShortIds::of_sessions(ids.into_iter());
        assert_eq!(short.get(ids[0]), "11111111");
        assert_eq!(short.get(ids[1]), "22222222-0000-4000-8");
        assert_eq!(short.get(ids[2]), "22222222-0000-4000-9");
    }
}
