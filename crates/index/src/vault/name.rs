//! Paths as text that any JSON reader takes and any bytes survive.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// `path` as text: `%` and bytes that are no UTF-8 become `%XX`.
pub(super) fn to_text(path: &Path) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        text.push_str(&chunk.valid().replace('%', "%25"));
        for byte in chunk.invalid() {
            // Writing to a String does not fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// The path that [`to_text`] was given; `None` for text that it never writes.
pub(super) fn from_text(text: &str) -> Option<PathBuf> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        if *byte == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = after.get(2..)?;
        } else {
            bytes.push(*byte);
            rest = after;
        }
    }
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

/// Whether `path` stays below whatever it is joined to.
pub(super) fn is_inside(path: &Path) -> bool {
    path.components().next().is_some() && path.components().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_is_readable_where_it_can_be() {
        assert_eq!(
            to_text(Path::new("projects/-w/é 100%.jsonl")),
            "projects/-w/é 100%25.jsonl"
        );
        let odd = PathBuf::from(OsString::from_vec(b"a\xff/b".to_vec()));
        assert_eq!(to_text(&odd), "a%FF/b");
        assert_eq!(from_text("a%F"), None);
        assert_eq!(from_text("a%zz"), None);
    }

    #[test]
    fn only_paths_below_are_inside() {
        for (path, inside) in [
            ("a/b", true),
            ("", false),
            ("/a", false),
            ("a/../b", false),
            ("..", false),
            (".", false),
        ] {
            assert_eq!(is_inside(Path::new(path)), inside, "{path}");
        }
    }

    proptest! {
        #[test]
        fn every_path_survives(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let path = PathBuf::from(OsString::from_vec(bytes));
            prop_assert_eq!(from_text(&to_text(&path)), Some(path));
        }
    }
}
