//! From what a person typed to the one item that is meant.

use std::collections::BTreeSet;

use crate::filter::matches_session_id;
use crate::item::ItemId;

/// What a text addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Addressed {
    /// Exactly this.
    One(ItemId),
    /// Nothing.
    None,
    /// Each of these begins with it.
    Several(Vec<ItemId>),
}

/// Finds `text` among `items`: by equality, which wins, or as a prefix of at least 8 characters. What is no session is only ever named
/// whole.
pub(crate) fn address<'a>(text: &str, items: impl IntoIterator<Item = &'a ItemId>) -> Addressed {
    let mut matches = BTreeSet::new();
    for item in items {
        if item.as_str() == text {
            return Addressed::One(item.clone());
        }
        if item.session().is_some() && matches_session_id(item.as_str(), text) {
            matches.insert(item.clone());
        }
    }
    let mut matches: Vec<ItemId> = matches.into_iter().collect();
    match (matches.pop(), matches.is_empty()) {
        (None, _) => Addressed::None,
        (Some(only), true) => Addressed::One(only),
        (Some(last), false) => {
            matches.push(last);
            Addressed::Several(matches)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_find_sessions_and_only_whole_names_find_the_rest() {
        let items = [
            "01234567-0000-4000-8000-000000000001",
            "01234567-0000-4000-8000-000000000002",
            "89abcdef-0000-4000-8000-000000000003",
            "agent-0123",
            "01234567",
        ]
        .map(ItemId::of_stem);
        let found = |text: &str| address(text, &items);
        assert_eq!(found("89abcdef"), Addressed::One(items[2].clone()));
        assert_eq!(found("89abcde"), Addressed::None);
        assert_eq!(found("01234567-0"), Addressed::Several(items[..2].to_vec()));
        assert_eq!(found("01234567"), Addressed::One(items[4].clone()), "equality wins");
        assert_eq!(found("agent-012"), Addressed::None);
        assert_eq!(found("agent-0123"), Addressed::One(items[3].clone()));
    }
}
