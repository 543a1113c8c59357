//! Lines that end at words on a terminal, and are whole when piped.

use std::fmt::Write;

use anstyle::Style;

use super::{Cell, width};

/// One line of pieces, broken at spaces where it is wider than `columns`, its further rows indented by `hang`; whole if `columns` is `None`.
///
/// A word that is wider than a row stays whole: what is copied from the terminal is then the path or command that was meant.
#[must_use]
pub fn wrapped(cells: &[Cell], columns: Option<usize>, hang: usize) -> String {
    let columns = columns.unwrap_or(usize::MAX).max(1);
    // An indentation that takes most of the row helps nobody.
    let hang = if hang * 2 <= columns { hang } else { 0 };
    let mut rows = Rows {
        text: String::new(),
        used: 0,
        blank: 0,
        columns,
        hang,
    };
    // A word may begin in one piece and end in the next.
    let mut word: Vec<(&str, Style)> = Vec::new();
    for cell in cells {
        for part in cell.text.split_inclusive(' ') {
            let (bare, blanks) = part.strip_suffix(' ').map_or((part, 0), |bare| (bare, 1));
            word.push((bare, cell.style));
            if blanks > 0 {
                rows.push(&std::mem::take(&mut word));
                rows.blank += blanks;
            }
        }
    }
    rows.push(&word);
    rows.text.push('\n');
    rows.text
}

struct Rows {
    text: String,
    /// Columns that are taken in the row.
    used: usize,
    /// Spaces before the next word, of which a row needs none at its end.
    blank: usize,
    columns: usize,
    hang: usize,
}

impl Rows {
    fn push(&mut self, word: &[(&str, Style)]) {
        let needed: usize = word.iter().map(|(text, _)| width(text)).sum();
        if needed == 0 {
            return;
        }
        // A word for which no row has room gains nothing by a row of its own, behind a label.
        let gains = self.hang + needed <= self.columns || self.used + self.blank > self.hang;
        if self.used > 0 && self.used + self.blank + needed > self.columns && gains {
            self.text.push('\n');
            self.blank = self.hang;
            self.used = 0;
        }
        self.text.extend(std::iter::repeat_n(' ', self.blank));
        for (text, style) in word.iter().filter(|(text, _)| !text.is_empty()) {
            // Writing to a string does not fail.
            let _ = write!(self.text, "{style}{text}{style:#}");
        }
        self.used += self.blank + needed;
        self.blank = 0;
        if self.used > self.columns {
            // The terminal broke the word, and goes on where it ends.
            self.used = (self.used - 1) % self.columns + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(text: &str, columns: usize, hang: usize) -> String {
        wrapped(&[Cell::from(text)], Some(columns), hang)
    }

    #[test]
    fn rows_end_at_words() {
        assert_eq!(plain("one two three", 9, 2), "one two\n  three\n");
        assert_eq!(plain("one two", 7, 2), "one two\n");
        assert_eq!(
            plain("label   two three four", 14, 6),
            "label   two\n      three\n      four\n"
        );
        assert_eq!(plain("日本語 日本語", 8, 2), "日本語\n  日本語\n");
        assert_eq!(plain("", 8, 2), "\n");
    }

    #[test]
    fn a_long_word_stays_whole_and_what_follows_goes_on_behind_it() {
        assert_eq!(
            plain("and at /a/very/long/path (1K)", 15, 3),
            "and at\n   /a/very/long/path (1K)\n"
        );
        assert_eq!(
            plain("at  /a/very/long/path (1K)", 15, 4),
            "at  /a/very/long/path (1K)\n"
        );
        assert_eq!(plain("a b", 1, 3), "a\nb\n");
    }

    #[test]
    fn pieces_of_one_word_are_not_parted() {
        let cells = [
            Cell::from("state "),
            Cell::styled("crashed", Style::new().bold()),
            Cell::from(": no process"),
        ];
        assert_eq!(
            wrapped(&cells, Some(13), 2),
            "state\n  \u{1b}[1mcrashed\u{1b}[0m: no\n  process\n"
        );
        assert_eq!(
            wrapped(&cells, None, 2),
            "state \u{1b}[1mcrashed\u{1b}[0m: no process\n"
        );
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_all_fits_that_can(text in "[a-z]{1,7}( [a-z]{1,7}){0,20}", columns in 12_usize..40, hang in 0_usize..6) {
            let shown = plain(&text, columns, hang);
            prop_assert_eq!(shown.split_whitespace().collect::<Vec<_>>(), text.split(' ').collect::<Vec<_>>());
            prop_assert!(shown.lines().all(|line| width(line) <= columns));
        }
    }
}
