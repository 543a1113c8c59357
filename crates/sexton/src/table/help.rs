//! The page of keys.

use super::keys::{BINDINGS, Mode};
use super::model::{Page, PageKind, PageLine};
use crate::render::style::Styles;
use crate::render::{Cell, width};

/// How wide the column of keys is.
const KEYS: usize = 10;

/// What the states mean, for those who meet them first.
const STATES: &[(&str, &str)] = &[
    ("working", "the model works"),
    ("shell", "a command runs in its shell"),
    ("waiting", "it waits for you"),
    ("idle", "it has answered and nothing runs"),
    ("running", "a process runs it, and says no more"),
    ("unverified", "a process has its pid, but may be another one"),
    ("starting", "it was started less than a minute ago"),
    ("on-hold", "you put it aside"),
    ("blocked", "you said that it can't go on"),
    ("crashed", "its process is gone and never said goodbye"),
    ("done", "you said that it is done"),
    ("exited", "it ended by itself"),
];

/// The page.
#[must_use]
pub(super) fn page(styles: Styles) -> Page {
    let mut lines = vec![heading("In the table", styles)];
    let in_table = BINDINGS
        .iter()
        .filter(|binding| binding.modes.contains(&Mode::Table) && !binding.long.is_empty());
    lines.extend(in_table.map(|binding| line(binding.shown, binding.long, styles)));
    lines.extend([PageLine::default(), heading("In a conversation", styles)]);
    let in_transcript = BINDINGS.iter().filter(|binding| {
        binding.modes.contains(&Mode::Transcript) && !binding.modes.contains(&Mode::Table) && !binding.long.is_empty()
    });
    lines.extend(in_transcript.map(|binding| line(binding.shown, binding.long, styles)));
    lines.extend([PageLine::default(), heading("States", styles)]);
    lines.extend(STATES.iter().map(|(state, meaning)| line(state, meaning, styles)));
    Page::new(PageKind::Help, "keys").with_lines(lines)
}

fn heading(text: &str, styles: Styles) -> PageLine {
    PageLine::new(vec![Cell::styled(text, styles.hint())])
}

fn line(left: &str, right: &str, styles: Styles) -> PageLine {
    let padding = " ".repeat(KEYS.saturating_sub(width(left)) + 2);
    let left = Cell::styled(format!("  {left}{padding}"), styles.header());
    PageLine::new(vec![left, Cell::from(right)]).hanging(KEYS + 4)
}
