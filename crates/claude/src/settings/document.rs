//! Where the items of a JSON text's objects and arrays lie.
//!
//! `serde_json` judges the syntax and hands out slices of the text; an edit is made of the places of these slices, so that every byte that
//! is not part of it stays.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::error::{SettingsError, position};
use crate::json::parse_tolerantly;

/// A part of a text, as byte offsets.
pub(super) type Span = Range<usize>;

/// An object or an array.
#[derive(Debug)]
pub(super) struct Container<'t> {
    pub(super) text: &'t str,
    /// From bracket to bracket.
    pub(super) span: Span,
    pub(super) items: Vec<Item>,
}

/// A member of an object or an element of an array.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) key: Option<Span>,
    pub(super) value: Span,
}

impl Item {
    pub(super) fn start(&self) -> usize {
        self.key.as_ref().map_or(self.value.start, |key| key.start)
    }
}

/// Whether there is nothing in a text: an editor or a full disk left an empty file, which means as much as `{}`.
pub(super) fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| b" \t\r\n".contains(&byte))
}

/// The root object of a text.
pub(super) fn root(text: &str) -> Result<Container<'_>, SettingsError> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| syntax(text, &error))?;
    object(text, span_of(text, raw), || "the text".into())
}

/// The object at `span`, which is called `what` if it isn't one.
pub(super) fn object(text: &str, span: Span, what: impl FnOnce() -> String) -> Result<Container<'_>, SettingsError> {
    let Some(Members(members)) = parse::<Members<'_>>(text, &span, '{') else {
        return Err(kind(text, &span, what(), "an object"));
    };
    let item = |(key, value)| Item {
        key: Some(span_of(text, key)),
        value: span_of(text, value),
    };
    let items = members.into_iter().map(item).collect();
    Ok(Container { text, span, items })
}

/// The array at `span`, which is called `what` if it isn't one.
pub(super) fn array(text: &str, span: Span, what: impl FnOnce() -> String) -> Result<Container<'_>, SettingsError> {
    let Some(elements) = parse::<Vec<&RawValue>>(text, &span, '[') else {
        return Err(kind(text, &span, what(), "an array"));
    };
    let item = |value| Item {
        key: None,
        value: span_of(text, value),
    };
    let items = elements.into_iter().map(item).collect();
    Ok(Container { text, span, items })
}

/// The string at `span`, if it is one; half surrogate pairs become U+FFFD.
pub(super) fn string(text: &str, span: &Span) -> Option<String> {
    parse_tolerantly(text.get(span.clone())?.as_bytes()).ok()
}

impl<'t> Container<'t> {
    /// The place of the value under `key`; a key that is there twice is refused.
    pub(super) fn find(&self, key: &str) -> Result<Option<Span>, SettingsError> {
        Ok(self.index_of(key)?.map(|index| self.items[index].value.clone()))
    }

    /// The place of the value that counts for the client under `key`: of several the last, as for every JavaScript program.
    ///
    /// For what is only looked at; what is edited is asked for with [`Self::find`].
    pub(super) fn last(&self, key: &str) -> Option<Span> {
        Some(self.items[self.named(key).next_back()?].value.clone())
    }

    fn named(&self, key: &str) -> impl DoubleEndedIterator<Item = usize> {
        let is_named =
            move |item: &Item| item.key.as_ref().and_then(|key| string(self.text, key)).as_deref() == Some(key);
        (0..self.items.len()).filter(move |index| is_named(&self.items[*index]))
    }

    /// The position of the member `key`; a key that is there twice is refused.
    pub(super) fn index_of(&self, key: &str) -> Result<Option<usize>, SettingsError> {
        let mut found = self.named(key);
        let first = found.next();
        if let Some(second) = found.next() {
            let (line, column) = position(self.text.as_bytes(), self.items[second].start());
            let key = key.to_owned();
            return Err(SettingsError::Repeated { line, column, key });
        }
        Ok(first)
    }

    /// Where the room of item `index` begins: behind the opening bracket or the comma before it.
    fn room_start(&self, index: usize) -> usize {
        let Some(before) = index.checked_sub(1).and_then(|before| self.items.get(before)) else {
            return self.span.start + 1;
        };
        let comma = self.text[before.value.end..].find(',');
        before.value.end + comma.map_or(0, |at| at + 1)
    }

    /// The white space before item `index`.
    pub(super) fn leading(&self, index: usize) -> &'t str {
        let end = self.items.get(index).map_or(self.span.end - 1, Item::start);
        &self.text[self.room_start(index)..end]
    }

    /// What stands between the brackets.
    pub(super) fn interior(&self) -> Span {
        self.span.start + 1..self.span.end - 1
    }
}

/// An object's members with their places; `serde_json`'s own map types keep only values.
struct Members<'t>(Vec<(&'t RawValue, &'t RawValue)>);

impl<'de> serde::Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// Parses a part of a text that is JSON already; `None` if it begins with something else than `bracket`.
fn parse<'t, T: serde::Deserialize<'t>>(text: &'t str, span: &Span, bracket: char) -> Option<T> {
    let part = text.get(span.clone())?;
    part.starts_with(bracket).then(|| serde_json::from_str(part).ok())?
}

/// The place of a slice of `text`.
fn span_of(text: &str, part: &RawValue) -> Span {
    let start = part.get().as_ptr().addr().saturating_sub(text.as_ptr().addr());
    start..start + part.get().len()
}

fn kind(text: &str, span: &Span, what: String, expected: &'static str) -> SettingsError {
    let (line, column) = position(text.as_bytes(), span.start);
    SettingsError::Kind {
        line,
        column,
        what,
        expected,
    }
}

fn syntax(text: &str, error: &serde_json::Error) -> SettingsError {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let place = format!(" at line {line} column {column}");
    let message = message.strip_suffix(&place).unwrap_or(&message).to_owned();
    let (line, column) = if text.trim().is_empty() {
        (1, 1)
    } else {
        (line, column.max(1))
    };
    SettingsError::Syntax { line, column, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        root(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        assert_eq!(error("{\n  // mine\n  \"a\": 1\n}"), "2:3: key must be a string");
        assert_eq!(error("{\n  \"a\": [1,]\n}"), "2:11: expected value");
        assert_eq!(error("{\"a\": 01}"), "1:8: invalid number");
        assert_eq!(error("{} x"), "1:4: trailing characters");
        assert_eq!(error("{'a': 1}"), "1:2: key must be a string");
        assert_eq!(error(""), "1:1: EOF while parsing a value");
        assert_eq!(error("\u{feff}{}"), "1:1: expected value");
        assert_eq!(error("\n [1]"), "2:2: expected the text to be an object");
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = " { \"a\\u0062\" : [1 , {\"c\":null}],\n\"d\":\"\\ud83d\" } ";
        let root = root(text).unwrap();
        let array = array(text, root.find("ab").unwrap().unwrap(), String::new).unwrap();
        let parts: Vec<&str> = array.items.iter().map(|item| &text[item.value.clone()]).collect();
        assert_eq!(parts, ["1", "{\"c\":null}"]);
        assert_eq!(root.leading(1), "\n");
        assert_eq!(array.leading(1), " ");
        assert_eq!(string(text, &root.items[1].value).as_deref(), Some("\u{fffd}"));
        assert_eq!(root.find("e").unwrap(), None);
    }

    #[test]
    fn a_key_twice_is_refused_only_where_it_is_asked_for() {
        let root = root("{\"a\": 1, \"b\": 2,\n \"a\": 3}").unwrap();
        assert_eq!(root.find("a").unwrap_err().to_string(), "2:2: `a` is there twice");
        assert!(root.find("b").unwrap().is_some());
    }

    #[test]
    fn depth_is_no_danger() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(root(&deep).unwrap().items.len(), 1);
    }
}
