//! What a field of the format can hold: how it is read, written and described.

use serde_json::{Value as Json, json};

use crate::line::{Fault, Value, Writer};
use crate::timestamp::TIMESTAMP_PATTERN;
use crate::{EventId, SESSION_UUID_PATTERN, SessionId, Text, Timestamp};

/// The type of one field; the one place from which reader, writer and schema take it.
pub(crate) trait Field: Sized {
    /// Checks one value and takes it.
    fn read(value: Value<'_>) -> Result<Self, Fault>;

    /// Writes it in the canonical spelling.
    fn write(&self, line: &mut Writer);

    /// The JSON Schema of what [`Field::read`] accepts.
    fn schema() -> Json;
}

impl Field for Text {
    fn read(value: Value<'_>) -> Result<Self, Fault> {
        Text::new(value.text()?).ok_or_else(|| value.empty())
    }

    fn write(&self, line: &mut Writer) {
        line.text(self);
    }

    fn schema() -> Json {
        json!({ "type": "string", "minLength": 1 })
    }
}

impl Field for EventId {
    fn read(value: Value<'_>) -> Result<Self, Fault> {
        Text::read(value).map(EventId::from)
    }

    fn write(&self, line: &mut Writer) {
        line.text(self.as_str());
    }

    fn schema() -> Json {
        Text::schema()
    }
}

impl Field for SessionId {
    fn read(value: Value<'_>) -> Result<Self, Fault> {
        SessionId::parse(&value.text()?).map_err(Fault::Session)
    }

    fn write(&self, line: &mut Writer) {
        line.text(self.as_str());
    }

    fn schema() -> Json {
        json!({ "type": "string", "pattern": SESSION_UUID_PATTERN })
    }
}

impl Field for Timestamp {
    fn read(value: Value<'_>) -> Result<Self, Fault> {
        let text = value.text()?;
        Timestamp::parse(&text).map_err(|what| value.not_a_timestamp(what))
    }

    fn write(&self, line: &mut Writer) {
        line.text(self.as_str());
    }

    fn schema() -> Json {
        json!({ "type": "string", "pattern": TIMESTAMP_PATTERN })
    }
}

impl Field for i64 {
    fn read(value: Value<'_>) -> Result<Self, Fault> {
        value.integer()
    }

    fn write(&self, line: &mut Writer) {
        line.integer(*self);
    }

    fn schema() -> Json {
        json!({ "type": "integer", "minimum": i64::MIN, "maximum": i64::MAX })
    }
}

/// The format writes what is not known as `null`.
impl<T: Field> Field for Option<T> {
    fn read(value: Value<'_>) -> Result<Self, Fault> {
        if value.is_null() {
            Ok(None)
        } else {
            T::read(value).map(Some).map_err(Fault::or_null)
        }
    }

    fn write(&self, line: &mut Writer) {
        match self {
            Some(value) => value.write(line),
            None => line.null(),
        }
    }

    fn schema() -> Json {
        json!({ "anyOf": [T::schema(), { "type": "null" }] })
    }
}
