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
        while let Some(at) = rest.bytes().position(|byte| !is_plain(byte)) {
            let (plain, special) = rest.split_at(at);
            self.line.push_str(plain);
            let mut characters = special.chars();
            if let Some(character) = characters.next() {
                self.escape(character);
            }
            rest = characters.as_str();
        }
        self.line.push_str(rest);
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

/// Whether a byte stands for itself; the bytes of a character beyond ASCII don't.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
}

#[cfg(test)]
mod tests {
    use super::*;

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
