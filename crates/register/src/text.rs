//! Text that says something: the format writes "unknown" as `null`, never as an empty string.

use std::fmt;
use std::ops::Deref;

use bytestring::ByteString;

/// A string that is not empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(ByteString);

impl Text {
    /// The text, or nothing if it is empty; so that an empty value from outside becomes the format's `null`.
    #[must_use]
    pub fn new(text: impl Into<Box<str>>) -> Option<Self> {
        let text = text.into();
        (!text.is_empty()).then_some(Self(text.into()))
    }

    /// A part of text that others share.
    pub(crate) fn shared(text: ByteString) -> Option<Self> {
        (!text.is_empty()).then_some(Self(text))
    }

    /// The text itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// For texts of our own that are written down non-empty.
    pub(crate) fn of_non_empty(text: String) -> Self {
        debug_assert!(!text.is_empty(), "the caller promises a text");
        Self(text.into())
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}
