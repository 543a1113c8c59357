//! Files that were read: transcripts of sessions and of their subagents.

use std::collections::{BTreeSet, HashMap};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, params};
use sexton_claude::transcript::{TitleSource, TranscriptSummary};
use sexton_register::SessionId;
use sexton_sys::FileIdentity;
use sexton_yard::FloorStats;

use super::Catalogue;
use super::columns::{identity, numbers, path_of};
use crate::error::IndexError;
use crate::sum::Sum;

/// What a file is to its session. The numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FileRole {
    /// The session's own transcript.
    Transcript,
    /// The transcript of one of its subagents.
    Subagent,
}

impl FileRole {
    fn number(self) -> i64 {
        match self {
            Self::Transcript => 0,
            Self::Subagent => 1,
        }
    }

    pub(crate) fn from_number(number: i64) -> Self {
        if number == 0 { Self::Transcript } else { Self::Subagent }
    }
}

/// One file of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    /// Where it lies, or lay when it was there.
    pub path: PathBuf,
    /// What it is.
    pub role: FileRole,
    /// Whether the last pass found it.
    pub present: bool,
    /// Its identity when it was read.
    pub identity: FileIdentity,
}

/// A file as a pass compares it with what it finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) number: i64,
    pub(crate) session: SessionId,
    pub(crate) row: FileRow,
    /// How far it has been read, in bytes.
    pub(crate) offset: u64,
    /// The sum of its bytes up to there.
    pub(crate) sum: Sum,
    /// The sum of its first bytes and of those before `offset`.
    pub(crate) edges: u64,
    /// Whether it was read from the vault or an archive, not being where it should be.
    pub(crate) copied: bool,
}

/// How far a file has been read, and what was gathered on the way.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    pub(crate) identity: FileIdentity,
    pub(crate) offset: u64,
    pub(crate) sum: Sum,
    pub(crate) edges: u64,
    /// What reading goes on from.
    pub(crate) state: String,
    pub(crate) summary: TranscriptSummary,
    pub(crate) floor: FloorStats,
}

/// What is compared of every file in every pass, read without a copy of anything.
#[derive(Debug)]
pub(crate) struct StoredLook<'r> {
    /// The path's bytes.
    pub(crate) path: &'r [u8],
    pub(crate) present: bool,
    pub(crate) identity: FileIdentity,
    pub(crate) copied: bool,
}

impl Catalogue {
    /// The files that were read, but for those of which `is_settled` says at a glance that there is nothing to do.
    pub(crate) fn stored(&self, mut is_settled: impl FnMut(StoredLook<'_>) -> bool) -> Result<Vec<Stored>, IndexError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT number, path, present, device, inode, size, seconds, nanoseconds, copied FROM file",
        )?;
        let mut rows = statement.query([])?;
        let mut numbers: Vec<i64> = Vec::new();
        while let Some(row) = rows.next()? {
            let look = StoredLook {
                path: row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?,
                present: row.get(2)?,
                identity: identity(row, 3)?,
                copied: row.get(8)?,
            };
            if !is_settled(look) {
                numbers.push(row.get(0)?);
            }
        }
        let mut stored = Vec::with_capacity(numbers.len());
        for number in numbers {
            stored.extend(self.stored_file(number)?);
        }
        Ok(stored)
    }

    fn stored_file(&self, number: i64) -> Result<Option<Stored>, IndexError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT file.number, session.id, role, path, present, device, inode, size, seconds, nanoseconds, offset, sum, word, edges, copied
             FROM file JOIN session ON session.number = file.session WHERE file.number = ?1",
        )?;
        let mut rows = statement.query([number])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let Some(session) = SessionId::from_bytes(row.get_ref(1)?.as_bytes().unwrap_or_default()) else {
            return Ok(None);
        };
        Ok(Some(Stored {
            number: row.get(0)?,
            session,
            row: file_row(row)?,
            offset: row.get::<_, i64>(10)?.cast_unsigned(),
            sum: Sum::resume(
                row.get::<_, i64>(11)?.cast_unsigned(),
                row.get::<_, i64>(12)?.cast_unsigned(),
                row.get::<_, i64>(10)?.cast_unsigned(),
            ),
            edges: row.get::<_, i64>(13)?.cast_unsigned(),
            copied: row.get(14)?,
        }))
    }

    /// Every session of which a file is known.
    pub(crate) fn sessions_with_files(&self) -> Result<BTreeSet<SessionId>, IndexError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id FROM session WHERE EXISTS (SELECT 1 FROM file WHERE file.session = session.number)",
        )?;
        let mut rows = statement.query([])?;
        let mut sessions = BTreeSet::new();
        while let Some(row) = rows.next()? {
            sessions.extend(SessionId::from_bytes(row.get_ref(0)?.as_bytes().unwrap_or_default()));
        }
        Ok(sessions)
    }

    /// The state of a file's reading.
    pub(crate) fn state(&self, file: i64) -> Result<Option<String>, IndexError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT state FROM reading WHERE file = ?1")?;
        Ok(statement.query_row([file], |row| row.get(0)).optional()?)
    }

    /// The files of one session, transcripts first.
    pub fn files(&self, session: SessionId) -> Result<Vec<FileRow>, IndexError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT file.number, session.id, role, path, present, device, inode, size, seconds, nanoseconds
             FROM file JOIN session ON session.number = file.session WHERE session.id = ?1 ORDER BY role, present DESC, path",
        )?;
        let rows = statement.query_map([session.as_str()], file_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn file_row(row: &Row<'_>) -> rusqlite::Result<FileRow> {
    Ok(FileRow {
        role: FileRole::from_number(row.get(2)?),
        path: path_of(row.get_ref(3)?.as_blob()?),
        present: row.get(4)?,
        identity: identity(row, 5)?,
    })
}

/// The number of a session, made if need be.
pub(crate) fn session_number(
    connection: &Connection,
    known: &mut HashMap<SessionId, i64>,
    session: SessionId,
) -> rusqlite::Result<i64> {
    if let Some(number) = known.get(&session) {
        return Ok(*number);
    }
    connection
        .prepare_cached("INSERT OR IGNORE INTO session(id) VALUES (?1)")?
        .execute([session.as_str()])?;
    let number = connection
        .prepare_cached("SELECT number FROM session WHERE id = ?1")?
        .query_row([session.as_str()], |row| row.get(0))?;
    known.insert(session, number);
    Ok(number)
}

/// The number of the file at `path`, made if need be.
pub(crate) fn file_number(
    connection: &Connection,
    session: i64,
    role: FileRole,
    path: &Path,
    copied: bool,
) -> rusqlite::Result<i64> {
    let bytes = path.as_os_str().as_bytes();
    connection
        .prepare_cached(
            "INSERT INTO file(session, role, path, copied, present, device, inode, size, seconds, nanoseconds)
             VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, 0, 0, 0)
             ON CONFLICT (path) DO UPDATE SET session = ?1, role = ?2, copied = ?4, present = ?5",
        )?
        .execute(params![session, role.number(), bytes, copied, !copied])?;
    connection
        .prepare_cached("SELECT number FROM file WHERE path = ?1")?
        .query_row([bytes], |row| row.get(0))
}

/// Writes a file's checkpoint, and its session's activity.
pub(crate) fn write_checkpoint(
    connection: &Connection,
    session: i64,
    file: i64,
    to: &Checkpoint,
) -> rusqlite::Result<()> {
    let [device, inode, size, seconds, nanoseconds] = numbers(&to.identity);
    let summary = &to.summary;
    let counts = &summary.counts;
    let text = |path: Option<&Path>| path.map(|path| path.to_string_lossy().into_owned());
    let number = u64::cast_signed;
    connection
        .prepare_cached(
            "UPDATE file SET device=?2, inode=?3, size=?4, seconds=?5, nanoseconds=?6, offset=?7, sum=?8, word=?9, edges=?37,
             title=?10, title_source=?11, name=?12, directory=?13, first_directory=?14, branch=?15, model=?16, version=?17,
             first_ms=?18, last_ms=?19, lines=?20, user=?21, assistant=?22, human_prompts=?23, answers=?24, tool_calls=?25,
             problems=?26, input=?27, output=?28, cache_creation=?29, cache_read=?30, forked_from=?31, continued_in=?32, plan=?33,
             turns=?34, messages=?35, prose=?36 WHERE number=?1",
        )?
        .execute(params![
            file,
            device,
            inode,
            size,
            seconds,
            nanoseconds,
            number(to.offset),
            number(to.sum.parts().0),
            number(to.sum.parts().1),
            summary.title().map(|(title, _)| title),
            summary.title().map(|(_, source)| source_number(source)),
            summary.titles.name(),
            text(summary.directory()),
            text(summary.first_directory()),
            summary.branch(),
            summary.model(),
            summary.version(),
            summary.first_activity_ms,
            summary.last_activity_ms,
            number(counts.lines),
            number(counts.user),
            number(counts.assistant),
            number(counts.human_prompts),
            number(counts.answers),
            number(counts.tool_calls),
            number(counts.problems),
            number(summary.usage.input),
            number(summary.usage.output),
            number(summary.usage.cache_creation),
            number(summary.usage.cache_read),
            summary.forked_from.map(|id| id.to_string()),
            summary.continued_in.map(|id| id.to_string()),
            summary.plan,
            number(to.floor.substantive_human_turns),
            number(to.floor.total_messages),
            number(to.floor.assistant_prose_bytes),
            number(to.edges),
        ])?;
    connection
        .prepare_cached("INSERT OR REPLACE INTO reading(file, state) VALUES (?1, ?2)")?
        .execute(params![file, to.state])?;
    refresh_activity(connection, session)
}

/// Sets a session's activity from its files: what was said last, else when a file was last written.
pub(crate) fn refresh_activity(connection: &Connection, session: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE session SET last_ms = (SELECT coalesce(max(last_ms), max(seconds) * 1000) FROM file WHERE session = ?1)
             WHERE number = ?1",
        )?
        .execute([session])
        .map(|_| ())
}

pub(super) fn source_number(source: TitleSource) -> i64 {
    match source {
        TitleSource::Custom => 0,
        TitleSource::Ai => 1,
        TitleSource::Summary => 2,
        TitleSource::LastPrompt => 3,
        _ => 4,
    }
}

pub(super) fn source_from_number(number: i64) -> TitleSource {
    match number {
        0 => TitleSource::Custom,
        1 => TitleSource::Ai,
        2 => TitleSource::Summary,
        3 => TitleSource::LastPrompt,
        _ => TitleSource::FirstPrompt,
    }
}
