//! One line of a transcript, damaged as it may be.

use std::fmt;

use memchr::{memchr, memmem};

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
    let repaired = json::repair(bytes).ok_or(NoObject)?;
    let record = Record::parse(repaired.as_bytes()).map_err(|_| NoObject)?;
    act(&record);
    Ok(Some(ProblemKind::InvalidUtf8))
}

/// The client writes characters as they are, so that an escape of a surrogate is nearly always half a pair.
fn has_lone_surrogate(line: &[u8]) -> bool {
    let mut escapes = memmem::find_iter(line, b"\\ud").chain(memmem::find_iter(line, b"\\uD"));
    escapes.next().is_some() && json::has_lone_surrogate(line)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let line = br#"{"type":5,"message":{"role":"user","content":{"x":1}},"timestamp":[],"uuid":null,"cwd":"/w","isMeta":"yes"}"#;
        let mut kind = None;
        assert_eq!(understand(line, |record| kind = Some(record.kind)), None);
        assert_eq!(kind, Some(crate::transcript::RecordKind::User));
    }
}
