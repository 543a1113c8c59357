//! Where a word or phrase stands in a text, by the same folding and word boundaries that the tokens follow.

use std::ops::Range;

use memchr::memmem;

use crate::tokens::{Class, Hump, class_of, fold};

/// A text longer than this, in bytes, is looked through in pieces, since its folded form takes five times its memory.
const PIECE: usize = 4 * 1024 * 1024;

/// How far a piece reaches into the next one, in bytes, so that what lies across the cut is found.
const OVERLAP: usize = 64 * 1024;

/// A word or phrase to be found in texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needle {
    folded: String,
    open_end: bool,
}

impl Needle {
    /// A needle for `text`; with `open_end` anything may follow it. Blanks match any run of blanks.
    #[must_use]
    pub fn new(text: &str, open_end: bool) -> Self {
        Self {
            folded: Folded::of(text).text.trim().to_owned(),
            open_end,
        }
    }

    /// Whether `text` contains it.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        let mut found = false;
        self.each(text, |_| {
            found = true;
            false
        });
        found
    }

    /// The first `most` places where it stands in `text`, as byte ranges, in order.
    #[must_use]
    pub fn find(&self, text: &str, most: usize) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        if most > 0 {
            self.each(text, |range| {
                // Pieces overlap, so one place can come twice.
                if ranges.last().is_none_or(|last| last.end <= range.start) {
                    ranges.push(range);
                }
                ranges.len() < most
            });
        }
        ranges
    }

    /// Calls `see` with each place until it returns false.
    fn each(&self, text: &str, mut see: impl FnMut(Range<usize>) -> bool) {
        if self.folded.is_empty() {
            return;
        }
        if let Some(beginning) = Beginning::of(&self.folded, text) {
            let mut from = 0;
            while let Some(at) = beginning.find(text, from) {
                // As below, one that stands alone may begin within one that doesn't.
                from = at + 1;
                let Some(end) = self.end_of(text, at) else { continue };
                if !self.stands_alone(text, &(at..end)) {
                    continue;
                }
                if !see(at..end) {
                    return;
                }
                from = end;
            }
            return;
        }
        let finder = memmem::Finder::new(self.folded.as_bytes());
        let mut start = 0;
        while start < text.len() {
            let end = boundary_at(text, start.saturating_add(PIECE + OVERLAP));
            let folded = Folded::of(&text[start..end]);
            let bytes = folded.text.as_bytes();
            let mut from = 0;
            while let Some(at) = finder.find(&bytes[from..]).map(|found| from + found) {
                let place = folded.place(at..at + self.folded.len(), self.open_end);
                let range = place.map(|place| start + place.start..start + place.end);
                let Some(range) = range.filter(|range| self.stands_alone(text, range)) else {
                    // One that does may begin within it: `tt` in `TTtA`.
                    from = at + 1;
                    continue;
                };
                if !see(range) {
                    return;
                }
                from = at + self.folded.len();
            }
            if end == text.len() {
                return;
            }
            start = boundary_at(text, start + PIECE);
        }
    }

    /// Where the place that begins at `at` ends, if it is one.
    fn end_of(&self, text: &str, at: usize) -> Option<usize> {
        let mut wanted = self.folded.as_str();
        let mut characters = text[at..].char_indices();
        let mut folded = String::new();
        let mut after_blank = false;
        while !wanted.is_empty() {
            let (_, character) = characters.next()?;
            let is_blank = character.is_whitespace();
            if is_blank && after_blank {
                continue;
            }
            after_blank = is_blank;
            if is_blank {
                wanted = wanted.strip_prefix(' ')?;
            } else if character.is_ascii() {
                wanted = wanted.strip_prefix(character.to_ascii_lowercase())?;
            } else {
                folded.clear();
                fold(character, &mut folded);
                wanted = wanted.strip_prefix(folded.as_str())?;
            }
        }
        Some(at + characters.offset())
    }

    /// Whether the place begins and ends where words do.
    fn stands_alone(&self, text: &str, range: &Range<usize>) -> bool {
        is_boundary(text, range.start) && (self.open_end || is_boundary(text, range.end))
    }
}

/// How a needle begins in a text as written, where that can be told without folding all of it.
enum Beginning<'n> {
    /// With one of these bytes.
    Either(u8, u8),
    /// With this character, which has no other case.
    Exactly(Box<memmem::Finder<'n>>),
}

impl<'n> Beginning<'n> {
    /// `None` if characters of `text` may become what `folded` begins with.
    fn of(folded: &'n str, text: &str) -> Option<Self> {
        // A capital whose compared form is two characters long, of which a needle may have the first.
        if memmem::find(text.as_bytes(), "\u{130}".as_bytes()).is_some() {
            return None;
        }
        let first = folded.chars().next()?;
        if first.is_ascii() {
            // Fullwidth forms, and the sign for kelvin.
            let becomes_ascii =
                text.as_bytes().contains(&0xEF) || memmem::find(text.as_bytes(), "\u{212A}".as_bytes()).is_some();
            let byte = u8::try_from(first).ok()?;
            return (!becomes_ascii).then_some(Self::Either(byte, byte.to_ascii_uppercase()));
        }
        let has_case = !first.to_lowercase().eq([first]) || !first.to_uppercase().eq([first]);
        (!has_case).then(|| Self::Exactly(Box::new(memmem::Finder::new(&folded[..first.len_utf8()]))))
    }

    /// The next place from `from` on.
    fn find(&self, text: &str, from: usize) -> Option<usize> {
        let rest = text.as_bytes().get(from..)?;
        let found = match self {
            Self::Either(lower, upper) => memchr::memchr2(*lower, *upper, rest),
            Self::Exactly(finder) => finder.find(rest),
        };
        found.map(|at| from + at)
    }
}

/// The nearest character boundary at or before `at`.
fn boundary_at(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

/// Whether a word can begin or end at `at`: not between two letters, unless a hump is there.
fn is_boundary(text: &str, at: usize) -> bool {
    let mut after = text[at..].chars();
    let (Some(before), Some(first)) = (text[..at].chars().next_back(), after.next()) else {
        return true;
    };
    if class_of(before) != Class::Word || class_of(first) != Class::Word {
        return true;
    }
    match (Hump::of(before), Hump::of(first)) {
        (Hump::Lower, Hump::Upper) => true,
        (Hump::Upper | Hump::Digit, Hump::Upper) => after.next().is_some_and(char::is_lowercase),
        _ => false,
    }
}

/// A text as it is compared, and where each byte of that comes from.
struct Folded {
    text: String,
    origins: Vec<u32>,
    end: usize,
}

impl Folded {
    fn of(text: &str) -> Self {
        let mut folded = String::with_capacity(text.len());
        let mut origins = Vec::with_capacity(text.len());
        let mut after_blank = false;
        for (at, character) in text.char_indices() {
            let is_blank = character.is_whitespace();
            if is_blank && after_blank {
                continue;
            }
            after_blank = is_blank;
            if is_blank {
                folded.push(' ');
            } else {
                fold(character, &mut folded);
            }
            // Pieces are far shorter than 4 GiB.
            origins.resize(folded.len(), u32::try_from(at).unwrap_or(u32::MAX));
        }
        Self {
            text: folded,
            origins,
            end: text.len(),
        }
    }

    fn origin(&self, at: usize) -> usize {
        self.origins.get(at).map_or(self.end, |origin| *origin as usize)
    }

    /// The characters that these bytes come from, if they are whole: a capital may become two, of which one alone is not there. With
    /// `open_end` the last may go on.
    fn place(&self, bytes: Range<usize>, open_end: bool) -> Option<Range<usize>> {
        let splits = |at: usize| at > 0 && at < self.text.len() && self.origins[at] == self.origins[at - 1];
        if splits(bytes.start) || (splits(bytes.end) && !open_end) {
            return None;
        }
        let end = (bytes.end..=self.text.len()).find(|at| !splits(*at))?;
        Some(self.origin(bytes.start)..self.origin(end))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All places, by folding the whole text.
    fn by_folding(needle: &Needle, text: &str) -> Vec<Range<usize>> {
        let folded = Folded::of(text);
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for at in 0..folded.text.len() {
            let Some(rest) = folded.text.get(at..) else { continue };
            if !rest.starts_with(&needle.folded) {
                continue;
            }
            let place = folded.place(at..at + needle.folded.len(), needle.open_end);
            let Some(range) = place.filter(|range| needle.stands_alone(text, range)) else {
                continue;
            };
            if ranges.last().is_none_or(|last| last.end <= range.start) {
                ranges.push(range);
            }
        }
        ranges
    }

    proptest! {
        #[test]
        fn places_are_those_that_folding_finds(
            needle in "[aAtT字é. \n]{1,3}",
            text in "[aAtT字é. \nＡ\u{212A}İß\u{A0}]{0,30}",
            open_end: bool,
        ) {
            let needle = Needle::new(&needle, open_end);
            if !needle.folded.is_empty() {
                prop_assert_eq!(needle.find(&text, 99), by_folding(&needle, &text), "{:?}", needle);
            }
        }
    }

    #[test]
    fn a_part_of_a_character_is_no_place() {
        let found = |needle: &str, open_end| {
            let places = Needle::new(needle, open_end).find("se\u{130}stanbul", 9);
            places
                .into_iter()
                .map(|place| (place.start, place.end))
                .collect::<Vec<_>>()
        };
        assert!(found("i", false).is_empty());
        assert!(found("\u{307}stanbul", false).is_empty());
        assert_eq!(found("i", true), [(2, 4)]);
        assert_eq!(found("\u{130}stanbul", false), [(2, 11)]);
        assert_eq!(found("i\u{307}stanbul", false), [(2, 11)]);
    }

    #[test]
    fn words_stand_alone() {
        for (needle, open_end, text, expected) in [
            ("file", false, "the files", false),
            ("file", true, "the files", true),
            ("the  FILE", false, "see THE\n\tfile.", true),
            ("the file", false, "the files file", false),
            ("all", false, "load_all()", true),
            ("UserBy", false, "getUserById", true),
            ("serby", false, "getUserById", false),
            ("parser", false, "HTMLParser", true),
            ("tt", false, "TTtA", true),
            ("main.rs", false, "/src/main.rs:3", true),
            ("索結", false, "検索結果", true),
            ("== b", false, "a == b", true),
            ("ünï", false, "ÜNÏ", true),
            ("", false, "anything", false),
        ] {
            assert_eq!(
                Needle::new(needle, open_end).is_in(text),
                expected,
                "{needle} in {text}"
            );
        }
    }

    #[test]
    fn places_are_those_of_the_text_as_written() {
        let text = "ＡＢ  c, then İ ab c";
        let found = Needle::new("ab c", false).find(text, 9);
        let found: Vec<&str> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["ＡＢ  c", "ab c"]);
    }

    #[test]
    fn long_texts_are_looked_through_whole() {
        let mut text = "x ".repeat(PIECE / 2 - 3);
        text.push_str("across the cut");
        text.push_str(&" y".repeat(PIECE));
        text.push_str(" at the end");
        assert_eq!(Needle::new("across the cut", false).find(&text, 9).len(), 1);
        assert!(Needle::new("the end", false).is_in(&text));
    }
}
