//! Whether the file itself is sound: SQLite's own look at its pages.

use rusqlite::ErrorCode;

use super::Catalogue;
use crate::error::IndexError;

/// What [`Catalogue::check`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Soundness {
    /// Every page was looked at, and all is well.
    Sound,
    /// The first thing that is wrong, in SQLite's words.
    Damaged(String),
    /// Nothing was wrong in as much as was allowed to be looked at.
    NotAllSeen,
}

impl Catalogue {
    /// Looks through the file's pages (`PRAGMA quick_check`), for at most about so many thousand rows and pages.
    pub fn check(&mut self, thousands: u32) -> Result<Soundness, IndexError> {
        let mut left = thousands;
        self.connection.progress_handler(
            1_000,
            Some(move || {
                left = left.saturating_sub(1);
                left == 0
            }),
        )?;
        let answer = self
            .connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
        self.connection.progress_handler(0, None::<fn() -> bool>)?;
        match answer {
            Ok(word) if word == "ok" => Ok(Soundness::Sound),
            Ok(what) => Ok(Soundness::Damaged(what)),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
                Ok(Soundness::NotAllSeen)
            }
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use sexton_sys::Effects;

    use super::*;

    #[test]
    fn it_stops_when_it_has_seen_enough() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("catalogue.sqlite");
        let mut catalogue = Catalogue::open(&path, &Effects::apply(), 0).unwrap();
        assert_eq!(catalogue.check(100).unwrap(), Soundness::Sound);
        catalogue
            .connection
            .execute_batch(
                "CREATE TABLE many (number INTEGER PRIMARY KEY, word TEXT);
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
                 INSERT INTO many SELECT i, 'word ' || i FROM n;",
            )
            .unwrap();
        assert_eq!(catalogue.check(1).unwrap(), Soundness::NotAllSeen);
        assert_eq!(catalogue.check(100_000).unwrap(), Soundness::Sound);
    }
}
