//! Pieces of damaged or hostile input, as an error message may carry them.

/// The first `most` characters of `text` on one line, with everything that could drive a terminal made visible.
pub(crate) fn excerpt(text: &str, most: usize) -> String {
    let mut excerpt = String::new();
    for character in text.chars().take(most) {
        match character {
            '"' | '\'' | '\\' => excerpt.push(character),
            _ => excerpt.extend(character.escape_debug()),
        }
    }
    if text.chars().nth(most).is_some() {
        excerpt.push('…');
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn stays_on_one_line_and_short() {
        assert_eq!(excerpt("\u{1b}[2J\n\u{202e}\"日\\", 80), "\\u{1b}[2J\\n\\u{202e}\"日\\");
        assert_eq!(excerpt("abcdef", 3), "abc…");
        assert_eq!(excerpt("abc", 3), "abc");
    }
}
