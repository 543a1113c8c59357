//! Names alone, of sessions that somebody asks for.

use std::io;
use std::path::Path;

use bytes::Bytes;
use sexton_sys::listing::OpenDirectory;

use super::again::{Kept, Store};
use crate::kept::KeptEntry;
use crate::{LifecycleError, SessionId, Text, kept};

/// The recorded names of some sessions.
#[derive(Debug, Default)]
pub struct RecordedNames {
    /// Of each session that has one, by session.
    pub names: Vec<(SessionId, Text)>,
    /// What is wrong with the file of which of these sessions; names that stand in its good lines are told all the same.
    pub problems: Vec<(SessionId, LifecycleError)>,
    /// What to keep in place of what was kept, where so much has changed that it pays.
    pub keep: Option<Vec<u8>>,
}

/// What the last [`RecordedNames::keep`] was; it may be damaged, of another version, of another store, or empty: what it doesn't tell is read.
#[derive(Debug, Clone, Default)]
pub struct KeptNames(Bytes);

impl From<Vec<u8>> for KeptNames {
    fn from(kept: Vec<u8>) -> Self {
        Self(kept.into())
    }
}

impl KeptNames {
    /// The sessions of which it tells, by session: what [`names_again`] can be asked for before it is known what is wanted.
    #[must_use]
    pub fn sessions(&self) -> Vec<SessionId> {
        let entries = KeptEntry::all(&self.0, kept::NAMES);
        entries.iter().map(|entry| entry.session).collect()
    }
}

/// The names that the files in `directory` say `sessions` had last. No other file is looked at, which is what takes long in a store of a
/// hundred thousand.
///
/// Files that look as they did when `kept` was made of them are not opened. `now_ms` is the time, in milliseconds since the Unix epoch. An
/// absent directory has no names.
pub fn names_again(
    directory: &Path,
    sessions: impl IntoIterator<Item = SessionId>,
    kept: KeptNames,
    now_ms: i64,
) -> Result<RecordedNames, LifecycleError> {
    let open = match OpenDirectory::open(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(RecordedNames::default()),
        other => other.map_err(LifecycleError::read(directory))?,
    };
    let mut sessions: Vec<SessionId> = sessions.into_iter().collect();
    sessions.sort_unstable();
    sessions.dedup();
    let store = Store {
        directory,
        open: Some(&open),
        now_ms,
    };
    let kept = Kept {
        bytes: kept.0,
        header: kept::NAMES,
        recall: |entry, stamp| entry.name(stamp),
    };
    let (read, keep) = store.read_again(&sessions, &kept, |summary| summary.name.map(|event| event.kind.name));
    let mut names = RecordedNames {
        keep,
        ..RecordedNames::default()
    };
    for (session, read) in sessions.into_iter().zip(read) {
        names.names.extend(read.value.flatten().map(|name| (session, name)));
        names
            .problems
            .extend(read.problems.into_iter().map(|problem| (session, problem)));
    }
    Ok(names)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test arranges files directly")]
mod tests {
    use std::fs;

    use super::*;
    use crate::session_file;

    /// The year 2100: what is written now was left alone for long by then, so that it is kept.
    const LATER_MS: i64 = 4_102_444_800_000;

    fn id(number: u128) -> SessionId {
        SessionId::from_u128(number)
    }

    fn line(session: SessionId, kind: &str) -> String {
        format!(
            r#"{{"format_version":1,"id":"e","at":"2026-01-02T03:04:05.006Z","session":"{session}","source":"user",{kind}}}"#
        ) + "\n"
    }

    fn named(session: SessionId, name: &str) -> String {
        line(
            session,
            &format!(r#""kind":"named","name":"{name}","name_source":null"#),
        )
    }

    fn marked(session: SessionId) -> String {
        line(session, r#""kind":"mark","state":"done","note":null"#)
    }

    fn told(names: &RecordedNames) -> Vec<(SessionId, &str)> {
        names.names.iter().map(|(session, name)| (*session, &**name)).collect()
    }

    #[test]
    fn of_those_that_are_asked_for_and_have_one() {
        let directory = tempfile::tempdir().unwrap();
        let write = |session, text: &str| fs::write(session_file(directory.path(), session), text).unwrap();
        for number in 1..=20 {
            write(id(number), &marked(id(number)));
        }
        write(id(3), &(named(id(3), "old") + &named(id(3), "three")));
        write(id(4), &named(id(4), "nobody asks"));
        write(id(5), &(named(id(5), "five") + "damage\n"));
        let asked = || [5, 3, 3, 1, 99].into_iter().chain(6..=20).map(id);

        let first = names_again(directory.path(), asked(), KeptNames::default(), LATER_MS).unwrap();
        assert_eq!(told(&first), [(id(3), "three"), (id(5), "five")]);
        assert_eq!(first.problems.len(), 1, "{:?}", first.problems);
        let kept = first.keep.unwrap();
        // The damaged one and those that aren't there are asked for each time.
        let of: Vec<SessionId> = [1, 3].into_iter().chain(6..=20).map(id).collect();
        assert_eq!(KeptNames::from(kept.clone()).sessions(), of);

        // What looks as it did is not opened again; what was changed is, and what was damaged is told again.
        write(id(6), &named(id(6), "six"));
        write(id(3), &named(id(3), "new"));
        let again = names_again(directory.path(), asked(), kept.clone().into(), LATER_MS).unwrap();
        assert_eq!(told(&again), [(id(3), "new"), (id(5), "five"), (id(6), "six")]);
        assert_eq!(again.problems.len(), 1);
        assert!(again.keep.is_none(), "too few changes to write it anew");

        // A file that can't be opened any more shows that it is not opened.
        fs::remove_file(session_file(directory.path(), id(3))).unwrap();
        let gone = names_again(directory.path(), asked(), kept.clone().into(), LATER_MS).unwrap();
        assert_eq!(told(&gone), [(id(5), "five"), (id(6), "six")]);
        for damaged in [kept[..40].to_vec(), b"sexton register summaries 1\n".to_vec()] {
            let told_again = names_again(directory.path(), asked(), damaged.into(), LATER_MS).unwrap();
            assert_eq!(told(&told_again), told(&gone));
        }
        let absent = names_again(&directory.path().join("absent"), asked(), kept.into(), LATER_MS).unwrap();
        assert!(absent.names.is_empty() && absent.problems.is_empty() && absent.keep.is_none());
    }
}
