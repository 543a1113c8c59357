//! A line taken apart into its fields, each of which is then asked for by name.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::fault::excerpt;
use super::{Fault, InvalidLine, Value};
use crate::event::field::Field;

/// The fields of one line and the faults found in them so far.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    entries: Vec<Entry<'a>>,
    /// Where the next field stands if the line is in canonical order, as nearly all are.
    expected: usize,
    faults: Vec<Fault>,
}

#[derive(Debug)]
struct Entry<'a> {
    key: Cow<'a, str>,
    json: &'a str,
    taken: bool,
}

impl<'a> Fields<'a> {
    /// Takes a JSON object apart; everything else is a fault of its own.
    pub(crate) fn parse(line: &'a str) -> Result<Self, InvalidLine> {
        let mut deserializer = serde_json::Deserializer::from_str(line);
        let parsed = deserializer
            .deserialize_map(EntriesVisitor)
            .and_then(|entries| deserializer.end().map(|()| entries));
        match parsed {
            Ok(entries) => Ok(Self {
                entries,
                expected: 0,
                faults: Vec::new(),
            }),
            Err(_) if !line.starts_with('{') && super::is_json(line) => {
                Err(Fault::NotAnObject { found: excerpt(line) }.into())
            }
            Err(error) => Err(Fault::malformed(&error).into()),
        }
    }

    /// The value of a field that every line of this kind has.
    pub(crate) fn take<T: Field>(&mut self, key: &'static str) -> Option<T> {
        let Some(value) = self.value(key) else {
            self.fault(Fault::Missing { key });
            return None;
        };
        T::read(value).map_err(|fault| self.fault(fault)).ok()
    }

    /// The value of a field that may be left out, or left empty.
    pub(crate) fn take_if_given<T: Field>(&mut self, key: &'static str) -> Option<T> {
        let value = self.value(key).filter(|value| value.as_json() != "\"\"")?;
        T::read(value).map_err(|fault| self.fault(fault)).ok()
    }

    /// Checks that the field is there and holds exactly this JSON.
    pub(crate) fn take_version(&mut self, key: &'static str, version: i64) {
        let fault = match self.value(key) {
            None => Fault::Missing { key },
            Some(value) if value.integer() == Ok(version) => return,
            Some(value) => Fault::FormatVersion {
                found: excerpt(value.as_json()),
            },
        };
        self.fault(fault);
    }

    /// As [`Fields::take_version`], but the field may be left out.
    pub(crate) fn take_version_if_given(&mut self, key: &'static str, version: i64) {
        if self.entries.iter().any(|entry| entry.key == key) {
            self.take_version(key, version);
        }
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }

    pub(crate) fn fault(&mut self, fault: Fault) {
        if self.faults.len() < InvalidLine::MOST {
            self.faults.push(fault);
        }
    }

    /// Reports every field that nobody asked for; done when all the fields of the line's kind have been taken.
    pub(crate) fn refuse_the_rest(&mut self) {
        for index in 0..self.entries.len() {
            let entry = &self.entries[index];
            if entry.taken {
                continue;
            }
            // What is left has either a name of its own or that of a field whose first occurrence was taken.
            let key = excerpt(&entry.key);
            let twice = self.entries.iter().any(|other| other.taken && other.key == entry.key);
            self.fault(if twice {
                Fault::Duplicate { key }
            } else {
                Fault::UnknownKey { key }
            });
            if self.faults.len() == InvalidLine::MOST {
                break;
            }
        }
    }

    /// `value` if nothing was wrong.
    pub(crate) fn finish<T>(self, value: Option<T>) -> Result<T, InvalidLine> {
        match value {
            Some(value) if self.faults.is_empty() => Ok(value),
            _ => Err(InvalidLine::new(self.faults)),
        }
    }

    fn value(&mut self, key: &'static str) -> Option<Value<'a>> {
        let here = self
            .entries
            .get(self.expected)
            .is_some_and(|entry| !entry.taken && entry.key == key);
        let index = if here {
            self.expected
        } else {
            self.entries.iter().position(|entry| !entry.taken && entry.key == key)?
        };
        self.expected = index + 1;
        let entry = &mut self.entries[index];
        entry.taken = true;
        Some(Value::new(key, entry.json))
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Vec<Entry<'de>>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        // The longest kind of line has 15 fields.
        let mut entries = Vec::with_capacity(16);
        while let Some(key) = map.next_key_seed(KeySeed)? {
            let json: &RawValue = map.next_value()?;
            entries.push(Entry {
                key,
                json: json.get(),
                taken: false,
            });
        }
        Ok(entries)
    }
}

/// A key, borrowed from the line where it has no escapes.
struct KeySeed;

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for KeySeed {
    type Value = Cow<'de, str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_borrowed_str<E: Error>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}
