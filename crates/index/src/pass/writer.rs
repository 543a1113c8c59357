//! The one writer of a pass: units in, transactions out.
//!
//! A transaction holds whole units, each of their slices with the checkpoint after it, so that a pass killed anywhere leaves a catalogue
//! that knows exactly what is in it. It begins when enough has been gathered, so that others wait for no reading.

use std::collections::HashMap;

use rusqlite::{Connection, params};
use sexton_register::SessionId;

use super::decide::{Decisions, Job, Place};
use super::reading::{Slice, Unit};
use super::settled::unsettle;
use crate::catalogue::{Catalogue, file_number, refresh_activity, session_number, write_checkpoint};
use crate::engine::Engine;
use crate::error::IndexError;
use crate::spans;

/// So many bytes of words in memory make a transaction: of few large segments fewer are merged, and more work is lost with a kill.
const TRANSACTION: usize = 12 * 1024 * 1024;

/// Writes to an open catalogue; nothing is kept until [`Writer::commit`].
pub(super) struct Writer<'c> {
    connection: &'c Connection,
    sessions: HashMap<SessionId, i64>,
    next_message: i64,
    /// What the next transaction writes.
    gathered: Vec<Unit>,
    is_open: bool,
}

impl<'c> Writer<'c> {
    pub(super) fn new(catalogue: &'c Catalogue) -> Result<Self, IndexError> {
        let connection = &catalogue.connection;
        Ok(Self {
            connection,
            sessions: HashMap::new(),
            next_message: setting(connection, "next_message")?.unwrap_or(1),
            gathered: Vec::new(),
            is_open: false,
        })
    }

    /// Writes down what was decided without reading.
    pub(super) fn settle(&mut self, decisions: &Decisions) -> Result<(), IndexError> {
        use std::os::unix::ffi::OsStrExt;
        self.begin()?;
        let run = |sql: &str, numbers: &[i64]| {
            let mut statement = self.connection.prepare_cached(sql)?;
            numbers
                .iter()
                .try_for_each(|number| statement.execute([number]).map(|_| ()))
        };
        run("UPDATE file SET present = 0 WHERE number = ?1", &decisions.gone)?;
        run("UPDATE file SET present = 1 WHERE number = ?1", &decisions.back)?;
        for file in &decisions.dropped {
            self.forget_file(*file)?;
        }
        // Paths are unique, and files may have changed places: first out of the way, then to where they belong.
        for (file, _) in &decisions.moved {
            let aside = format!("\0{file}").into_bytes();
            self.connection
                .prepare_cached("UPDATE file SET path = ?2 WHERE number = ?1")?
                .execute(params![file, aside])?;
        }
        for (file, path) in &decisions.moved {
            self.connection
                .prepare_cached("UPDATE file SET path = ?2, present = 1 WHERE number = ?1")?
                .execute(params![file, path.as_os_str().as_bytes()])?;
        }
        Ok(())
    }

    /// Sets which sessions are hidden.
    pub(super) fn hide(&mut self, session: SessionId, hidden: bool) -> Result<(), IndexError> {
        self.begin()?;
        self.connection
            .prepare_cached("UPDATE session SET hidden = ?2 WHERE id = ?1")?
            .execute(params![session.as_str(), hidden])?;
        Ok(())
    }

    /// Takes in one unit, of slices of `jobs`; commits when there is enough.
    pub(super) fn take(&mut self, unit: Unit, jobs: &[Job]) -> Result<(), IndexError> {
        self.gathered.push(unit);
        let memory: usize = self.gathered.iter().map(|unit| unit.inverted.memory()).sum();
        if memory >= TRANSACTION {
            self.write(jobs)?;
            self.commit()?;
        }
        Ok(())
    }

    /// Writes what was gathered, of slices of `jobs`, into the open transaction.
    pub(super) fn write(&mut self, jobs: &[Job]) -> Result<(), IndexError> {
        let units = std::mem::take(&mut self.gathered);
        if units.iter().all(|unit| unit.slices.is_empty()) {
            return Ok(());
        }
        self.begin()?;
        let first = self.next_message;
        for slice in units.iter().flat_map(|unit| &unit.slices) {
            self.write_slice(slice, &jobs[slice.job])?;
        }
        let inverted: Vec<_> = units.iter().map(|unit| &unit.inverted).collect();
        Engine::new(self.connection).append(first, &inverted)?;
        Ok(())
    }

    fn write_slice(&mut self, slice: &Slice, job: &Job) -> Result<(), IndexError> {
        let connection = self.connection;
        let session = session_number(connection, &mut self.sessions, job.seen.session)?;
        let file = file_number(
            connection,
            session,
            job.seen.role,
            &job.seen.path,
            job.from != Place::Projects,
        )?;
        if slice.afresh {
            forget_messages(connection, file)?;
        }
        self.next_message = spans::insert(connection, file, &slice.spans, self.next_message)?;
        Ok(write_checkpoint(connection, session, file, &slice.checkpoint)?)
    }

    fn forget_file(&self, file: i64) -> rusqlite::Result<()> {
        forget_file(self.connection, file)
    }

    fn begin(&mut self) -> rusqlite::Result<()> {
        if !self.is_open {
            self.connection.execute_batch("BEGIN IMMEDIATE")?;
            self.is_open = true;
            unsettle(self.connection)?;
        }
        Ok(())
    }

    /// Makes what was taken in so far last.
    pub(super) fn commit(&mut self) -> Result<(), IndexError> {
        if self.is_open {
            set_setting(self.connection, "next_message", self.next_message)?;
            self.connection.execute_batch("COMMIT")?;
            self.is_open = false;
        }
        Ok(())
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if self.is_open {
            // What fails here fails at the next use of the connection, too.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

/// Removes everything that was read of a file.
pub(crate) fn forget_file(connection: &Connection, file: i64) -> rusqlite::Result<()> {
    unsettle(connection)?;
    forget_messages(connection, file)?;
    let session: i64 = connection
        .prepare_cached("SELECT session FROM file WHERE number = ?1")?
        .query_row([file], |row| row.get(0))?;
    connection
        .prepare_cached("DELETE FROM reading WHERE file = ?1")?
        .execute([file])?;
    connection
        .prepare_cached("DELETE FROM file WHERE number = ?1")?
        .execute([file])?;
    refresh_activity(connection, session)
}

fn forget_messages(connection: &Connection, file: i64) -> rusqlite::Result<()> {
    let engine = Engine::new(connection);
    for messages in spans::remove(connection, file)?.iter() {
        engine.remove(messages)?;
    }
    Ok(())
}

pub(super) fn setting(connection: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
    use rusqlite::OptionalExtension;
    connection
        .prepare_cached("SELECT value FROM setting WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()
}

pub(super) fn set_setting(connection: &Connection, name: &str, value: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO setting(name, value) VALUES (?1, ?2)")?
        .execute(params![name, value])
        .map(|_| ())
}
