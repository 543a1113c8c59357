//! One line of the store as JSON: taken apart, judged and written, without a word about what it means.

mod fault;
mod fields;
mod value;
mod writer;

pub use fault::{Fault, InvalidLine};
pub(crate) use fields::Fields;
pub(crate) use value::Value;
pub(crate) use writer::Writer;

/// Whether `text` is one JSON value, whatever it says; the test for a line that was cut short.
pub(crate) fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}
