//! Texts of a record, given out in chunks from a buffer that is used again for the next one.
//!
//! Nearly every text is one chunk. The longest are tens of megabytes, and neither we nor whoever receives them should hold a second
//! copy of one.

use serde_json::value::RawValue;

use super::raw::{self, Raw};
use crate::json;

/// The longest chunk in bytes.
pub(crate) const LONGEST_CHUNK: usize = 1024 * 1024;

/// Below this depth a tool's input stays JSON: each level is scanned once more than the one above it.
const DEEPEST_INPUT: u32 = 8;

/// A text, or the next part of one that is too long to be given at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunk<'t> {
    pub(crate) text: &'t str,
    /// Whether it goes on where the chunk before it ended.
    pub(crate) continues: bool,
}

/// Receives chunks; every text has at least one.
pub(crate) type Receiver<'r> = &'r mut dyn FnMut(Chunk<'_>);

/// Gives the string in `raw`; empty if it is no string.
pub(crate) fn plain(raw: Raw<'_>, scratch: &mut String, receive: Receiver<'_>) {
    let quoted = raw.and_then(raw::quoted).unwrap_or_default();
    if quoted.len() <= LONGEST_CHUNK && memchr::memchr(b'\\', quoted.as_bytes()).is_none() {
        return receive(Chunk {
            text: quoted,
            continues: false,
        });
    }
    let mut text = Text::new(scratch, receive);
    text.add_quoted(quoted);
    text.finish();
}

/// Gives the text of a message's or tool result's content: a string, or the text blocks of an array, a line break between them.
pub(crate) fn of_content(raw: Raw<'_>, scratch: &mut String, receive: Receiver<'_>) {
    let Some(content) = raw.filter(|content| content.get().starts_with('[')) else {
        return plain(raw, scratch, receive);
    };
    let mut text = Text::new(scratch, receive);
    raw::each_block(content, &mut |block| {
        if let Some(quoted) = block.text.and_then(raw::quoted) {
            text.begin_line();
            text.add_quoted(quoted);
        }
    });
    text.finish();
}

/// Gives the text of a tool's input: a line `key: value` for each value, strings without quotes and escapes.
pub(crate) fn of_input(raw: Raw<'_>, scratch: &mut String, receive: Receiver<'_>) {
    let mut text = Text::new(scratch, receive);
    if let Some(input) = raw {
        text.add_value(input, DEEPEST_INPUT);
    }
    text.finish();
}

/// A text that is being put together.
struct Text<'t> {
    scratch: &'t mut String,
    receive: Receiver<'t>,
    continues: bool,
    /// Whether the last chunk that was given ended a line.
    at_line_start: bool,
}

impl<'t> Text<'t> {
    fn new(scratch: &'t mut String, receive: Receiver<'t>) -> Self {
        scratch.clear();
        Self {
            scratch,
            receive,
            continues: false,
            at_line_start: true,
        }
    }

    fn add_quoted(&mut self, quoted: &str) {
        let mut rest = json::unescape_part(quoted, self.scratch, LONGEST_CHUNK);
        while !rest.is_empty() {
            self.give();
            rest = json::unescape_part(rest, self.scratch, LONGEST_CHUNK);
        }
    }

    fn add_value(&mut self, value: &RawValue, depth: u32) {
        match value.get().as_bytes().first() {
            Some(b'{') if depth > 0 => raw::each_entry(value, &mut |key, value| {
                self.begin_line();
                self.scratch.push_str(key);
                self.scratch.push_str(": ");
                self.add_value(value, depth - 1);
            }),
            Some(b'[') if depth > 0 => raw::each_element(value, &mut |value| {
                self.begin_line();
                self.add_value(value, depth - 1);
            }),
            _ => match raw::quoted(value) {
                Some(quoted) => self.add_quoted(quoted),
                None => self.add_json(value.get()),
            },
        }
    }

    fn add_json(&mut self, json: &str) {
        let mut rest = json;
        while !rest.is_empty() {
            let room = LONGEST_CHUNK.saturating_sub(self.scratch.len()).max(4);
            let (now, later) = rest.split_at(rest.floor_char_boundary(room));
            self.scratch.push_str(now);
            rest = later;
            if !rest.is_empty() {
                self.give();
            }
        }
    }

    fn begin_line(&mut self) {
        let at_line_start = match self.scratch.as_bytes().last() {
            Some(last) => *last == b'\n',
            None => self.at_line_start,
        };
        if !at_line_start {
            self.scratch.push('\n');
        }
    }

    fn give(&mut self) {
        (self.receive)(Chunk {
            text: self.scratch,
            continues: self.continues,
        });
        self.continues = true;
        self.at_line_start = self.scratch.ends_with('\n');
        self.scratch.clear();
    }

    fn finish(mut self) {
        if !self.continues || !self.scratch.is_empty() {
            self.give();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    /// The chunks that `give` gives, the text's beginnings marked.
    fn chunks(give: impl FnOnce(&mut String, Receiver<'_>)) -> Vec<(String, bool)> {
        let mut scratch = String::from("left over");
        let mut chunks = Vec::new();
        give(&mut scratch, &mut |chunk| {
            chunks.push((chunk.text.to_owned(), chunk.continues));
        });
        chunks
    }

    fn whole(give: impl FnOnce(&mut String, Receiver<'_>)) -> String {
        let chunks = chunks(give);
        assert_eq!(chunks.len(), 1);
        assert!(!chunks[0].1);
        chunks[0].0.clone()
    }

    #[test]
    fn a_tools_input_reads_as_lines() {
        let input = raw(r#"{"command":"ls\n-la","timeout":5,"edits":[{"old":"a\ud83d"},"b"],"none":null}"#);
        assert_eq!(
            whole(|scratch, receive| of_input(Some(&input), scratch, receive)),
            "command: ls\n-la\ntimeout: 5\nedits: \nold: a\u{fffd}\nb\nnone: null"
        );
        assert_eq!(whole(|scratch, receive| of_input(None, scratch, receive)), "");
    }

    #[test]
    fn depth_is_bounded() {
        let deep = raw(&format!("{}1{}", "[".repeat(100), "]".repeat(100)));
        assert_eq!(
            whole(|scratch, receive| of_input(Some(&deep), scratch, receive)).len(),
            1 + 2 * 92
        );
    }

    #[test]
    fn content_is_a_string_or_blocks() {
        let content = |json: &str| whole(|scratch, receive| of_content(Some(&raw(json)), scratch, receive));
        assert_eq!(content(r#""a\"b""#), "a\"b");
        let blocks = r#"[{"type":"text","text":"a"},{"type":"image","source":{}},7,{"type":"text","text":"b"}]"#;
        assert_eq!(content(blocks), "a\nb");
        assert_eq!(content("{}"), "");
    }

    #[test]
    fn a_long_text_comes_in_chunks_that_make_it_up() {
        let line = "\u{e9}\n".repeat(LONGEST_CHUNK / 2);
        let plain_line = line.replace('\n', "x");
        for text in [&line, &plain_line] {
            let blocks = serde_json::json!([{ "text": text }, { "text": text }]);
            let input = serde_json::json!({ "a": text, "b": [text] });
            let given = [
                chunks(|scratch, receive| plain(Some(&raw(&serde_json::json!(text).to_string())), scratch, receive)),
                chunks(|scratch, receive| of_content(Some(&raw(&blocks.to_string())), scratch, receive)),
                chunks(|scratch, receive| of_input(Some(&raw(&input.to_string())), scratch, receive)),
            ];
            let separator = if text.ends_with('\n') { "" } else { "\n" };
            let expected = [
                text.clone(),
                format!("{text}{separator}{text}"),
                format!("a: {text}{separator}b: \n{text}"),
            ];
            for (chunks, expected) in given.iter().zip(expected) {
                let made_up: String = chunks.iter().map(|(text, _)| text.as_str()).collect();
                assert!(made_up == expected);
                assert!(chunks.len() > 1 && chunks.iter().all(|(text, _)| text.len() <= LONGEST_CHUNK));
                assert!(
                    chunks
                        .iter()
                        .enumerate()
                        .all(|(index, (_, continues))| *continues == (index > 0))
                );
            }
        }
    }
}
