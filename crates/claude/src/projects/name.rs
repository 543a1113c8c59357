//! What a name in a project directory says.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use sexton_register::SessionId;

/// The meaning of a name in a project directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProjectName {
    /// `<uuid>.jsonl`.
    Transcript(SessionId),
    /// `<uuid>.orphaned-<time>-<suffix>.jsonl` or `<uuid>.jsonl.superseded-<time>`: set aside by the client.
    SetAside(SessionId),
    /// `<uuid>`: the session's directory, if it is one.
    Session(SessionId),
    /// `<anything else>.jsonl`, by its stem: not a session of the client's.
    Foreign(OsString),
    /// `memory` and whatever else lies there.
    Other,
}

const UUID_LENGTH: usize = 36;

impl ProjectName {
    pub(crate) fn parse(name: &OsStr) -> Self {
        let bytes = name.as_bytes();
        if let Some((session, rest)) = split_session(bytes) {
            match rest {
                b"" => return Self::Session(session),
                b".jsonl" => return Self::Transcript(session),
                _ if rest.starts_with(b".jsonl.superseded-") => return Self::SetAside(session),
                _ if rest.starts_with(b".orphaned-") && rest.ends_with(b".jsonl") => return Self::SetAside(session),
                _ => {}
            }
        }
        match bytes.strip_suffix(b".jsonl") {
            Some(stem) => Self::Foreign(OsStr::from_bytes(stem).to_owned()),
            None => Self::Other,
        }
    }
}

/// Splits a name that begins with a session's id.
pub(crate) fn split_session(name: &[u8]) -> Option<(SessionId, &[u8])> {
    let (id, rest) = name.split_at_checked(UUID_LENGTH)?;
    Some((SessionId::from_bytes(id)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        const ID: &str = "33a8e781-9766-4574-a7aa-1ce12b8b16b7";
        let session = SessionId::parse(ID).unwrap();
        let foreign = |stem: &str| ProjectName::Foreign(stem.into());
        for (name, expected) in [
            (format!("{ID}.jsonl"), ProjectName::Transcript(session)),
            (ID.to_owned(), ProjectName::Session(session)),
            (
                format!("{ID}.orphaned-1796061832-ab12.jsonl"),
                ProjectName::SetAside(session),
            ),
            (
                format!("{ID}.jsonl.superseded-1796061832"),
                ProjectName::SetAside(session),
            ),
            (format!("{ID}.orphaned-1796061832"), ProjectName::Other),
            (format!("{ID}.jsonl.zst"), ProjectName::Other),
            (format!("{ID}0.jsonl"), foreign(&format!("{ID}0"))),
            (format!("{}.jsonl", ID.to_uppercase()), foreign(&ID.to_uppercase())),
            ("agent-a1.jsonl".into(), foreign("agent-a1")),
            (".jsonl".into(), foreign("")),
            ("memory".into(), ProjectName::Other),
            ("notes.txt".into(), ProjectName::Other),
        ] {
            assert_eq!(ProjectName::parse(OsStr::new(&name)), expected, "{name}");
        }
        let not_utf8 = OsStr::from_bytes(b"\xff.jsonl");
        assert_eq!(
            ProjectName::parse(not_utf8),
            ProjectName::Foreign(OsStr::from_bytes(b"\xff").into())
        );
    }
}
