//! JSON text with its keys in the order they were written in, as Claude Code writes it.

use std::fmt::Write as _;

/// A JSON object under construction.
#[derive(Debug, Clone)]
pub struct Object(String);

impl Default for Object {
    fn default() -> Self {
        Self::new()
    }
}

impl Object {
    /// An object without members.
    pub fn new() -> Self {
        Self("{".to_owned())
    }

    /// Adds a member whose value is already JSON.
    pub fn raw(mut self, key: &str, value: &str) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        push_quoted(&mut self.0, key);
        self.0.push(':');
        self.0.push_str(value);
        self
    }

    /// Adds a string.
    pub fn text(self, key: &str, value: &str) -> Self {
        self.raw(key, &quoted(value))
    }

    /// Adds a string, or null.
    pub fn text_or_null(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self.raw(key, "null"),
        }
    }

    /// Adds an integer.
    pub fn number(self, key: &str, value: i64) -> Self {
        self.raw(key, &value.to_string())
    }

    /// Adds true or false.
    pub fn flag(self, key: &str, value: bool) -> Self {
        self.raw(key, if value { "true" } else { "false" })
    }

    /// Adds an object.
    pub fn object(self, key: &str, value: Object) -> Self {
        self.raw(key, &value.build())
    }

    /// Adds an array of values that are already JSON.
    pub fn array<S: AsRef<str>>(self, key: &str, values: impl IntoIterator<Item = S>) -> Self {
        let values: Vec<String> = values.into_iter().map(|value| value.as_ref().to_owned()).collect();
        self.raw(key, &format!("[{}]", values.join(",")))
    }

    /// The finished text, without a newline.
    pub fn build(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// `text` as a JSON string, escaped no more than JavaScript's `JSON.stringify` does.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_quoted(&mut out, text);
    out
}

/// Appends `text` as a JSON string.
pub(crate) fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    push_escaped(out, text);
    out.push('"');
}

/// Appends `text` as it stands inside a JSON string.
pub(crate) fn push_escaped(out: &mut String, text: &str) {
    let mut plain_from = 0;
    for (position, byte) in text.bytes().enumerate() {
        let short = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0x00..=0x1f => "",
            _ => continue,
        };
        out.push_str(&text[plain_from..position]);
        plain_from = position + 1;
        if short.is_empty() {
            write!(out, "\\u{byte:04x}").unwrap();
        } else {
            out.push_str(short);
        }
    }
    out.push_str(&text[plain_from..]);
}

/// `text` as a JSON string in pure ASCII, with surrogate pairs above the BMP, as the register writes it.
pub(crate) fn quoted_ascii(text: &str) -> String {
    let mut out = String::from("\"");
    for unit in text.encode_utf16() {
        match u8::try_from(unit).ok().filter(|byte| *byte < 0x7f) {
            Some(byte) => {
                let byte = char::from(byte);
                push_escaped(&mut out, byte.encode_utf8(&mut [0; 4]));
            }
            None => write!(out, "\\u{unit:04x}").unwrap(),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_parser_reads_what_was_meant() {
        let nasty = "tab\t \"quoted\" \\ \u{1} \u{7f} 🌲 \r\n 名前";
        for text in [quoted(nasty), quoted_ascii(nasty)] {
            assert_eq!(serde_json::from_str::<String>(&text).unwrap(), nasty);
        }
        assert!(quoted_ascii(nasty).is_ascii());
        assert_eq!(quoted_ascii("\u{7f}🌲"), r#""\u007f\ud83c\udf32""#);
    }

    #[test]
    fn members_keep_their_order() {
        let text = Object::new()
            .number("z", 1)
            .flag("a", true)
            .array("m", ["1", "2"])
            .build();
        assert_eq!(text, r#"{"z":1,"a":true,"m":[1,2]}"#);
    }
}
