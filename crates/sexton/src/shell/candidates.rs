//! What a shell may offer for a word that is being typed.

use std::ffi::OsStr;

use clap_complete::CompletionCandidate;
use sexton_register::State;

use crate::render::{one_line, truncate};
use crate::roll::{Disposal, Evidence, Row, ShortIds};
use crate::states::meaning;

/// More than a person looks through.
const MOST: usize = 200;

/// Which sessions a command takes, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Any, by id. For an empty word those that are over are left out, as `sexton list` does.
    Ids,
    /// Likewise, by id or name.
    IdsAndNames,
    /// What can come back: archived, deleted and retained ones, by id or name.
    Returnable,
    /// Those with a tombstone, by id.
    Tombstoned,
}

impl Wanted {
    fn takes(self, row: &Row, is_begun: bool) -> bool {
        match self {
            Self::Ids | Self::IdsAndNames => is_begun || !(row.state.is_hidden_by_default() || row.disposal.is_some()),
            Self::Returnable => row.disposal.is_some() || row.evidence == Evidence::Catalogue,
            Self::Tombstoned => row.disposal == Some(Disposal::Deleted),
        }
    }

    fn takes_names(self) -> bool {
        matches!(self, Self::IdsAndNames | Self::Returnable)
    }
}

/// The sessions that `current` may become, newest first: short ids, and names where a name will do.
pub(super) fn sessions(rows: &[Row], current: &OsStr, wanted: Wanted) -> Vec<CompletionCandidate> {
    let Some(current) = current.to_str() else {
        return Vec::new();
    };
    let short_ids = ShortIds::of(rows);
    let mut rows: Vec<&Row> = rows.iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.last_activity_ms()));
    let offered = rows.into_iter().filter_map(|row| {
        let id = short_ids.get(row.session);
        let help = help(row);
        if !wanted.takes(row, !current.is_empty()) {
            return None;
        }
        if row.session.as_str().starts_with(current) {
            // What was typed may be longer than the short id.
            let value = if id.len() >= current.len() {
                id
            } else {
                row.session.to_string()
            };
            return Some((value, help));
        }
        let name = row.name.as_deref().filter(|_| wanted.takes_names())?;
        (is_word(name) && name.starts_with(current)).then(|| (name.to_owned(), format!("{help} ({id})")))
    });
    let numbered = offered.take(MOST).enumerate();
    let candidate = |(order, (value, help)): (usize, (String, String))| {
        CompletionCandidate::new(value)
            .help(Some(help.into()))
            .display_order(Some(order))
    };
    numbered.map(candidate).collect()
}

/// Whether a shell takes it for one word as it stands; what completion inserts is not quoted in every shell.
fn is_word(name: &str) -> bool {
    let is_plain = |character: char| character.is_alphanumeric() || "._-/:@+".contains(character);
    name.chars().all(is_plain)
}

fn help(row: &Row) -> String {
    let label = row
        .label()
        .or_else(|| Some(one_line(&row.directory()?.to_string_lossy())));
    match label {
        Some(label) => format!("{}: {}", row.state, truncate(&label, 60)),
        None => row.state.to_string(),
    }
}

/// The states, each with what it means.
pub(super) fn states(current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    // Several are separated by commas, and only the last is being typed.
    let (before, last) = current
        .rfind(',')
        .map_or(("", current.as_ref()), |at| current.split_at(at + 1));
    let matching = State::ALL.iter().filter(|state| state.as_str().starts_with(last));
    matching
        .map(|state| CompletionCandidate::new(format!("{before}{state}")).help(Some(meaning(*state).into())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_several_states_is_completed() {
        let values = |current: &str| {
            let candidates = states(current.as_ref());
            candidates
                .iter()
                .map(|candidate| candidate.get_value().to_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(values("wo"), ["working"]);
        assert_eq!(values("idle,w"), ["idle,working", "idle,waiting"]);
        assert_eq!(values("").len(), State::ALL.len());
    }
}
