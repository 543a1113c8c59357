//! A line of text that somebody is typing.

use unicode_segmentation::UnicodeSegmentation;

use crate::render::{one_line, width};

/// Longer input than this is nobody's typing.
const LONGEST: usize = 4096;

/// A line and the place in it where the next character goes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineEdit {
    text: String,
    /// A byte offset, always between two grapheme clusters.
    cursor: usize,
}

/// One step of typing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Text, typed or pasted; what can't be seen in one line is made visible.
    Insert(String),
    /// Removes what stands before the cursor.
    Backspace,
    /// Removes what stands after it.
    Delete,
    /// Removes the word before it.
    DeleteWord,
    /// Removes everything before it.
    DeleteToStart,
    /// One to the left.
    Left,
    /// One to the right.
    Right,
    /// To the beginning.
    Home,
    /// To the end.
    End,
}

impl LineEdit {
    /// A line that holds `text`, with the cursor at its end.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            cursor: text.len(),
        }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many terminal columns stand before the cursor.
    #[must_use]
    pub fn columns_before_cursor(&self) -> usize {
        width(&self.text[..self.cursor])
    }

    /// Takes one step; says whether the text is another one now.
    pub fn apply(&mut self, edit: &Edit) -> bool {
        let before = self.text.len();
        match edit {
            Edit::Insert(text) => return self.insert(text),
            Edit::Backspace => self.remove_back_to(self.previous()),
            Edit::Delete => {
                let end = self.next();
                self.text.replace_range(self.cursor..end, "");
                // The neighbours may be one cluster now.
                self.cursor = self.boundary_from(self.cursor);
            }
            Edit::DeleteWord => self.remove_back_to(self.word_start()),
            Edit::DeleteToStart => self.remove_back_to(0),
            Edit::Left => self.cursor = self.previous(),
            Edit::Right => self.cursor = self.next(),
            Edit::Home => self.cursor = 0,
            Edit::End => self.cursor = self.text.len(),
        }
        self.text.len() != before
    }

    fn insert(&mut self, text: &str) -> bool {
        // A single space is typing; `one_line` would trim it.
        let plain = if text == " " { text.to_owned() } else { one_line(text) };
        if plain.is_empty() || self.text.len() + plain.len() > LONGEST {
            return false;
        }
        self.text.insert_str(self.cursor, &plain);
        self.cursor += plain.len();
        // What was inserted may have joined its neighbours to one cluster.
        self.cursor = self.boundary_from(self.cursor);
        true
    }

    fn remove_back_to(&mut self, start: usize) {
        self.text.replace_range(start..self.cursor, "");
        // The neighbours may be one cluster now.
        self.cursor = self.boundary_from(start);
    }

    fn boundaries(&self) -> impl Iterator<Item = usize> {
        self.text
            .grapheme_indices(true)
            .map(|(at, _)| at)
            .chain(std::iter::once(self.text.len()))
    }

    fn boundary_from(&self, start: usize) -> usize {
        self.boundaries().find(|at| *at >= start).unwrap_or(self.text.len())
    }

    fn previous(&self) -> usize {
        self.boundaries().take_while(|at| *at < self.cursor).last().unwrap_or(0)
    }

    fn next(&self) -> usize {
        self.boundaries()
            .find(|at| *at > self.cursor)
            .unwrap_or(self.text.len())
    }

    fn word_start(&self) -> usize {
        let before = self.text[..self.cursor].trim_end();
        before
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn typed(steps: &[Edit]) -> LineEdit {
        let mut line = LineEdit::default();
        for step in steps {
            line.apply(step);
        }
        line
    }

    #[test]
    fn typing_and_taking_back() {
        let insert = |text: &str| Edit::Insert(text.to_owned());
        let line = typed(&[insert("two"), insert(" "), insert("words"), Edit::DeleteWord]);
        assert_eq!(line.text(), "two ");
        let line = typed(&[insert("日本"), Edit::Left, insert("x"), Edit::Delete]);
        assert_eq!(line.text(), "日x");
        assert_eq!(line.columns_before_cursor(), 3);
        let line = typed(&[
            insert("a\u{1b}\nb"),
            Edit::Home,
            Edit::Delete,
            Edit::End,
            Edit::Backspace,
        ]);
        assert_eq!(line.text(), "␛ ");
        assert_eq!(typed(&[insert("abc"), Edit::Left, Edit::DeleteToStart]).text(), "c");
        // Two halves of a flag that come together are one.
        let line = typed(&[insert("🇩e🇩"), Edit::Left, Edit::Left, Edit::Delete, insert("x")]);
        assert_eq!(line.text(), "🇩🇩x");
    }

    fn edit() -> impl Strategy<Value = Edit> {
        prop_oneof![
            "\\PC{0,3}|[e\u{301}\u{200d}👩💻🇩🇪 ]{0,4}".prop_map(Edit::Insert),
            Just(Edit::Backspace),
            Just(Edit::Delete),
            Just(Edit::DeleteWord),
            Just(Edit::DeleteToStart),
            Just(Edit::Left),
            Just(Edit::Right),
            Just(Edit::Home),
            Just(Edit::End),
        ]
    }

    proptest! {
        #[test]
        fn the_cursor_always_stands_between_two_clusters(steps in proptest::collection::vec(edit(), 0..40)) {
            let mut line = LineEdit::default();
            for step in &steps {
                line.apply(step);
                prop_assert!(line.boundaries().any(|at| at == line.cursor), "{line:?} after {step:?}");
            }
        }
    }
}
