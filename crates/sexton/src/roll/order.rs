//! Groups, and the order within them.

use std::cmp::Reverse;
use std::path::Path;

use rayon::slice::ParallelSliceMut;
use sexton_register::State;

use super::Row;

/// The groups of the list, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// A process stands behind it.
    Live,
    /// Someone should come back to it.
    LooseEnd,
    /// Done or exited.
    Finished,
}

impl Group {
    /// The group of a state.
    #[must_use]
    pub fn of(state: State) -> Self {
        if state.is_live() {
            Self::Live
        } else if state.is_loose_end() {
            Self::LooseEnd
        } else {
            Self::Finished
        }
    }

    /// One word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::LooseEnd => "loose-end",
            Self::Finished => "finished",
        }
    }
}

/// How rows are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Sort {
    /// Live, loose ends, finished; the newest first in each.
    #[default]
    Group,
    /// The most recently active first.
    Newest,
    /// The least recently active first.
    Oldest,
    /// By name or title.
    Name,
    /// By directory, the newest first in each.
    Directory,
    /// The most memory first.
    Memory,
}

impl Sort {
    /// Sorts `rows`; equal rows stand in the order of their ids, so that a list is stable.
    pub fn apply(self, rows: &mut [Row]) {
        if !rows.is_sorted_by_key(|row| row.session) {
            rows.sort_by_key(|row| row.session);
        }
        // Keys are made once each: to look them up again for each comparison costs more than the sorting.
        let newest = |row: &Row| Reverse(row.last_activity_ms());
        match self {
            Self::Group => rows.par_sort_by_cached_key(|row| (Group::of(row.state), newest(row))),
            Self::Newest => rows.par_sort_by_cached_key(newest),
            Self::Oldest => rows.par_sort_by_cached_key(|row| row.last_activity_ms().unwrap_or(i64::MAX)),
            Self::Name => rows.par_sort_by_cached_key(|row| {
                row.label()
                    .map_or((true, String::new()), |label| (false, label.to_lowercase()))
            }),
            Self::Directory => rows.par_sort_by_cached_key(|row| (row.directory().map(Path::to_path_buf), newest(row))),
            Self::Memory => rows.sort_by_key(|row| Reverse(row.resident_bytes())),
        }
    }
}
