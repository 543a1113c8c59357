//! Which known word was meant.

/// The known word that is least different from `word`, if it is not very different.
pub(super) fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    // A key is often right but for its table: `limit` for `vault.limit`.
    let likeness = |known: &str| {
        let last = known.rsplit('.').next().unwrap_or(known);
        strsim::normalized_damerau_levenshtein(word, known).max(strsim::normalized_damerau_levenshtein(word, last))
    };
    known
        .map(|known| (likeness(known), known))
        .filter(|(likeness, _)| *likeness >= 0.6)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_understood_and_guesses_are_not_made() {
        let known = ["config_dirs", "vault.limit", "trash.older_than"];
        let nearest = |word| nearest(word, known.into_iter());
        assert_eq!(nearest("config_dir"), Some("config_dirs"));
        assert_eq!(nearest("vault.limits"), Some("vault.limit"));
        assert_eq!(nearest("limit"), Some("vault.limit"));
        assert_eq!(nearest("trash.olderthan"), Some("trash.older_than"));
        assert_eq!(nearest("telemetry"), None);
    }
}
