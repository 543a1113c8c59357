//! The format as a JSON Schema, made from the same table as reader and writer.

use serde_json::{Map, Value, json};

use crate::FORMAT_VERSION;
use crate::event::{COMMON_FIELDS, FieldDescription, KINDS, KindDescription};

/// The JSON Schema (draft 2020-12) of one line of the store.
///
/// A schema can't see everything the reader refuses: a key given twice, `1.0` for `1`, a day its month doesn't have.
#[must_use]
pub fn event_schema() -> Value {
    let kinds: Map<String, Value> = KINDS
        .iter()
        .map(|kind| (kind.word.to_owned(), kind_schema(kind)))
        .collect();
    let references: Vec<Value> = KINDS
        .iter()
        .map(|kind| json!({ "$ref": format!("#/$defs/{}", kind.word) }))
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Lifecycle event",
        "description": "One line of a session's lifecycle file: a single fact about one Claude Code session. Every key is always written; what is not known is null.",
        "oneOf": references,
        "$defs": kinds,
    })
}

fn kind_schema(kind: &KindDescription) -> Value {
    let version = ("format_version", json!({ "type": "integer", "const": FORMAT_VERSION }));
    let word = ("kind", json!({ "const": kind.word }));
    let properties: Vec<(&str, Value)> = [version]
        .into_iter()
        .chain(COMMON_FIELDS.iter().map(described))
        .chain([word])
        .chain(kind.fields.iter().map(described))
        .collect();
    // In the order of the line, which an object's keys don't keep.
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    json!({
        "description": kind.doc.trim(),
        "type": "object",
        "required": required,
        "properties": properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect::<Map<_, _>>(),
        "additionalProperties": false,
    })
}

fn described(field: &FieldDescription) -> (&'static str, Value) {
    let mut schema = (field.schema)();
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("description".to_owned(), field.doc.trim().into());
    }
    (field.name, schema)
}
