//! JSON as damaged files hold it: broken UTF-8 and lone surrogate escapes become U+FFFD instead of an error.

use std::borrow::Cow;

use memchr::memchr;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Parses `bytes`, with a second try on a repaired copy.
pub(crate) fn parse_tolerantly<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, serde_json::Error> {
    serde_json::from_slice(bytes).or_else(|error| match repair(bytes) {
        Some(text) => serde_json::from_str(&text),
        None => Err(error),
    })
}

/// The text of `bytes` without broken UTF-8 and lone surrogate escapes, or `None` if there was nothing to repair.
pub(crate) fn repair(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let had_bad_utf8 = matches!(text, Cow::Owned(_));
    let mut bytes = text.into_owned().into_bytes();
    let had_lone_surrogates = replace_lone_surrogates(&mut bytes);
    // Only ASCII digits were overwritten, so that it is still UTF-8.
    (had_bad_utf8 || had_lone_surrogates)
        .then(|| String::from_utf8(bytes).ok())
        .flatten()
}

/// Writes `fffd` over the digits of each escape that is half a surrogate pair.
fn replace_lone_surrogates(bytes: &mut [u8]) -> bool {
    let mut from = 0;
    while let Some(at) = lone_surrogate(bytes, from) {
        bytes[at + 2..at + 6].copy_from_slice(b"fffd");
        from = at + 6;
    }
    from > 0
}

/// Whether JSON text has an escape that is half a surrogate pair.
pub(crate) fn has_lone_surrogate(bytes: &[u8]) -> bool {
    lone_surrogate(bytes, 0).is_some()
}

/// The position of the first such escape at or after `from`, which must not be inside an escape.
fn lone_surrogate(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr(b'\\', bytes.get(at..)?)?;
        let Some(unit) = escaped_unit(&bytes[at..]) else {
            at += 2;
            continue;
        };
        if is_high(unit) && escaped_unit(&bytes[at + 6..]).is_some_and(is_low) {
            at += 12;
        } else if is_high(unit) || is_low(unit) {
            return Some(at);
        } else {
            at += 6;
        }
    }
}

/// The UTF-16 unit of a `\uXXXX` escape at the beginning of `bytes`.
fn escaped_unit(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    digits
        .iter()
        .try_fold(0, |unit, digit| Some(unit << 4 | (*digit as char).to_digit(16)?))
}

fn is_high(unit: u32) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

fn is_low(unit: u32) -> bool {
    (0xdc00..0xe000).contains(&unit)
}

/// Appends the content of a JSON string, given without its quotes, with its escapes resolved.
///
/// `raw` has passed a JSON parser, so that every backslash begins a known escape; lone surrogates become U+FFFD.
pub(crate) fn unescape_into(raw: &str, out: &mut String) {
    unescape_part(raw, out, usize::MAX);
}

/// As [`unescape_into`], but stops before `out` would be longer than `most`; gives the part of `raw` that is left. `most` is at least 4.
pub(crate) fn unescape_part<'r>(raw: &'r str, out: &mut String, most: usize) -> &'r str {
    let mut rest = raw;
    // Wherever there is room for any character, there is progress.
    while !rest.is_empty() && most.saturating_sub(out.len()) >= 4 {
        let plain = memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        if plain > 0 {
            let taken = rest.floor_char_boundary(plain.min(most - out.len()));
            out.push_str(&rest[..taken]);
            rest = &rest[taken..];
        } else {
            let (resolved, length) = resolve_escape(rest.as_bytes());
            out.push(resolved);
            // An escape is ASCII; the fallback is for a lone backslash at the end, which no parser lets through.
            rest = rest.get(length..).unwrap_or_default();
        }
    }
    rest
}

/// The character of the escape at the beginning of `bytes`, and the escape's length.
fn resolve_escape(bytes: &[u8]) -> (char, usize) {
    let simple = match bytes.get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return resolve_unicode_escape(bytes),
        Some(other) if other.is_ascii() => *other as char,
        _ => return (char::REPLACEMENT_CHARACTER, 1),
    };
    (simple, 2)
}

fn resolve_unicode_escape(bytes: &[u8]) -> (char, usize) {
    let Some(unit) = escaped_unit(bytes) else {
        return (char::REPLACEMENT_CHARACTER, 2);
    };
    if is_high(unit)
        && let Some(low) = bytes.get(6..).and_then(escaped_unit).filter(|low| is_low(*low))
    {
        let scalar = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        return (char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER), 12);
    }
    (char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
}

/// The string at `key`, unless it is absent, empty or no string.
pub(crate) fn text(object: &Map<String, Value>, key: &str) -> Option<String> {
    object
        .get(key)?
        .as_str()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fmt::Write;

    fn repaired(bytes: &[u8]) -> Option<String> {
        repair(bytes)
    }

    #[test]
    fn only_what_is_damaged_is_repaired() {
        for (damaged, expected) in [
            (&br#""a\ud83d""#[..], r#""a\ufffd""#),
            (br#""\ude00\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (br#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (b"\"a\xff\"", "\"a\u{fffd}\""),
        ] {
            assert_eq!(repaired(damaged).as_deref(), Some(expected));
        }
        // The second backslash is the escaped one: no surrogate here.
        for sound in [
            &br#""\\ud83d""#[..],
            br#""\ud83d\ude00""#,
            "\"\u{1f600}\"".as_bytes(),
            b"\\",
            b"\\u12",
        ] {
            assert_eq!(repaired(sound), None);
        }
    }

    #[test]
    fn a_name_cut_in_the_middle_of_an_emoji_is_read() {
        let value: Value = parse_tolerantly(br#"{"name":"sun\ud83d"}"#).unwrap();
        assert_eq!(value["name"], "sun\u{fffd}");
        assert!(parse_tolerantly::<Value>(b"{\"name\":").is_err());
    }

    proptest! {
        #[test]
        fn unescaping_agrees_with_serde(text in any::<String>()) {
            let json = serde_json::to_string(&text).unwrap();
            let mut out = String::new();
            unescape_into(&json[1..json.len() - 1], &mut out);
            prop_assert_eq!(&out, &text);
            let mut ascii = String::new();
            for unit in text.encode_utf16() {
                write!(ascii, "\\u{unit:04x}").unwrap();
            }
            let mut out = String::new();
            unescape_into(&ascii, &mut out);
            prop_assert_eq!(&out, &text);
        }

        #[test]
        fn parts_make_up_the_whole(text in any::<String>(), most in 4_usize..20) {
            let json = serde_json::to_string(&text).unwrap();
            let mut rest = &json[1..json.len() - 1];
            let mut whole = String::new();
            while !rest.is_empty() {
                let mut part = String::new();
                rest = unescape_part(rest, &mut part, most);
                prop_assert!(!part.is_empty() && part.len() <= most);
                whole.push_str(&part);
            }
            prop_assert_eq!(whole, text);
        }

        #[test]
        fn repairing_never_panics_and_leaves_nothing_to_repair(bytes in proptest::collection::vec(prop_oneof![
            Just(b'\\'), Just(b'u'), Just(b'd'), Just(b'8'), any::<u8>()
        ], 0..40)) {
            if let Some(text) = repair(&bytes) {
                prop_assert_eq!(repaired(text.as_bytes()), None);
            }
            let mut out = String::new();
            unescape_into(&String::from_utf8_lossy(&bytes), &mut out);
        }
    }
}
