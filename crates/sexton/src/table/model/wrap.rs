//! Breaking a line of styled text to a width.

use unicode_segmentation::UnicodeSegmentation;

use crate::render::{Cell, width};

/// One line of a page: pieces of safe text, and where its continuation begins when it doesn't fit.
#[derive(Debug, Clone, Default)]
pub struct PageLine {
    /// The pieces.
    pub cells: Vec<Cell>,
    /// How far its further rows are indented, in terminal columns.
    pub hang: usize,
    /// Whether it is what the page was opened for.
    pub is_target: bool,
}

impl PageLine {
    /// A line of plain text; it must be safe to look at.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            cells: vec![Cell::from(text)],
            ..Self::default()
        }
    }

    /// A line of pieces.
    #[must_use]
    pub fn new(cells: Vec<Cell>) -> Self {
        Self {
            cells,
            ..Self::default()
        }
    }

    /// The same, with its further rows indented.
    #[must_use]
    pub fn hanging(self, hang: usize) -> Self {
        Self { hang, ..self }
    }

    /// Its text without styles.
    #[must_use]
    pub fn plain(&self) -> String {
        self.cells.iter().map(|cell| cell.text.as_str()).collect()
    }

    /// The rows that it takes in `columns` terminal columns; at least one.
    ///
    /// Breaks at spaces where there are any, else between characters.
    #[must_use]
    pub fn wrap(&self, columns: usize) -> Vec<Vec<Cell>> {
        let columns = columns.max(1);
        // An indentation that leaves no room, not even for a wide character, is none.
        let fits = self.hang * 2 <= columns && self.hang + 2 <= columns;
        let hang = if fits { self.hang } else { 0 };
        let mut rows = Rows {
            done: Vec::new(),
            row: Vec::new(),
            used: 0,
            hang,
            columns,
        };
        for cell in &self.cells {
            for word in cell.text.split_inclusive(' ') {
                rows.push(word, cell.style);
            }
        }
        rows.finish()
    }
}

struct Rows {
    done: Vec<Vec<Cell>>,
    row: Vec<Cell>,
    used: usize,
    hang: usize,
    columns: usize,
}

impl Rows {
    fn push(&mut self, word: &str, style: anstyle::Style) {
        // The space behind a word may hang over the edge.
        let needed = width(word.trim_end_matches(' '));
        // A word for which no row has room gains nothing by a new row, behind a label or an indentation.
        let gains = self.hang + needed <= self.columns || self.used > self.hang;
        if self.used + needed > self.columns && self.used > self.start() && gains {
            self.break_row();
        }
        if self.used + needed <= self.columns {
            let room = self.columns - self.used;
            let fitting = if width(word) > room {
                word.trim_end_matches(' ')
            } else {
                word
            };
            return self.append(fitting, style);
        }
        for cluster in word.graphemes(true) {
            if self.used + width(cluster) > self.columns && self.used > self.start() {
                self.break_row();
            }
            // What is wider than the whole screen can't be shown.
            if width(cluster) <= self.columns {
                self.append(cluster, style);
            }
        }
    }

    fn append(&mut self, text: &str, style: anstyle::Style) {
        self.used += width(text);
        match self.row.last_mut() {
            Some(last) if last.style == style => last.text.push_str(text),
            _ => self.row.push(Cell::styled(text, style)),
        }
    }

    /// Where a row begins: the first at the edge, the others indented.
    fn start(&self) -> usize {
        if self.done.is_empty() { 0 } else { self.hang }
    }

    fn break_row(&mut self) {
        self.done.push(std::mem::take(&mut self.row));
        self.used = 0;
        if self.hang > 0 {
            self.append(&" ".repeat(self.hang), anstyle::Style::new());
        }
    }

    fn finish(mut self) -> Vec<Vec<Cell>> {
        self.done.push(self.row);
        self.done
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(line: &PageLine, columns: usize) -> Vec<String> {
        let plain = |row: Vec<Cell>| row.into_iter().map(|cell| cell.text).collect();
        line.wrap(columns).into_iter().map(plain).collect()
    }

    #[test]
    fn words_stay_whole_where_they_can() {
        let line = PageLine::text("one two three");
        assert_eq!(rows(&line, 7), ["one two", "three"]);
        assert_eq!(rows(&line, 4), ["one ", "two ", "thre", "e"]);
        assert_eq!(rows(&PageLine::text("日本語"), 5), ["日本", "語"]);
        assert_eq!(rows(&PageLine::text(""), 5), [""]);
        let hanging = PageLine::text("a: one two").hanging(3);
        assert_eq!(rows(&hanging, 6), ["a: one", "   two"]);
        let path = PageLine::text("  /a/long/path").hanging(4);
        assert_eq!(rows(&path, 10), ["  /a/long/", "    path"]);
        let label = PageLine::text("at  /a/long/path").hanging(4);
        assert_eq!(rows(&label, 10), ["at  /a/lon", "    g/path"]);
    }

    proptest! {
        #[test]
        fn every_row_fits_and_no_letter_is_lost(text in "[a-z日 ]{0,60}", columns in 2_usize..20, hang in 0_usize..12) {
            let line = PageLine::text(text.as_str()).hanging(hang);
            let rows = rows(&line, columns);
            for row in &rows {
                prop_assert!(width(row) <= columns, "{row:?}");
            }
            let letters = |text: &str| text.replace(' ', "");
            prop_assert_eq!(letters(&rows.concat()), letters(&text));
        }

        #[test]
        fn nothing_panics(text in any::<String>(), columns in 0_usize..9, hang in 0_usize..9) {
            let line = PageLine::text(crate::render::one_line(&text)).hanging(hang);
            prop_assert!(!line.wrap(columns).is_empty());
        }
    }
}
