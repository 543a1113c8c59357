//! Records that hold nothing of a conversation, told by their first bytes.
//!
//! Most of a new transcript are the client's snapshots of prompts and requests. The client writes compact JSON with its fields in a
//! fixed order, so that a few comparisons save the parsing; a record in any other spelling is parsed like all the rest.

use memchr::{memchr, memmem};

use super::line;

/// A line that needs no parsing, or only a part of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Skip {
    /// Nothing in it is needed.
    All,
    /// All but these fields, an object of their own.
    AllBut(Vec<u8>),
}

/// Types that begin their record and carry nothing that is used; all that begin with one of these are left out.
const BOOKKEEPING: [&[u8]; 8] = [
    b"api-request",
    b"atis-latch",
    b"bridge-session",
    b"cost-state",
    b"file-history-",
    b"mode\"",
    b"permission-mode\"",
    b"queue-operation\"",
];

/// What can be skipped of `line`, which is whole and without blanks around it.
pub(super) fn skip(line: &[u8]) -> Option<Skip> {
    if line.last() != Some(&b'}') {
        return None;
    }
    if let Some(name) = line.strip_prefix(b"{\"type\":\"") {
        return BOOKKEEPING
            .iter()
            .any(|known| name.starts_with(known))
            .then_some(Skip::All);
    }
    let name = attachment_type(line)?;
    if name.starts_with(b"hook_") || name == b"queued_command" {
        return None;
    }
    line::fields_from(line, b"\"uuid\":\"", &|_| "attachment").map(Skip::AllBut)
}

/// The type of the attachment in an attachment record, if the record is spelt as the client spells it:
/// `{"parentUuid":…,"isSidechain":…,"attachment":{"type":"…`.
fn attachment_type(line: &[u8]) -> Option<&[u8]> {
    const KEY: &[u8] = b"\"attachment\":{\"type\":\"";
    if !line.starts_with(b"{\"parentUuid\":") {
        return None;
    }
    let start = &line[1..line.len().min(400)];
    let at = memmem::find(start, KEY)?;
    // No bracket before it: the key stands on the record's first level.
    if start[..at].iter().any(|byte| matches!(byte, b'{' | b'[')) {
        return None;
    }
    let name = &line[1 + at + KEY.len()..];
    Some(&name[..memchr(b'"', name)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_in_its_known_spelling() {
        let attachment = |name: &str, rest: &str| {
            format!(
                "{{\"parentUuid\":null,\"isSidechain\":false,\"attachment\":{{\"type\":\"{name}\",\"x\":[1]}},{rest}}}"
            )
        };
        let kept = "{\"type\":\"attachment\",\"uuid\":\"u\",\"cwd\":\"/w\"}";
        let fields = || Some(Skip::AllBut(kept.into()));
        for (line, expected) in [
            ("{\"type\":\"api-request-blob\",\"message\":\"x\"}".to_owned(), Some(Skip::All)),
            ("{\"type\":\"api-request\"}".into(), Some(Skip::All)),
            ("{\"type\":\"mode\",\"mode\":\"normal\"}".into(), Some(Skip::All)),
            ("{\"type\":\"api-request-blob\",\"mess".into(), None),
            ("{\"type\":\"model\"}".into(), None),
            ("{\"type\":\"last-prompt\"}".into(), None),
            ("{ \"type\": \"mode\"}".into(), None),
            (attachment("prompt_snapshot", "\"type\":\"attachment\",\"uuid\":\"u\",\"cwd\":\"/w\""), fields()),
            (attachment("hook_success", "\"type\":\"attachment\",\"uuid\":\"u\""), None),
            (attachment("queued_command", "\"type\":\"attachment\",\"uuid\":\"u\""), None),
            (attachment("x", "\"type\":\"attachment\""), None),
            ("{\"parentUuid\":null,\"toolUseResult\":{\"attachment\":{\"type\":\"x\"}},\"type\":\"user\",\"uuid\":\"u\"}".into(), None),
            ("{}".into(), None),
            (String::new(), None),
        ] {
            assert_eq!(skip(line.as_bytes()), expected, "{line}");
        }
    }
}
