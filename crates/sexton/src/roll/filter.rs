//! Which rows are shown.

use std::path::PathBuf;

use sexton_register::State;

use super::{Disposal, Row};

/// What a list shows.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Finished ones too.
    pub all: bool,
    /// Only these states; empty means any. A state that is asked for is not hidden.
    pub states: Vec<State>,
    /// Only sessions of one of these directories, the spellings of one, or below it; empty means any.
    pub cwd: Vec<PathBuf>,
    /// Only sessions whose transcript directory's name contains this.
    pub project: Option<String>,
    /// Only sessions active at or after this instant, in milliseconds since the Unix epoch.
    pub since_ms: Option<i64>,
    /// Only sessions with a process.
    pub live: bool,
    /// Those that were put away, too.
    pub with_put_away: bool,
    /// Only those that were put away so.
    pub put_away: Option<Disposal>,
}

/// How many rows a list leaves out because they are over or put away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hidden {
    /// Done or exited.
    pub finished: usize,
    /// In the archive.
    pub archived: usize,
    /// With a tombstone.
    pub deleted: usize,
}

impl Filter {
    /// Keeps the rows that are asked for, as far as that can be told without their transcripts; `leave` takes the others.
    pub fn select(&self, rows: &mut Vec<Row>, leave: impl FnMut(Row)) {
        rows.extract_if(.., |row| !self.is_asked_for(row)).for_each(leave);
    }

    /// Whether transcripts must be read to tell what is asked for; see [`Self::judge_transcript`].
    #[must_use]
    pub fn needs_transcripts(&self) -> bool {
        self.since_ms.is_some() || !self.cwd.is_empty()
    }

    /// Hides the rows that are over or put away, unless they are asked for, and counts them; `leave` takes them.
    pub fn hide(&self, rows: &mut Vec<Row>, leave: impl FnMut(Row)) -> Hidden {
        let mut hidden = Hidden::default();
        let is_left = |row: &mut Row| !self.shows(row, &mut hidden);
        rows.extract_if(.., is_left).for_each(leave);
        hidden
    }

    /// Whether the row is shown; if it is only left out because it is over or put away, it is counted in `hidden`.
    #[must_use]
    pub fn shows(&self, row: &Row, hidden: &mut Hidden) -> bool {
        self.is_asked_for(row) && self.is_visible(row, hidden)
    }

    /// Whether the row still belongs to the list once its transcript has been read.
    #[must_use]
    pub fn judge_transcript(&self, row: &Row) -> bool {
        let since = self
            .since_ms
            .is_none_or(|since| row.last_activity_ms().is_some_and(|active| active >= since));
        let below = self.cwd.is_empty()
            || row
                .directory()
                .is_some_and(|directory| self.cwd.iter().any(|cwd| directory.starts_with(cwd)));
        since && below
    }

    fn is_asked_for(&self, row: &Row) -> bool {
        let project = |text: &String| {
            row.transcripts.iter().any(|path| {
                let slug = path.parent().and_then(|directory| directory.file_name());
                slug.is_some_and(|slug| slug.to_string_lossy().contains(text.as_str()))
            })
        };
        (!self.live || row.state.is_live())
            && (self.states.is_empty() || self.states.contains(&row.state))
            && self.project.as_ref().is_none_or(project)
    }

    fn is_visible(&self, row: &Row, hidden: &mut Hidden) -> bool {
        // A live session always shows, even one with a tombstone.
        match (row.disposal, self.put_away) {
            (disposal, Some(_)) => return disposal == self.put_away,
            (disposal, None) if row.state.is_live() || disposal.is_some() && self.with_put_away => return true,
            (Some(Disposal::Archived), None) => hidden.archived += 1,
            (Some(Disposal::Deleted), None) => hidden.deleted += 1,
            (None, None) if row.state.is_hidden_by_default() && !self.all && self.states.is_empty() => {
                hidden.finished += 1;
            }
            (None, None) => return true,
        }
        false
    }
}
