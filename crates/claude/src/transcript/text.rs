//! Texts of a record, put together in a buffer that is used again for the next one.

use serde_json::value::RawValue;

use super::raw::{self, Raw};
use crate::json;

/// Below this depth a tool's input stays JSON: each level is scanned once more than the one above it.
const DEEPEST_INPUT: u32 = 8;

/// The string in `raw`, borrowed if it has no escapes; empty if it is no string.
pub(crate) fn plain<'s>(raw: Raw<'s>, scratch: &'s mut String) -> &'s str {
    let Some(quoted) = raw.and_then(raw::quoted) else {
        return "";
    };
    if memchr::memchr(b'\\', quoted.as_bytes()).is_none() {
        return quoted;
    }
    scratch.clear();
    scratch.reserve(quoted.len());
    json::unescape_into(quoted, scratch);
    scratch
}

/// The text of a message's or tool result's content: a string, or the text blocks of an array, a line break between them.
pub(crate) fn of_content<'s>(raw: Raw<'s>, scratch: &'s mut String) -> &'s str {
    let Some(content) = raw else { return "" };
    if !content.get().starts_with('[') {
        return plain(raw, scratch);
    }
    scratch.clear();
    raw::each_block(content, &mut |block| {
        if let Some(text) = block.text.and_then(raw::quoted) {
            begin_line(scratch);
            json::unescape_into(text, scratch);
        }
    });
    scratch
}

/// The text of a tool's input: a line `key: value` for each value, strings without quotes and escapes.
pub(crate) fn of_input<'s>(raw: Raw<'s>, scratch: &'s mut String) -> &'s str {
    let Some(input) = raw else { return "" };
    scratch.clear();
    scratch.reserve(input.get().len());
    add_value(input, DEEPEST_INPUT, scratch);
    scratch
}

fn add_value(value: &RawValue, depth: u32, out: &mut String) {
    match value.get().as_bytes().first() {
        Some(b'{') if depth > 0 => raw::each_entry(value, &mut |key, value| {
            begin_line(out);
            out.push_str(key);
            out.push_str(": ");
            add_value(value, depth - 1, out);
        }),
        Some(b'[') if depth > 0 => raw::each_element(value, &mut |value| {
            begin_line(out);
            add_value(value, depth - 1, out);
        }),
        _ => match raw::quoted(value) {
            Some(quoted) => json::unescape_into(quoted, out),
            None => out.push_str(value.get()),
        },
    }
}

fn begin_line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn a_tools_input_reads_as_lines() {
        let input = raw(r#"{"command":"ls\n-la","timeout":5,"edits":[{"old":"a\ud83d"},"b"],"none":null}"#);
        let mut scratch = String::from("left over");
        assert_eq!(
            of_input(Some(&input), &mut scratch),
            "command: ls\n-la\ntimeout: 5\nedits: \nold: a\u{fffd}\nb\nnone: null"
        );
        assert_eq!(of_input(None, &mut scratch), "");
    }

    #[test]
    fn depth_is_bounded() {
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        let mut scratch = String::new();
        assert_eq!(of_input(Some(&raw(&deep)), &mut scratch).len(), 1 + 2 * 92);
    }

    #[test]
    fn content_is_a_string_or_blocks() {
        let mut scratch = String::new();
        assert_eq!(of_content(Some(&raw(r#""a\"b""#)), &mut scratch), "a\"b");
        let blocks = raw(r#"[{"type":"text","text":"a"},{"type":"image","source":{}},7,{"type":"text","text":"b"}]"#);
        assert_eq!(of_content(Some(&blocks), &mut scratch), "a\nb");
        assert_eq!(of_content(Some(&raw("{}")), &mut scratch), "");
    }
}
