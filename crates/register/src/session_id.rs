//! The session id: a UUID in its one spelling, lowercase and hyphenated.
//!
//! Ids come from outside (file names, hook payloads, command lines) and become file names again, so the only way to
//! have one is to have it checked.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};

use crate::excerpt::excerpt;

/// The pattern every session id matches; `SESSION_UUID_RE` in the lifecycle document.
///
/// Anchored at both ends and meant without any multi-line reading: a trailing newline does not match.
pub const SESSION_UUID_PATTERN: &str = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";

/// The id of one Claude Code session, as it names transcripts and register files.
///
/// The order is that of the text, which is also that of the 128-bit number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId([u8; SessionId::LENGTH]);

/// A text that is no session id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a session id (a lowercase UUID such as `01234567-89ab-cdef-0123-456789abcdef`)", excerpt(.text, 80))]
pub struct InvalidSessionId {
    /// What was given, whole.
    pub text: String,
}

impl SessionId {
    /// The length of its text in bytes.
    pub(crate) const LENGTH: usize = 36;

    /// Takes `text` if it matches [`SESSION_UUID_PATTERN`], and nothing else: no uppercase, no braces, no white space.
    pub fn parse(text: &str) -> Result<Self, InvalidSessionId> {
        Self::from_bytes(text.as_bytes()).ok_or_else(|| InvalidSessionId { text: text.to_owned() })
    }

    /// Like [`SessionId::parse`] for bytes that need not be UTF-8, such as a file's stem.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::LENGTH] = bytes.try_into().ok()?;
        let spelled = bytes.iter().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        });
        spelled.then_some(Self(*bytes))
    }

    /// The id whose 128 bits are `number`, for ids that are made up rather than met.
    #[must_use]
    pub fn from_u128(number: u128) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [b'-'; Self::LENGTH];
        let mut rest = number;
        for index in (0..Self::LENGTH)
            .rev()
            .filter(|index| !matches!(index, 8 | 13 | 18 | 23))
        {
            text[index] = DIGITS[(rest & 0xf) as usize];
            rest >>= 4;
        }
        Self(text)
    }

    /// The id as text, always 36 ASCII characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Every constructor writes hexadecimal digits and hyphens only, so the fallback can't be reached.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// The first 8 characters: the shortest prefix by which a session may be addressed.
    #[must_use]
    pub fn short(&self) -> &str {
        self.as_str().get(..8).unwrap_or_default()
    }
}

impl FromStr for SessionId {
    type Err = InvalidSessionId;

    fn from_str(text: &str) -> Result<Self, InvalidSessionId> {
        Self::parse(text)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SessionId({self})")
    }
}

impl Serialize for SessionId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for SessionId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = SessionId;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a session id")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<SessionId, E> {
                SessionId::parse(text).map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

impl JsonSchema for SessionId {
    fn schema_name() -> Cow<'static, str> {
        "SessionId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": SESSION_UUID_PATTERN })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "01234567-89ab-cdef-0123-456789abcdef";

    #[test]
    fn takes_the_one_spelling_and_gives_it_back() {
        let id = SessionId::parse(GOOD).unwrap();
        assert_eq!(id.as_str(), GOOD);
        assert_eq!(id.to_string(), GOOD);
        assert_eq!(id.short(), "01234567");
        assert_eq!(format!("{id:>38}"), format!("  {GOOD}"));
        assert_eq!(serde_json::to_string(&id).unwrap(), format!("\"{GOOD}\""));
        assert_eq!(serde_json::from_str::<SessionId>(&format!("\"{GOOD}\"")).unwrap(), id);
    }

    #[test]
    fn numbers_and_text_agree() {
        assert_eq!(
            SessionId::from_u128(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef).as_str(),
            GOOD
        );
        assert_eq!(SessionId::from_u128(0).as_str(), "00000000-0000-0000-0000-000000000000");
        assert_eq!(
            SessionId::from_u128(u128::MAX).as_str(),
            "ffffffff-ffff-ffff-ffff-ffffffffffff"
        );
        assert!(SessionId::from_u128(9) < SessionId::from_u128(10));
    }

    #[test]
    fn refuses_everything_else() {
        for junk in [
            "",
            "..",
            "01234567-89ab-cdef-0123-456789abcde",
            "01234567-89ab-cdef-0123-456789abcdef0",
            "01234567-89ab-cdef-0123-456789abcdef\n",
            "01234567-89AB-cdef-0123-456789abcdef",
            "0123456789abcdef0123456789abcdef",
            "01234567-89ab-cdef-0123-456789abcde/",
            "01234567-89ab-cdef-01234-56789abcdef",
            "01234567-89ab-cdef-0123-456789abcd\u{e9}",
        ] {
            assert_eq!(
                SessionId::parse(junk),
                Err(InvalidSessionId { text: junk.to_owned() }),
                "{junk:?}"
            );
        }
    }

    #[test]
    fn a_message_stays_on_one_line() {
        let message = InvalidSessionId {
            text: format!("\u{1b}[2J\n{}", "x".repeat(500)),
        }
        .to_string();
        assert!(message.starts_with("`\\u{1b}[2J\\nxxx"), "{message}");
        assert!(message.len() < 300, "{message}");
    }
}
