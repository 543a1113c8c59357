//! One line of the journal.

use serde::{Deserialize, Serialize};
use sexton_sys::{FileIdentity, FileTime};

use super::OperationId;
use crate::stored_path::StoredPath;

/// The version this sexton writes. A higher one is refused; unknown fields and unknown kinds of lines in this version are passed over.
pub const JOURNAL_VERSION: u64 = 1;

/// A line with what every line has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// [`JOURNAL_VERSION`].
    pub journal_version: u64,
    /// When it was written, `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    pub at: String,
    /// Which operation it belongs to.
    pub operation: OperationId,
    /// What it says.
    pub body: LineBody,
}

/// What a line says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LineBody {
    /// An item is about to be moved.
    Intent(Intent),
    /// Something of an item has moved, and it is being taken back: from here on it goes no other way.
    TurningBack {
        /// Its number in the operation.
        item: u64,
        /// For each of its moves that was made, in their order, what lay at its destination then; `None` for one whose source had vanished. The
        /// move after these failed, and others were not begun. An older sexton did not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arrived: Option<Vec<Option<RecordedArrival>>>,
    },
    /// What came of it.
    Result(RecordedResult),
    /// The operation is over.
    Closed {
        /// How many intents, of this and earlier operations, still have no result; 0 if everything before this line is settled.
        pending: u64,
    },
    /// A line of a later sexton.
    #[serde(other)]
    Unknown,
}

/// What is done to the items of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OperationKind {
    /// Out of the projects tree into the archive.
    Archive,
    /// Into the trash, with a tombstone.
    Delete,
    /// What a client left behind under the id of a session that was put away, into the trash.
    Tidy,
    /// Back to where it was.
    Restore,
    /// Out of the trash, for good.
    Empty,
    /// A tombstone alone is added or lifted.
    Tombstone,
}

impl OperationKind {
    /// The verb for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Delete => "delete",
            Self::Tidy => "tidy",
            Self::Restore => "restore",
            Self::Empty => "empty",
            Self::Tombstone => "tombstone",
        }
    }
}

/// Everything that is needed to finish or take back one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// Its number in the operation, from 0.
    pub item: u64,
    /// What is done.
    pub kind: OperationKind,
    /// The session, or the stem or trash generation that it is done to.
    pub id: String,
    /// What moves, in this order.
    pub moves: Vec<RecordedMove>,
    /// Directories that are removed afterwards if they hold nothing at all.
    #[serde(default)]
    pub prune: Vec<StoredPath>,
    /// The tombstone before and after, where the operation has a say in it.
    pub tombstone: Option<RecordedTombstone>,
    /// The manifest that lists what was put away: the archive's for the session, or the trash generation's.
    pub manifest: Option<StoredPath>,
    /// The archive that a restored session comes from.
    #[serde(default)]
    pub archive: Option<StoredPath>,
    /// The trash generation that a restored session comes from.
    #[serde(default)]
    pub generation: Option<StoredPath>,
    /// Whether what has moved is removed for good.
    pub discard: bool,
    /// Whether a person vouched for a session that can't be judged.
    pub vouched: bool,
    /// The operation that this one undoes.
    pub undoes: Option<OperationId>,
}

/// One rename, or copy and removal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedMove {
    /// From this absolute path.
    pub from: StoredPath,
    /// To this one.
    pub to: StoredPath,
    /// The device of what lay at `from`.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// Whether it gets the present as its modification time once it has moved.
    #[serde(default)]
    pub refresh: bool,
}

/// What lay at the destination of a move when it had been made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedArrival {
    /// Its device.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its modification time, whole seconds since the Unix epoch.
    pub modified_seconds: i64,
    /// The rest, in nanoseconds.
    pub modified_nanoseconds: u32,
}

impl From<FileIdentity> for RecordedArrival {
    fn from(identity: FileIdentity) -> Self {
        Self {
            device: identity.device,
            inode: identity.inode,
            size: identity.size,
            modified_seconds: identity.modified.seconds,
            modified_nanoseconds: identity.modified.nanoseconds,
        }
    }
}

impl From<&RecordedArrival> for FileIdentity {
    fn from(recorded: &RecordedArrival) -> Self {
        Self {
            device: recorded.device,
            inode: recorded.inode,
            size: recorded.size,
            modified: FileTime {
                seconds: recorded.modified_seconds,
                nanoseconds: recorded.modified_nanoseconds,
            },
        }
    }
}

/// Whether the id was and will be in the tombstone file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedTombstone {
    /// Before the operation.
    pub before: bool,
    /// After it.
    pub after: bool,
}

/// The end of one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedResult {
    /// Its number in the operation.
    pub item: u64,
    /// Where it is.
    pub outcome: RecordedOutcome,
    /// Why it was taken back, for people.
    pub detail: Option<String>,
    /// Whether it was a later command that settled it.
    pub recovered: bool,
}

/// Where an item with a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RecordedOutcome {
    /// Where it was going.
    Done,
    /// Where it was.
    RolledBack,
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn line(body: LineBody) -> Line {
        Line {
            journal_version: JOURNAL_VERSION,
            at: "2026-03-01T12:00:00.000Z".to_owned(),
            operation: OperationId::new(1_772_366_400_000, 0x1a2b_3c4d),
            body,
        }
    }

    #[test]
    fn the_bytes_of_every_line() {
        let id = "01234567-89ab-cdef-0123-456789abcdef".to_owned();
        let stored = |path: &str| StoredPath::from(Path::new(path));
        let lines = [
            line(LineBody::Intent(Intent {
                item: 0,
                kind: OperationKind::Delete,
                id,
                moves: vec![RecordedMove {
                    from: stored("/c/projects/-a/x.jsonl"),
                    to: stored("/d/trash/o/tree/projects/-a/x.jsonl"),
                    device: 1,
                    inode: 2,
                    refresh: false,
                }],
                prune: vec![stored("/c/projects/-a")],
                tombstone: Some(RecordedTombstone {
                    before: false,
                    after: true,
                }),
                manifest: None,
                archive: None,
                generation: None,
                discard: false,
                vouched: false,
                undoes: None,
            })),
            line(LineBody::TurningBack {
                item: 0,
                arrived: Some(vec![
                    None,
                    Some(RecordedArrival {
                        device: 1,
                        inode: 3,
                        size: 700,
                        modified_seconds: 1_772_366_400,
                        modified_nanoseconds: 5,
                    }),
                ]),
            }),
            line(LineBody::Result(RecordedResult {
                item: 0,
                outcome: RecordedOutcome::RolledBack,
                detail: Some("no room".to_owned()),
                recovered: false,
            })),
            line(LineBody::Closed { pending: 0 }),
        ];
        let text: Vec<String> = lines.iter().map(|line| serde_json::to_string(line).unwrap()).collect();
        insta::assert_snapshot!(text.join("\n"));
        for (line, text) in lines.iter().zip(&text) {
            assert_eq!(serde_json::from_str::<Line>(text).unwrap(), *line);
        }
    }

    #[test]
    fn what_a_later_sexton_adds_is_passed_over() {
        let later =
            r#"{"journal_version":1,"at":"x","operation":"o","shift":1,"body":{"line":"closed","pending":0,"by":"n"}}"#;
        let read: Line = serde_json::from_str(later).unwrap();
        assert_eq!(read.body, LineBody::Closed { pending: 0 });
        let older = r#"{"journal_version":1,"at":"x","operation":"o","body":{"line":"turning-back","item":3}}"#;
        let read: Line = serde_json::from_str(older).unwrap();
        let arrived = None;
        assert_eq!(read.body, LineBody::TurningBack { item: 3, arrived });
        assert_eq!(serde_json::to_string(&read).unwrap(), older);
        let unknown = r#"{"journal_version":1,"at":"x","operation":"o","body":{"line":"moved-house","to":"y"}}"#;
        let read: Line = serde_json::from_str(unknown).unwrap();
        assert_eq!(read.body, LineBody::Unknown);
    }
}
