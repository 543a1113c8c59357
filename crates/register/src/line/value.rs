//! One field's value as it stands in the line, typed on demand.

use std::borrow::Cow;

use super::Fault;
use super::fault::excerpt;
use crate::InvalidTimestamp;

/// A JSON value that is known to be well formed, with the key it belongs to.
///
/// Kept as its text, because the text tells `1` from `1.0`, which a parsed number doesn't.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value<'a> {
    key: &'static str,
    json: &'a str,
}

impl<'a> Value<'a> {
    pub(super) fn new(key: &'static str, json: &'a str) -> Self {
        Self { key, json }
    }

    pub(crate) fn is_null(&self) -> bool {
        self.json == "null"
    }

    /// The text of a string.
    pub(crate) fn text(&self) -> Result<Cow<'a, str>, Fault> {
        let Some(quoted) = self.json.strip_prefix('"') else {
            return Err(self.wrong_type("a string"));
        };
        let inner = quoted.strip_suffix('"').unwrap_or(quoted);
        if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
            return Ok(Cow::Borrowed(inner));
        }
        serde_json::from_str(self.json)
            .or_else(|_| serde_json::from_str(&without_lone_surrogates(self.json)))
            .map(Cow::Owned)
            .map_err(|error| Fault::malformed(&error))
    }

    /// The number of an integer that fits 64 bits with sign.
    pub(crate) fn integer(&self) -> Result<i64, Fault> {
        let digits = self.json.strip_prefix('-').unwrap_or(self.json);
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.wrong_type("an integer"));
        }
        self.json.parse().map_err(|_| Fault::OutOfRange {
            key: self.key,
            found: excerpt(self.json),
        })
    }

    fn wrong_type(&self, expected: &'static str) -> Fault {
        Fault::WrongType {
            key: self.key,
            expected,
            nullable: false,
            found: excerpt(self.json),
        }
    }

    pub(crate) fn empty(&self) -> Fault {
        Fault::Empty { key: self.key }
    }

    pub(crate) fn unknown_word(&self, expected: &'static [&'static str]) -> Fault {
        Fault::UnknownWord {
            key: self.key,
            expected,
            nullable: false,
            found: excerpt(self.json),
        }
    }

    pub(crate) fn not_a_timestamp(&self, what: InvalidTimestamp) -> Fault {
        Fault::Timestamp {
            key: self.key,
            what,
            found: excerpt(self.json),
        }
    }

    pub(super) fn as_json(&self) -> &'a str {
        self.json
    }
}

/// The JSON string `json` with each escape of half a surrogate pair replaced by U+FFFD.
///
/// Programs that cut a name at a number of UTF-16 units can cut an emoji in two, and then write such halves.
fn without_lone_surrogates(json: &str) -> String {
    let mut mended = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let (plain, escape) = rest.split_at(at);
        mended.push_str(plain);
        let (taken, kept) = match (unit(escape), escape.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (12, true),
            (Some(0xd800..=0xdfff), _) => (6, false),
            (Some(_), _) => (6, true),
            // A backslash is followed by one ASCII character; should it not be, the parser says so.
            (None, _) => (
                escape.char_indices().nth(2).map_or(escape.len(), |(index, _)| index),
                true,
            ),
        };
        let (escape, after) = escape.split_at(taken);
        mended.push_str(if kept { escape } else { "\\ufffd" });
        rest = after;
    }
    mended.push_str(rest);
    mended
}

/// The UTF-16 unit that an escape at the beginning of `text` stands for.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    if digits.starts_with('+') {
        return None;
    }
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_surrogate_pairs_become_replacement_characters() {
        for (json, text) in [
            (r#""\ud83d""#, "\u{fffd}"),
            (r#""a\ud83dx""#, "a\u{fffd}x"),
            (r#""\udc00\ud83d""#, "\u{fffd}\u{fffd}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\ud83d\\ud83d""#, "\u{fffd}\\ud83d"),
            (r#""\\ud83d\uD83D""#, "\\ud83d\u{fffd}"),
            (r#""\ud83d\u0041""#, "\u{fffd}A"),
            (r#""日\ud83d\n日""#, "\u{fffd}\n日"),
        ] {
            let expected = if json.starts_with("\"日") {
                format!("日{text}")
            } else {
                text.to_owned()
            };
            assert_eq!(Value::new("note", json).text().unwrap(), expected, "{json}");
        }
    }

    #[test]
    fn integers_are_told_from_other_numbers_by_their_spelling() {
        let read = |json| Value::new("pid", json).integer();
        assert_eq!(read("-0").unwrap(), 0);
        assert_eq!(read("9223372036854775807").unwrap(), i64::MAX);
        assert_eq!(read("-9223372036854775808").unwrap(), i64::MIN);
        for (json, message) in [
            (
                "9223372036854775808",
                "`pid` is 9223372036854775808, which does not fit 64 bits",
            ),
            ("1.0", "`pid` is 1.0, not an integer"),
            ("1e2", "`pid` is 1e2, not an integer"),
            ("true", "`pid` is true, not an integer"),
            ("\"1\"", "`pid` is \"1\", not an integer"),
        ] {
            assert_eq!(read(json).unwrap_err().to_string(), message);
        }
    }
}
