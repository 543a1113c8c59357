//! Paths in our own files: any bytes, in JSON, readable by a person.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::{Serialize, Serializer};

/// A path as the journal and the manifests spell it.
///
/// UTF-8 stands for itself. A byte that is no part of UTF-8 is `%` and two hexadecimal digits, and so is `%` itself (`%25`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoredPath(pub PathBuf);

impl StoredPath {
    /// The text that stands for this path.
    #[must_use]
    pub fn encode(path: &Path) -> String {
        let mut text = String::new();
        for chunk in path.as_os_str().as_bytes().utf8_chunks() {
            text.push_str(&chunk.valid().replace('%', "%25"));
            for byte in chunk.invalid() {
                // Writing to a text can't fail.
                let _ = write!(text, "%{byte:02x}");
            }
        }
        text
    }

    /// The path that `text` stands for; `None` if a `%` is not followed by two hexadecimal digits.
    #[must_use]
    pub fn decode(text: &str) -> Option<PathBuf> {
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let [first, after @ ..] = rest {
            if *first == b'%' {
                let digits = after
                    .get(..2)
                    .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
                let digits = std::str::from_utf8(digits).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = &after[2..];
            } else {
                bytes.push(*first);
                rest = after;
            }
        }
        Some(PathBuf::from(OsString::from_vec(bytes)))
    }
}

impl From<&Path> for StoredPath {
    fn from(path: &Path) -> Self {
        Self(path.to_path_buf())
    }
}

impl Serialize for StoredPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&Self::encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for StoredPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'_, str>::deserialize(deserializer)?;
        match Self::decode(&text) {
            Some(path) => Ok(Self(path)),
            None => Err(D::Error::custom(format!("`{text}` is no stored path"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_stays_readable() {
        assert_eq!(StoredPath::encode(Path::new("/a b/é")), "/a b/é");
        let odd = PathBuf::from(OsString::from_vec(b"100%/\xff\xc3".to_vec()));
        assert_eq!(StoredPath::encode(&odd), "100%25/%ff%c3");
        assert_eq!(StoredPath::decode("%f"), None);
        assert_eq!(StoredPath::decode("%+1"), None);
    }

    proptest! {
        #[test]
        fn every_path_survives(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let path = PathBuf::from(OsString::from_vec(bytes));
            let json = serde_json::to_string(&StoredPath(path.clone())).unwrap();
            prop_assert_eq!(serde_json::from_str::<StoredPath>(&json).unwrap().0, path);
        }

        #[test]
        fn no_text_panics(text in "[%0-9a-fé+]{0,12}") {
            let _ = StoredPath::decode(&text);
        }
    }
}
