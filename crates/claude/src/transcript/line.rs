//! One line of a transcript, damaged as it may be.

use std::fmt;

use memchr::{memchr, memmem};
use serde_json::Value;

use super::record::Record;
use crate::json;

/// What is wrong with a line. All of it has been seen in the wild, and none of it hides the lines around.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// It is not a JSON object, and was left out.
    NotAnObject,
    /// The file ends in the middle of it: its writer was interrupted, or is still at it. Left out, until it is complete.
    Torn,
    /// It is longer than the longest line that is read, and was left out.
    TooLong,
    /// It holds NUL bytes, as a lost disk block leaves them; whole records around them were read.
    NulBytes,
    /// Bytes that are no UTF-8 were read as U+FFFD.
    InvalidUtf8,
    /// Halves of surrogate pairs were read as U+FFFD.
    LoneSurrogate,
    /// A record that was read as complete goes on; the rest was left out.
    GoesOn,
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAnObject => "is not a JSON object",
            Self::Torn => "breaks off",
            Self::TooLong => "is too long to be read",
            Self::NulBytes => "holds NUL bytes",
            Self::InvalidUtf8 => "holds invalid UTF-8",
            Self::LoneSurrogate => "holds half a surrogate pair",
            Self::GoesOn => "goes on after its record",
        })
    }
}

/// A damaged line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Problem {
    /// The line, from 1.
    pub line: u64,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// What is wrong with it.
    pub kind: ProblemKind,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} {}", self.line, self.kind)
    }
}

/// Lines longer than this are not copied to be repaired: see [`mask_broken_utf8`].
const LARGE: usize = 8 * 1024 * 1024;

/// Writes `?` over what is no UTF-8 in a long line, in place; says whether there was any.
///
/// Shorter lines are repaired on a copy and get U+FFFD, which takes more room than the byte it stands for.
pub(super) fn mask_broken_utf8(line: &mut [u8]) -> bool {
    let mut from = 0;
    if line.len() <= LARGE {
        return false;
    }
    while let Err(error) = std::str::from_utf8(&line[from..]) {
        let start = from + error.valid_up_to();
        let end = error.error_len().map_or(line.len(), |length| start + length);
        line[start..end].fill(b'?');
        from = end;
    }
    from > 0
}

/// `bytes` without a byte order mark.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Calls `act` with the record in `line`, if there is one, and says what was wrong.
pub(super) fn understand(line: &[u8], mut act: impl FnMut(&Record<'_>)) -> Option<ProblemKind> {
    match understand_object(line, &mut act) {
        Err(NoObject) if memchr(0, line).is_some() => {
            // A lost block can lie before, after or between whole records.
            let mut any = false;
            for piece in line.split(|byte| *byte == 0) {
                any |= understand_object(piece, &mut act).is_ok();
            }
            let blank = line.iter().all(|byte| *byte == 0);
            Some(if any || blank {
                ProblemKind::NulBytes
            } else {
                ProblemKind::NotAnObject
            })
        }
        Err(NoObject) => Some(ProblemKind::NotAnObject),
        Ok(damage) => damage,
    }
}

struct NoObject;

fn understand_object(bytes: &[u8], act: &mut impl FnMut(&Record<'_>)) -> Result<Option<ProblemKind>, NoObject> {
    let bytes = bytes.trim_ascii();
    // Or a sequence would be taken for the fields of a record in order.
    if bytes.first() != Some(&b'{') {
        return Err(NoObject);
    }
    if let Ok(record) = Record::parse(bytes) {
        act(&record);
        return Ok(has_lone_surrogate(bytes).then_some(ProblemKind::LoneSurrogate));
    }
    if bytes.len() > LARGE {
        return Err(NoObject);
    }
    let repaired = json::repair(bytes);
    let damage = repaired.as_ref().map(|_| match std::str::from_utf8(bytes) {
        Ok(_) => ProblemKind::LoneSurrogate,
        Err(_) => ProblemKind::InvalidUtf8,
    });
    // By way of a value, so that a key that is there twice is there once: the last one counts.
    let value: Value =
        serde_json::from_slice(repaired.as_deref().map_or(bytes, str::as_bytes)).map_err(|_| NoObject)?;
    let plain = value.to_string();
    act(&Record::parse(plain.as_bytes()).map_err(|_| NoObject)?);
    Ok(damage)
}

/// The fields at the end of a record from `key` on, which begins a field, as an object with a type of its own.
///
/// `type_of` gets what precedes the key and names the record's type. The rest of a line makes an object if and only if the key stands
/// on the record's first level: deeper down there would be a bracket too many. Only the last few places are tried.
pub(super) fn fields_from(line: &[u8], key: &[u8], type_of: &dyn Fn(&[u8]) -> &'static str) -> Option<Vec<u8>> {
    memmem::rfind_iter(line, key).take(4).find_map(|at| {
        let (before, fields) = line.split_at(at);
        let object = [b"{\"type\":\"", type_of(before).as_bytes(), b"\",", fields].concat();
        serde_json::from_slice::<serde::de::IgnoredAny>(&object)
            .is_ok()
            .then_some(object)
    })
}

/// The client writes characters as they are, so that an escape of a surrogate is nearly always half a pair.
fn has_lone_surrogate(line: &[u8]) -> bool {
    let mut escapes = memmem::find_iter(line, b"\\ud").chain(memmem::find_iter(line, b"\\uD"));
    escapes.next().is_some() && json::has_lone_surrogate(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::RecordKind;

    #[test]
    fn damage_is_named_and_read_around() {
        use ProblemKind::{InvalidUtf8, LoneSurrogate, NotAnObject, NulBytes};
        for (line, problem, prompt) in [
            (&b"{\"lastPrompt\":\"a\"}"[..], None, Some("a")),
            (b"{\"lastPrompt\":\"a\\\\ud83d\"}", None, Some("a\\ud83d")),
            (b"{\"lastPrompt\":\"\\ud83d\\ude00\"}", None, Some("\u{1f600}")),
            (b"{\"lastPrompt\":\"\\uD83D\"}", Some(LoneSurrogate), Some("\u{fffd}")),
            (b"{\"lastPrompt\":\"\xff\"}", Some(InvalidUtf8), Some("\u{fffd}")),
            (b"\0\0{\"lastPrompt\":\"a\"}\0", Some(NulBytes), Some("a")),
            (b"\0\0", Some(NulBytes), None),
            (b"{\"lastPro\0\0{\"lastPrompt\":\"a\"}", Some(NulBytes), Some("a")),
            (b"{\"lastPrompt\":\"a", Some(NotAnObject), None),
            (b"{\"lastPrompt\":\"a\"}}", Some(NotAnObject), None),
            (b"{\"lastPrompt\":\"a\0\"}", Some(NotAnObject), None),
            (b"[\"user\"]", Some(NotAnObject), None),
            (b"5", Some(NotAnObject), None),
        ] {
            let mut seen = None;
            let found = understand(line, |record| {
                seen = super::super::raw::text(record.raw.last_prompt).map(std::borrow::Cow::into_owned);
            });
            assert_eq!(
                (found, seen.as_deref()),
                (problem, prompt),
                "{}",
                String::from_utf8_lossy(line)
            );
        }
    }

    #[test]
    fn fields_of_another_type_spoil_nothing_else() {
        for (line, expected) in [
            (
                r#"{"type":5,"message":{"role":"user","content":{"x":1}},"timestamp":[],"uuid":null,"cwd":"/w","isMeta":"yes"}"#,
                RecordKind::User,
            ),
            (r#"{"type":"system","message":"text"}"#, RecordKind::System),
            (r#"{"type":"system","message":[1]}"#, RecordKind::System),
            (r#"{"type":"system","message":-7.5}"#, RecordKind::System),
            // A key that is there twice: the last one counts.
            (
                r#"{"type":"user","message":{"role":"x","role":"user"},"type":"system"}"#,
                RecordKind::System,
            ),
        ] {
            let mut kind = None;
            assert_eq!(understand(line.as_bytes(), |record| kind = Some(record.kind)), None);
            assert_eq!(kind, Some(expected), "{line}");
        }
    }
}
