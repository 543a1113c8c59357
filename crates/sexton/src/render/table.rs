//! Tables that fit: aligned for wide characters, shrunk to the terminal, whole when piped.

use std::borrow::Cow;
use std::fmt::Write;

use anstyle::Style;
use rayon::prelude::*;

use super::text::{truncate, truncate_left, width};

/// Between two columns.
pub const GAP: usize = 2;

/// Where a cell's text stands, and from which end it is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// At the left, cut at its end.
    Left,
    /// At the left, cut at its beginning: for paths, whose end tells more.
    LeftCutLeft,
    /// At the right; numbers, never cut.
    Right,
}

/// Piped, where nothing is cut, a cell wider than this doesn't widen its column: one long title would push all others off the screen.
const WIDEST_PADDED: usize = 80;

/// So many rows are rendered faster than another thread is woken.
const PART: usize = 256;

/// One column.
#[derive(Debug, Clone)]
pub struct Column {
    /// The header.
    pub title: &'static str,
    /// How its cells stand.
    pub align: Align,
    /// The least width it is shrunk to; a column that is never cut has its cells' width.
    pub least: usize,
    /// The greatest width it is given on a terminal.
    pub most: usize,
    /// Columns are dropped while the table is too wide, greatest first; 0 is never dropped.
    pub dropped: u8,
}

/// One cell: text that is already safe to look at, and its style.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// Its style.
    pub style: Style,
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self {
            text: text.into(),
            style: Style::new(),
        }
    }
}

impl Cell {
    /// A cell with a style.
    pub fn styled(text: impl Into<String>, style: Style) -> Self {
        Self {
            text: text.into(),
            style,
        }
    }
}

/// Rows under headers.
#[derive(Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(columns: Vec<Column>) -> Self {
        Self {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row of as many cells as there are columns.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.columns.len());
        self.rows.push(row);
    }

    /// The table as text, at most `columns` wide where that is given; a column that is empty in every row is left out.
    #[must_use]
    pub fn render(&self, columns: Option<usize>, header: Style) -> String {
        let widths = self.widths(columns);
        let titles: Vec<Cell> = self
            .columns
            .iter()
            .map(|column| Cell::styled(column.title, header))
            .collect();
        let lines = |rows: &[Vec<Cell>]| {
            let mut text = String::new();
            for row in rows {
                self.line(&mut text, row, &widths, columns.is_some());
            }
            text
        };
        let parts: Vec<String> = self.rows.par_chunks(PART).map(lines).collect();
        let mut text = lines(&[titles]);
        text.reserve_exact(parts.iter().map(String::len).sum());
        // One after the other, so that not all is there twice.
        for part in parts {
            text += &part;
        }
        text
    }

    fn line(&self, text: &mut String, row: &[Cell], widths: &[Option<usize>], is_cut: bool) {
        let shown: Vec<_> = widths
            .iter()
            .enumerate()
            .filter_map(|(at, width)| width.map(|width| (at, width)))
            .collect();
        let last = shown.last().map(|(at, _)| *at);
        for (at, room) in shown {
            let cell = &row[at];
            let cut = match self.columns[at].align {
                _ if !is_cut => Cow::Borrowed(cell.text.as_str()),
                Align::LeftCutLeft => truncate_left(&cell.text, room),
                Align::Left | Align::Right => truncate(&cell.text, room),
            };
            let padding = " ".repeat(room.saturating_sub(width(&cut)));
            let (before, after) = match self.columns[at].align {
                Align::Right => (padding.as_str(), ""),
                _ if Some(at) == last => ("", ""),
                _ => ("", padding.as_str()),
            };
            // An empty cell has no colour, or the end of its line could not be trimmed.
            let style = if cut.is_empty() { Style::new() } else { cell.style };
            let (start, end) = (style.render(), style.render_reset());
            let gap = if Some(at) == last { "" } else { "  " };
            // Writing to a string does not fail.
            let _ = write!(text, "{before}{start}{cut}{end}{after}{gap}");
        }
        // An empty last cell leaves only the padding before it.
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }

    /// Each column's width; `None` for one that is not shown.
    fn widths(&self, limit: Option<usize>) -> Vec<Option<usize>> {
        // On a terminal nothing is too wide to be cut.
        let counted = if limit.is_some() { usize::MAX } else { WIDEST_PADDED };
        let cells = self
            .rows
            .par_chunks(PART)
            .map(|rows| widest(rows, self.columns.len(), counted))
            .reduce(
                || vec![None; self.columns.len()],
                |one, other| one.into_iter().zip(other).map(|(one, other)| one.max(other)).collect(),
            );
        let columns = self.columns.iter().zip(cells);
        let mut widths: Vec<Option<usize>> = columns
            .map(|(column, widest)| self.natural(column, widest, limit))
            .collect();
        if let Some(limit) = limit {
            fit(&self.columns, &mut widths, limit);
        }
        widths
    }

    /// The width that a column wants, whose widest cell has `widest` columns, if any has text.
    fn natural(&self, column: &Column, widest: Option<usize>, limit: Option<usize>) -> Option<usize> {
        if widest.is_none() && !self.rows.is_empty() {
            return None;
        }
        let wanted = widest.unwrap_or(0).max(width(column.title));
        Some(match limit {
            // No column is wider than all there is.
            Some(limit) if column.align != Align::Right => wanted.min(column.most).min(limit),
            _ => wanted,
        })
    }
}

/// The width of the widest cell of each column that is at most `counted` wide; `None` of a column in which all are empty.
fn widest(rows: &[Vec<Cell>], columns: usize, counted: usize) -> Vec<Option<usize>> {
    let mut found = vec![None; columns];
    for row in rows {
        for (found, cell) in found.iter_mut().zip(row) {
            match width(&cell.text) {
                0 => {}
                wide => *found = (*found).max(Some(if wide <= counted { wide } else { 0 })),
            }
        }
    }
    found
}

/// Drops and shrinks columns until they fit into `limit` terminal columns, or are as narrow as they get; `None` is not shown.
pub fn fit(columns: &[Column], widths: &mut [Option<usize>], limit: usize) {
    let total = |widths: &[Option<usize>]| {
        let shown = widths.iter().flatten();
        shown.clone().sum::<usize>() + shown.count().saturating_sub(1) * GAP
    };
    let floor = |at: usize, width: usize| match columns[at].align {
        Align::Right => width,
        _ => width.min(columns[at].least),
    };
    // First drop what can't fit even when all is shrunk, then shrink the widest until the rest fits.
    loop {
        let shrunk: Vec<_> = widths
            .iter()
            .enumerate()
            .map(|(at, width)| width.map(|width| floor(at, width)))
            .collect();
        let droppable = (0..widths.len()).filter(|at| widths[*at].is_some() && columns[*at].dropped > 0);
        match droppable.max_by_key(|at| columns[*at].dropped) {
            Some(at) if total(&shrunk) > limit => widths[at] = None,
            _ => break,
        }
    }
    while total(widths) > limit {
        let shrinkable = (0..widths.len()).filter(|at| widths[*at].is_some_and(|width| width > floor(*at, width)));
        let Some(widest) = shrinkable.max_by_key(|at| widths[*at]) else {
            break;
        };
        widths[widest] = widths[widest].map(|width| width - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(title: &'static str, align: Align, least: usize, dropped: u8) -> Column {
        Column {
            title,
            align,
            least,
            most: 40,
            dropped,
        }
    }

    fn sample() -> Table {
        let mut table = Table::new(vec![
            column("NAME", Align::Left, 8, 0),
            column("DIRECTORY", Align::LeftCutLeft, 10, 0),
            column("MODEL", Align::Left, 5, 1),
            column("AGE", Align::Right, 3, 0),
        ]);
        table.push(vec![
            "日本語の名前 with more".into(),
            "~/projects/deep/down/below".into(),
            "opus".into(),
            "5m".into(),
        ]);
        table.push(vec!["b".into(), "~".into(), "sonnet".into(), "12d".into()]);
        table
    }

    #[test]
    fn piped_it_is_whole() {
        let shown = sample().render(None, Style::new());
        assert_eq!(
            shown,
            "NAME                    DIRECTORY                   MODEL   AGE\n\
             日本語の名前 with more  ~/projects/deep/down/below  opus     5m\n\
             b                       ~                           sonnet  12d\n"
        );
    }

    #[test]
    fn piped_one_long_cell_is_whole_and_costs_the_others_no_padding() {
        let mut table = sample();
        let long = "title ".repeat(100).trim_end().to_owned();
        table.push(vec![long.as_str().into(), "~".into(), "opus".into(), "1h".into()]);
        let shown = table.render(None, Style::new());
        let (before, last) = shown.trim_end().rsplit_once('\n').unwrap();
        assert_eq!(before.to_owned() + "\n", sample().render(None, Style::new()));
        assert_eq!(last, format!("{long}  ~                           opus     1h"));
    }

    #[test]
    fn on_any_width_it_fits_or_is_as_narrow_as_it_gets() {
        for limit in 25..100 {
            let shown = sample().render(Some(limit), Style::new());
            for line in shown.lines() {
                assert!(width(line) <= limit, "{limit}: {line}");
            }
        }
        let narrow = sample().render(Some(30), Style::new());
        assert!(!narrow.contains("MODEL"), "{narrow}");
        assert!(narrow.contains("…"), "{narrow}");
    }

    #[test]
    fn a_column_without_content_is_left_out() {
        let mut table = Table::new(vec![column("A", Align::Left, 1, 0), column("B", Align::Left, 1, 0)]);
        table.push(vec!["x".into(), "".into()]);
        assert_eq!(table.render(None, Style::new()), "A\nx\n");
    }
}
