//! Short ids that stay unique.

use sexton_register::SessionId;

use super::Row;

/// For each session the shortest prefix of its id, of at least eight characters, that no other session shares.
#[derive(Debug, Default)]
pub struct ShortIds(Vec<(SessionId, usize)>);

impl ShortIds {
    /// The short ids of these rows, which must be all that an id could mean.
    #[must_use]
    pub fn of(rows: &[Row]) -> Self {
        Self::of_sessions(rows.iter().map(|row| row.session))
    }

    /// The short ids of these sessions among each other.
    pub(crate) fn of_sessions(sessions: impl Iterator<Item = SessionId>) -> Self {
        let mut lengths: Vec<(SessionId, usize)> = sessions.map(|session| (session, 8)).collect();
        lengths.sort_unstable();
        lengths.dedup();
        // In sorted order only the neighbours can share a prefix longer than anyone else's.
        for second in 1..lengths.len() {
            let needed = 1 + common_prefix(lengths[second - 1].0.as_str(), lengths[second].0.as_str());
            for (_, length) in &mut lengths[second - 1..=second] {
                *length = needed.max(*length);
            }
        }
        Self(lengths)
    }

    /// The short form of `session`.
    #[must_use]
    pub fn get(&self, session: SessionId) -> String {
        let found = self.0.binary_search_by_key(&session, |(session, _)| *session);
        let length = found.map_or(usize::MAX, |index| self.0[index].1);
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
