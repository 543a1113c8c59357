//! The published JSON types: what `--json` prints, with checked-in schemas under `schemas/`.
//!
//! Domain types are never serialised directly, so that they can change without the documents changing. A document has
//! `schema_version`, its things, and `problems`; every field is always present, unknown is `null`. Times are RFC 3339 in UTC with
//! milliseconds, sizes are bytes, paths are text (bytes that are not UTF-8 become U+FFFD).

mod configuration;
mod findings;
mod hit;
mod hooks;
mod item;
mod resumption;
mod session;

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

pub use configuration::{ConfigurationDocument, FileDocument, SettingDocument, VariableDocument};
pub use findings::{FindingDocument, FindingWeight, FindingsDocument};
pub use hit::{HitDocument, HitsDocument, MessageDocument, MessagesDocument, SnippetDocument, origin_word, reference};
pub use hooks::{HooksDocument, HooksFileDocument};
pub use item::{EventsDocument, Item, ItemsDocument, Outcome};
pub use resumption::ResumptionDocument;
pub use session::{HiddenCounts, MarkDocument, ProcessDocument, SessionDocument, SessionsDocument};

/// The version that every document carries; it grows when a field changes its meaning or goes, not when one is added.
pub const SCHEMA_VERSION: u32 = 1;

/// A time as documents spell it.
fn time(ms: i64) -> String {
    sexton_register::now_timestamp(ms).as_str().to_owned()
}

/// A path as documents spell it.
fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The schema of each document with the name of its file.
#[must_use]
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    fn schema<T: JsonSchema + Serialize>() -> schemars::Schema {
        schemars::generate::SchemaSettings::draft2020_12()
            .for_serialize()
            .into_generator()
            .into_root_schema_for::<T>()
    }
    vec![
        ("sessions.schema.json", schema::<SessionsDocument<'_>>()),
        ("configuration.schema.json", schema::<ConfigurationDocument>()),
        ("file.schema.json", schema::<FileDocument>()),
        ("events.schema.json", schema::<EventsDocument>()),
        ("findings.schema.json", schema::<FindingsDocument>()),
        ("hooks.schema.json", schema::<HooksDocument>()),
        ("resumption.schema.json", schema::<ResumptionDocument>()),
        ("items.schema.json", schema::<ItemsDocument>()),
        ("hits.schema.json", schema::<HitsDocument>()),
        ("messages.schema.json", schema::<MessagesDocument>()),
    ]
}
