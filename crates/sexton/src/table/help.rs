//! The page of keys.

use sexton_register::State;

use super::keys::{BINDINGS, Mode};
use super::model::{Page, PageKind, PageLine};
use crate::render::style::Styles;
use crate::render::{Cell, width};
use crate::states::meaning;

/// How wide the column of keys is.
const KEYS: usize = 10;

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
    lines.extend(State::ALL.map(|state| line(state.as_str(), meaning(state), styles)));
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
