//! Reading the whole journal: for recovery after an interruption, and for undo.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};

use serde::Deserialize;
use sexton_sys::read;

use super::{
    Intent, JOURNAL_VERSION, Journal, JournalError, Line, LineBody, OperationId, OperationKind, RecordedArrival,
    RecordedOutcome, RecordedResult,
};

/// A line longer than this is none of ours.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// Every operation that the journal tells of, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// The operations in the order of their first lines.
    pub operations: Vec<Operation>,
    /// The numbers, from 1, of lines that are no journal lines: cut short by a kill, or damaged.
    pub damaged: Vec<u64>,
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its name.
    pub id: OperationId,
    /// When it began, in milliseconds since the Unix epoch.
    pub at_ms: Option<i64>,
    /// What became of its items, by their number.
    pub items: BTreeMap<u64, RecordedItem>,
}

/// One item of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedItem {
    /// What was to be done.
    pub intent: Intent,
    /// Whether it was on its way back.
    pub turned_back: bool,
    /// What had arrived by then, as [`LineBody::TurningBack`] says it.
    pub arrived: Option<Vec<Option<RecordedArrival>>>,
    /// What came of it; `None` if it was interrupted and is not settled.
    pub result: Option<RecordedResult>,
}

impl Operation {
    /// What it did; an operation does one thing, and may tidy beside it.
    #[must_use]
    pub fn kind(&self) -> Option<OperationKind> {
        let mut kinds = self.items.values().map(|item| item.intent.kind);
        let main = kinds.clone().find(|kind| *kind != OperationKind::Tidy);
        main.or_else(|| kinds.next())
    }

    /// The operation that this one undid.
    #[must_use]
    pub fn undoes(&self) -> Option<&OperationId> {
        self.items.values().find_map(|item| item.intent.undoes.as_ref())
    }

    /// The items that are where the operation was to bring them.
    pub fn done(&self) -> impl Iterator<Item = &RecordedItem> {
        self.items.values().filter(|item| item.is_done())
    }
}

impl RecordedItem {
    /// Whether it is where it was going.
    #[must_use]
    pub fn is_done(&self) -> bool {
        let outcome = self.result.as_ref().map(|result| result.outcome);
        outcome == Some(RecordedOutcome::Done)
    }
}

impl History {
    /// The intents without a result.
    pub fn open(&self) -> impl Iterator<Item = (&OperationId, &RecordedItem)> {
        self.operations.iter().flat_map(|operation| {
            let open = operation.items.values().filter(|item| item.result.is_none());
            open.map(|item| (&operation.id, item))
        })
    }

    fn add(&mut self, line: Line, places: &mut BTreeMap<OperationId, usize>) {
        let place = places.get(&line.operation).copied();
        match (line.body, place) {
            (LineBody::Intent(intent), place) => {
                let place = place.unwrap_or(self.operations.len());
                if place == self.operations.len() {
                    places.insert(line.operation.clone(), place);
                    self.operations.push(Operation {
                        id: line.operation,
                        at_ms: super::timestamp_ms(&line.at),
                        items: BTreeMap::new(),
                    });
                }
                let item = RecordedItem {
                    intent,
                    turned_back: false,
                    arrived: None,
                    result: None,
                };
                self.operations[place].items.insert(item.intent.item, item);
            }
            (LineBody::TurningBack { item, arrived }, Some(place)) => {
                if let Some(item) = self.operations[place].items.get_mut(&item) {
                    item.turned_back = true;
                    item.arrived = arrived;
                }
            }
            (LineBody::Result(result), Some(place)) => {
                if let Some(item) = self.operations[place].items.get_mut(&result.item) {
                    item.result = Some(result);
                }
            }
            // A result whose intent is damaged says nothing that could be acted on.
            _ => {}
        }
    }
}

impl Journal {
    /// Reads every line; an absent journal is an empty history, a line of a newer version an error.
    pub fn read(&self) -> Result<History, JournalError> {
        let file = match read::open_regular(&self.path) {
            Ok((file, _)) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(History::default()),
            Err(error) => return Err(self.unreadable(error)),
        };
        let mut reader = BufReader::with_capacity(256 * 1024, file);
        let mut history = History::default();
        let mut places = BTreeMap::new();
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            let mut limited = (&mut reader).take(LONGEST_LINE);
            let got = limited.read_until(b'\n', &mut bytes);
            if got.map_err(|error| self.unreadable(error))? == 0 {
                break;
            }
            match parse(bytes.trim_ascii()) {
                Parsed::Line(line) => history.add(*line, &mut places),
                Parsed::Blank => {}
                Parsed::Damaged => history.damaged.push(number),
                Parsed::Newer(version) => {
                    return Err(JournalError::Newer {
                        path: self.path.clone(),
                        version,
                    });
                }
            }
        }
        Ok(history)
    }
}

pub(super) enum Parsed {
    Line(Box<Line>),
    Blank,
    Damaged,
    Newer(u64),
}

pub(super) fn parse(line: &[u8]) -> Parsed {
    #[derive(Deserialize)]
    struct Version {
        journal_version: u64,
    }
    if line.is_empty() {
        return Parsed::Blank;
    }
    // Only a line that ours can't read is looked at twice.
    match serde_json::from_slice::<Line>(line) {
        Ok(line) if line.journal_version == JOURNAL_VERSION => Parsed::Line(Box::new(line)),
        Ok(line) => Parsed::Newer(line.journal_version),
        Err(_) => match serde_json::from_slice::<Version>(line) {
            Ok(Version { journal_version }) if journal_version > JOURNAL_VERSION => Parsed::Newer(journal_version),
            _ => Parsed::Damaged,
        },
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test arranges files directly")]
mod tests {
    use super::super::Tail;
    use super::*;

    const INTENT: &str = r#"{"journal_version":1,"at":"2026-03-01T12:00:00.000Z","operation":"o","body":{"line":"intent","item":0,"kind":"archive","id":"x","moves":[],"tombstone":null,"manifest":null,"discard":false,"vouched":false,"undoes":null}}"#;
    const RESULT: &str = r#"{"journal_version":1,"at":"x","operation":"o","body":{"line":"result","item":0,"outcome":"done","detail":null,"recovered":false}}"#;
    const CLOSED: &str = r#"{"journal_version":1,"at":"x","operation":"o","body":{"line":"closed","pending":0}}"#;
    const NEWER: &str = r#"{"journal_version":2,"what":"else"}"#;

    fn journal(content: &str) -> (tempfile::TempDir, Journal) {
        let directory = tempfile::tempdir().unwrap();
        let journal = Journal::below(directory.path());
        std::fs::write(journal.path(), content).unwrap();
        (directory, journal)
    }

    #[test]
    fn an_intent_is_open_until_its_result() {
        let (_directory, open) = journal(&format!("{INTENT}\n"));
        assert_eq!(open.tail().unwrap(), Tail::Open);
        assert_eq!(open.read().unwrap().open().count(), 1);

        let (_directory, settled) = journal(&format!("{INTENT}\n{RESULT}\n{CLOSED}\n"));
        assert_eq!(settled.tail().unwrap(), Tail::Settled);
        let history = settled.read().unwrap();
        assert_eq!(history.open().count(), 0);
        assert_eq!(history.operations[0].kind(), Some(OperationKind::Archive));
        assert_eq!(history.operations[0].done().count(), 1);
    }

    #[test]
    fn a_torn_last_line_is_passed_over_and_the_rest_counts() {
        let (_directory, torn) = journal(&format!("{INTENT}\n{}", &RESULT[..RESULT.len() - 9]));
        assert_eq!(torn.tail().unwrap(), Tail::Open);
        let history = torn.read().unwrap();
        assert_eq!((history.open().count(), history.damaged), (1, vec![2]));
    }

    #[test]
    fn nothing_is_settled() {
        let directory = tempfile::tempdir().unwrap();
        let journal = Journal::below(&directory.path().join("absent"));
        assert_eq!(journal.tail().unwrap(), Tail::Settled);
        assert_eq!(journal.read().unwrap(), History::default());
    }

    #[test]
    fn a_newer_journal_is_not_touched() {
        let (_directory, newer) = journal(&format!("{INTENT}\n{NEWER}\n"));
        assert!(matches!(newer.tail(), Err(JournalError::Newer { version: 2, .. })));
        assert!(matches!(newer.read(), Err(JournalError::Newer { version: 2, .. })));
    }
}
