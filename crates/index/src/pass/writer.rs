//! The one writer of a pass: batches in, transactions out.
//!
//! A transaction holds whole batches, each with the checkpoint after it, so that a pass killed anywhere leaves a catalogue that knows
//! exactly what is in it.

use std::collections::HashMap;

use rusqlite::{Connection, params};
use sexton_register::SessionId;

use super::decide::{Decisions, Job};
use super::reading::Batch;
use crate::catalogue::{Catalogue, file_number, refresh_activity, session_number, write_checkpoint};
use crate::engine::{Engine, Fts5, Mark};
use crate::error::IndexError;

/// So many bytes of tokens make a transaction: fewer commits are faster, and more work is lost with a kill.
const TRANSACTION: usize = 32 * 1024 * 1024;

/// Postings that FTS5 gathers in memory while a pass writes, in bytes. Its own 1 MiB makes twice as many segments to merge.
const POSTINGS: u32 = 16 * 1024 * 1024;

/// Writes to an open catalogue; nothing is kept until [`Writer::commit`].
pub(super) struct Writer<'c> {
    connection: &'c Connection,
    sessions: HashMap<SessionId, i64>,
    /// Session and file number of each job that has sent a batch.
    jobs: HashMap<usize, (i64, i64)>,
    next_message: i64,
    pending: usize,
    is_open: bool,
    line: String,
}

impl<'c> Writer<'c> {
    pub(super) fn new(catalogue: &'c Catalogue) -> Result<Self, IndexError> {
        let connection = &catalogue.connection;
        Fts5::new(connection).set_memory(POSTINGS)?;
        Ok(Self {
            connection,
            sessions: HashMap::new(),
            jobs: HashMap::new(),
            next_message: setting(connection, "next_message")?.unwrap_or(1),
            pending: 0,
            is_open: false,
            line: String::new(),
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

    /// Takes in one batch; commits when there is enough.
    pub(super) fn take(&mut self, batch: &Batch, job: &Job) -> Result<(), IndexError> {
        self.begin()?;
        let (session, file) = if let Some(numbers) = self.jobs.get(&batch.job) {
            *numbers
        } else {
            let session = session_number(self.connection, &mut self.sessions, job.seen.session)?;
            let file = file_number(self.connection, session, job.seen.role, &job.seen.path, job.copied)?;
            self.jobs.insert(batch.job, (session, file));
            (session, file)
        };
        if batch.afresh {
            forget_messages(self.connection, file)?;
        }
        self.add_messages(batch, session, file)?;
        write_checkpoint(self.connection, session, file, &batch.checkpoint)?;
        self.pending += batch.tokens.len();
        if self.pending >= TRANSACTION {
            self.commit()?;
        }
        Ok(())
    }

    fn add_messages(&mut self, batch: &Batch, session: i64, file: i64) -> Result<(), IndexError> {
        let first = self.next_message;
        let mut engine = Fts5::new(self.connection);
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO message(number, file, line, offset, part, kind, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        let mark = Mark::Session(session).token();
        let mut start = 0;
        for message in &batch.messages {
            let number = self.next_message;
            self.next_message += 1;
            insert.execute(params![
                number,
                file,
                message.line.cast_signed(),
                message.offset.cast_signed(),
                message.part,
                message.kind.number(),
                message.at_ms
            ])?;
            self.line.clear();
            self.line.push_str(&mark);
            self.line.push(' ');
            self.line.push_str(&batch.tokens[start..message.tokens_end]);
            start = message.tokens_end;
            engine.add(number, &self.line)?;
        }
        if first < self.next_message {
            self.connection
                .prepare_cached("INSERT INTO span(file, first, last) VALUES (?1, ?2, ?3)")?
                .execute([file, first, self.next_message - 1])?;
        }
        Ok(())
    }

    fn forget_file(&self, file: i64) -> rusqlite::Result<()> {
        forget_file(self.connection, file)
    }

    fn begin(&mut self) -> rusqlite::Result<()> {
        if !self.is_open {
            self.connection.execute_batch("BEGIN IMMEDIATE")?;
            self.is_open = true;
        }
        Ok(())
    }

    /// Makes what was taken in so far last.
    pub(super) fn commit(&mut self) -> Result<(), IndexError> {
        if self.is_open {
            set_setting(self.connection, "next_message", self.next_message)?;
            self.connection.execute_batch("COMMIT")?;
            self.is_open = false;
            self.pending = 0;
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
    let mut statement = connection.prepare_cached("SELECT first, last FROM span WHERE file = ?1")?;
    let spans: Vec<(i64, i64)> = statement
        .query_map([file], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let mut engine = Fts5::new(connection);
    for (first, last) in spans {
        for number in first..=last {
            engine.remove(number)?;
        }
        connection
            .prepare_cached("DELETE FROM message WHERE number BETWEEN ?1 AND ?2")?
            .execute([first, last])?;
    }
    connection
        .prepare_cached("DELETE FROM span WHERE file = ?1")?
        .execute([file])?;
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
