//! A window of a text around what was found, with the finds marked.

use std::ops::Range;

/// Part of a text on one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The text, blanks and line breaks put together; not made safe for a terminal.
    pub text: String,
    /// Byte ranges of `text` that were found, in order.
    pub marks: Vec<Range<usize>>,
    /// Whether more text stands before it.
    pub cut_before: bool,
    /// Whether more text stands after it.
    pub cut_after: bool,
}

/// A find that is longer than this is cut if it doesn't fit: an expression can match a whole file.
const LONGEST_FIND: usize = 400;

/// The part of `text` around the first of `found`, at most about `width` characters long, and as long as that find is. `found` holds byte
/// ranges in any order.
#[must_use]
pub fn snippet(text: &str, found: &[Range<usize>], width: usize) -> Snippet {
    let mut found = found.to_vec();
    found.sort_unstable_by_key(|range| (range.start, range.end));
    let first = found.first().cloned().unwrap_or(0..0);
    // A third of the room before the find: what follows tells more.
    let shown = text[first.clone()].chars().count().min(width.max(LONGEST_FIND));
    let before = width.saturating_sub(shown) / 3;
    let start = back(text, first.start, before);
    let end = forward(text, start, width.max(shown));
    let mut snippet = Snippet {
        cut_before: !text[..start].trim().is_empty(),
        cut_after: !text[end..].trim().is_empty(),
        ..Snippet::default()
    };
    // Where each byte of the window went.
    let mut places = Vec::with_capacity(end - start + 1);
    let mut after_blank = true;
    for character in text[start..end].chars() {
        let is_blank = character.is_whitespace();
        places.extend(std::iter::repeat_n(snippet.text.len(), character.len_utf8()));
        if !is_blank {
            snippet.text.push(character);
        } else if !after_blank {
            snippet.text.push(' ');
        }
        after_blank = is_blank;
    }
    places.push(snippet.text.len());
    snippet.text.truncate(snippet.text.trim_end().len());
    for range in found {
        if range.start < start || range.start >= end {
            continue;
        }
        let mark = places[range.start - start]..places[range.end.min(end) - start].min(snippet.text.len());
        let is_new = snippet.marks.last().is_none_or(|last| last.end <= mark.start);
        if is_new && mark.start < mark.end {
            snippet.marks.push(mark);
        }
    }
    snippet
}

/// The boundary `count` characters before `at`, moved on to the beginning of a word if one is near.
fn back(text: &str, at: usize, count: usize) -> usize {
    if count == 0 {
        return at;
    }
    let start = text[..at]
        .char_indices()
        .rev()
        .nth(count - 1)
        .map_or(0, |(start, _)| start);
    if start == 0 {
        return 0;
    }
    let blank = text[start..at]
        .char_indices()
        .take(12)
        .find(|(_, character)| character.is_whitespace());
    blank.map_or(start, |(offset, character)| start + offset + character.len_utf8())
}

fn forward(text: &str, at: usize, count: usize) -> usize {
    text[at..]
        .char_indices()
        .nth(count)
        .map_or(text.len(), |(offset, _)| at + offset)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn marked(snippet: &Snippet) -> String {
        let mut text = snippet.text.clone();
        for mark in snippet.marks.iter().rev() {
            text.insert(mark.end, ']');
            text.insert(mark.start, '[');
        }
        let cut = |cut: bool| if cut { "…" } else { "" };
        format!("{}{text}{}", cut(snippet.cut_before), cut(snippet.cut_after))
    }

    #[test]
    fn the_find_stands_in_a_window() {
        let text = "The first line.\n\nThen a deadlock in   sqlite, and another deadlock.";
        let at = text.find("deadlock").unwrap();
        let again = text.rfind("deadlock").unwrap();
        assert_eq!(
            marked(&snippet(text, &[again..again + 8, at..at + 8], 100)),
            "The first line. Then a [deadlock] in sqlite, and another [deadlock]."
        );
        assert_eq!(
            marked(&snippet(text, std::slice::from_ref(&(at..at + 8)), 24)),
            "…a [deadlock] in sqlite,…"
        );
        assert_eq!(marked(&snippet("", &[], 10)), "");
        for width in 0..8 {
            assert_eq!(
                marked(&snippet(text, std::slice::from_ref(&(at..at + 8)), width)),
                "…[deadlock]…",
                "{width}"
            );
        }
        let long = "x".repeat(1000);
        assert_eq!(
            snippet(&long, std::slice::from_ref(&(0..1000)), 10).text.len(),
            LONGEST_FIND
        );
    }

    proptest! {
        #[test]
        fn any_text_and_place(text in "(?s).{0,80}", a in 0..80usize, b in 0..80usize, width in 0..60usize) {
            let a = text.floor_char_boundary(a);
            let b = text.floor_char_boundary(b);
            let snippet = snippet(&text, std::slice::from_ref(&(a.min(b)..a.max(b))), width);
            for mark in &snippet.marks {
                prop_assert!(snippet.text.get(mark.clone()).is_some());
            }
        }
    }
}
