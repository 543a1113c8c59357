//! The canonical spelling: compact, pure ASCII, keys in the order they are written.
//!
//! Byte for byte what Python's `json.dumps(…, separators=(",", ":"))` makes, which is what the other program of this
//! store writes.

use std::fmt::Write;

/// A line in the making.
#[derive(Debug)]
pub struct Writer {
    line: String,
}

impl Writer {
    pub(crate) fn new() -> Self {
        // A `started` with usual paths fits; most lines are shorter.
        Self {
            line: String::with_capacity(640),
        }
    }

    pub(crate) fn open(&mut self) {
        self.line.push('{');
    }

    pub(crate) fn key(&mut self, key: &str) {
        if !self.line.ends_with('{') {
            self.line.push(',');
        }
        self.text(key);
        self.line.push(':');
    }

    pub(crate) fn null(&mut self) {
        self.line.push_str("null");
    }

    pub(crate) fn integer(&mut self, number: i64) {
        // Writing to a string can't fail.
        let _ = write!(self.line, "{number}");
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.line.push('"');
        let mut rest = text;
        loop {
            let (plain, special) = rest.split_at(plain_length(rest.as_bytes()));
            self.line.push_str(plain);
            let mut characters = special.chars();
            let Some(character) = characters.next() else { break };
            self.escape(character);
            rest = characters.as_str();
        }
        self.line.push('"');
    }

    fn escape(&mut self, character: char) {
        let short = match character {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\u{8}' => "\\b",
            '\u{c}' => "\\f",
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let _ = write!(self.line, "\\u{unit:04x}");
                }
                return;
            }
        };
        self.line.push_str(short);
    }

    pub(crate) fn close(&mut self) {
        self.line.push('}');
    }

    pub(crate) fn finish(self) -> String {
        self.line
    }
}

/// How many bytes at the beginning stand for themselves; those of a character beyond ASCII don't.
fn plain_length(bytes: &[u8]) -> usize {
    // As many at once as a processor compares at once: most texts are plain from end to end.
    let (blocks, _) = bytes.as_chunks::<16>();
    let all_plain = |block: &&[u8; 16]| block.iter().fold(true, |all, byte| all & is_plain(*byte));
    let blocks = 16 * blocks.iter().take_while(all_plain).count();
    blocks + bytes[blocks..].iter().take_while(|byte| is_plain(**byte)).count()
}

#[expect(
    clippy::needless_bitwise_bool,
    reason = "a block of bytes is judged at once where there are no branches"
)]
fn is_plain(byte: u8) -> bool {
    (b' '..=b'~').contains(&byte) & (byte != b'"') & (byte != b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_plain_ends_anywhere_in_a_block() {
        for length in 0..40 {
            for special in ["", "\n", "é", "\"", "\u{7f}"] {
                let plain = "p".repeat(length);
                let text = format!("{plain}{special}{}", "q".repeat(20));
                let expected = if special.is_empty() { length + 20 } else { length };
                assert_eq!(plain_length(text.as_bytes()), expected, "{text}");
            }
        }
    }

    #[test]
    fn every_spelling_of_a_character() {
        let mut writer = Writer::new();
        writer.text("a\u{0}\u{8}\t\n\u{b}\u{c}\r\u{1f} ~\u{7f}\"\\/é\u{2028}日\u{fffd}😀");
        assert_eq!(
            writer.line,
            r#""a\u0000\b\t\n\u000b\f\r\u001f ~\u007f\"\\/\u00e9\u2028\u65e5\ufffd\ud83d\ude00""#
        );
    }
}
