//! Text from outside, made safe to look at.
//!
//! Names, titles, paths and transcript text are written by others. Shown raw, a name could move the cursor, change colours, ring the
//! bell, reverse the reading order of a line or break a table; so every character that does something else than appear is shown by a
//! sign of its own.

use std::borrow::Cow;
use std::fmt::{Display, Write};

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// `text` with every control, bidirectional and invisible character made visible.
///
/// C0 controls and DEL become their control pictures (`␛` for escape), all others their code point (`<U+202E>`).
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        push_visible(&mut shown, character);
    }
    Cow::Owned(shown)
}

/// As [`visible`], on one line: each run of white space, line breaks included, becomes one space.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !shown.is_empty() {
            shown.push(' ');
        }
        word.chars().for_each(|character| push_visible(&mut shown, character));
    }
    shown
}

/// As [`visible`], but line feeds and tabs stay, for text that is shown as a block.
#[must_use]
pub fn block(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => shown.push('\n'),
            '\t' => shown.push_str("    "),
            // Half of a line break from elsewhere.
            '\r' => {}
            other => push_visible(&mut shown, other),
        }
    }
    shown
}

/// Each item on a line of its own.
pub fn lines<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut text = String::new();
    for item in items {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{item}");
    }
    text
}

fn push_visible(shown: &mut String, character: char) {
    match character {
        '\0'..='\u{1f}' => shown.push(char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}')),
        '\u{7f}' => shown.push('\u{2421}'),
        plain if is_plain(plain) => shown.push(plain),
        // Writing to a string does not fail.
        other => drop(write!(shown, "<U+{:04X}>", u32::from(other))),
    }
}

/// Whether a character only appears, and does nothing else to the line it stands in.
fn is_plain(character: char) -> bool {
    !matches!(character,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        // Soft hyphen, Arabic letter mark, Mongolian vowel separator.
        | '\u{ad}' | '\u{61c}' | '\u{180e}'
        // Zero width space and non-joiner, directional marks. The joiner (200D) stays: emoji are made with it.
        | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}'
        // Line and paragraph separators, directional embeddings and overrides.
        | '\u{2028}'..='\u{202e}'
        // Word joiner, invisible operators, directional isolates, deprecated format characters.
        | '\u{2060}'..='\u{206f}'
        // Byte order mark, interlinear annotation, tags.
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The terminal columns that `text` takes.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// `text`, cut at its end to at most `columns` terminal columns, with `…` where something is missing.
#[must_use]
pub fn truncate(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    let mut used = 1;
    for cluster in text.graphemes(true) {
        used += cluster.width();
        if used > columns {
            break;
        }
        kept.push_str(cluster);
    }
    if columns > 0 {
        kept.push('…');
    }
    Cow::Owned(kept)
}

/// `text`, cut at its beginning to at most `columns` terminal columns, with `…` where something is missing.
#[must_use]
pub fn truncate_left(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mut used = 1;
    let mut start = text.len();
    for (at, cluster) in text.grapheme_indices(true).rev() {
        used += cluster.width();
        if used > columns {
            break;
        }
        start = at;
    }
    if columns == 0 {
        Cow::Borrowed("")
    } else {
        Cow::Owned(format!("…{}", &text[start..]))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_and_overrides_are_seen() {
        assert_eq!(visible("plain – ünïcode 日本 👩‍💻"), "plain – ünïcode 日本 👩‍💻");
        assert_eq!(visible("\u{1b}[31mred\u{7}"), "␛[31mred␇");
        assert_eq!(visible("a\u{202e}b\u{9b}c\u{7f}"), "a<U+202E>b<U+009B>c␡");
        assert_eq!(one_line("  two\r\n\tlines \u{1b} "), "two lines ␛");
        assert_eq!(block("a\n\tb\r\n\u{1b}"), "a\n    b\n␛");
    }

    #[test]
    fn cuts_respect_wide_characters() {
        assert_eq!(truncate("日本語", 5), "日本…");
        assert_eq!(truncate("日本語", 4), "日…");
        assert_eq!(truncate("abc", 3), "abc");
        assert_eq!(truncate("abc", 0), "");
        assert_eq!(truncate_left("/a/long/path", 6), "…/path");
        assert_eq!(truncate_left("日本語", 4), "…語");
    }

    proptest! {
        #[test]
        fn nothing_shown_can_drive_a_terminal(text in any::<String>()) {
            for shown in [visible(&text).into_owned(), one_line(&text)] {
                prop_assert!(shown.chars().all(|c| !c.is_control() && is_plain(c)));
            }
        }

        #[test]
        fn cuts_fit(text in any::<String>(), columns in 0_usize..40) {
            let text = visible(&text);
            prop_assert!(width(&truncate(&text, columns)) <= columns);
            prop_assert!(width(&truncate_left(&text, columns)) <= columns);
        }
    }
}
