//! Sessions as the catalogue knows them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rusqlite::Row;
use sexton_claude::transcript::{TitleSource, Usage};
use sexton_register::SessionId;
use sexton_yard::FloorStats;

use super::columns::{identity, path_of};
use super::files::{FileRole, source_from_number};
use super::{Catalogue, FileRow};
use crate::error::IndexError;

/// What a session's transcript says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields as in `sexton_claude::transcript::TranscriptSummary`")]
pub struct Summary {
    pub title: Option<String>,
    pub title_source: Option<TitleSource>,
    pub name: Option<String>,
    pub directory: Option<PathBuf>,
    pub first_directory: Option<PathBuf>,
    pub branch: Option<String>,
    pub model: Option<String>,
    pub version: Option<String>,
    pub first_activity_ms: Option<i64>,
    pub last_activity_ms: Option<i64>,
    pub lines: u64,
    pub user: u64,
    pub assistant: u64,
    pub human_prompts: u64,
    pub answers: u64,
    pub tool_calls: u64,
    pub problems: u64,
    pub usage: Usage,
    pub forked_from: Option<SessionId>,
    pub continued_in: Option<SessionId>,
    pub plan: Option<String>,
    /// What the routine floor was measured from.
    pub floor: FloorStats,
}

/// A session of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueSession {
    /// Its id.
    pub session: SessionId,
    /// Its transcripts; several if copies lie in several project directories. The first is the one that `summary` is of.
    pub transcripts: Vec<FileRow>,
    /// What the first transcript says: of several, the one with the latest conversation.
    pub summary: Summary,
    /// Whether a tombstone hides it, as far as the last pass knew.
    pub hidden: bool,
}

impl CatalogueSession {
    /// Whether any transcript was there in the last pass.
    #[must_use]
    pub fn is_present(&self) -> bool {
        self.transcripts.iter().any(|file| file.present)
    }

    /// Whether no user or assistant record was found: bookkeeping that is left of a session, or not begun.
    #[must_use]
    pub fn is_stub(&self) -> bool {
        self.summary.user + self.summary.assistant == 0
    }

    /// Whether the routine floor takes it for routine; a person's own verdict stands in [`crate::facts::Facts`].
    #[must_use]
    pub fn is_routine(&self) -> bool {
        self.summary.floor.is_routine()
    }
}

impl Catalogue {
    /// Every session, by id, hidden ones included.
    pub fn sessions(&self) -> Result<Vec<CatalogueSession>, IndexError> {
        self.select_sessions("", [])
    }

    /// The sessions of which no transcript was there in the last pass, by id, hidden ones included.
    pub fn absent_sessions(&self) -> Result<Vec<CatalogueSession>, IndexError> {
        let missing = "AND session.number IN (SELECT session FROM file WHERE present = 0)";
        let mut sessions = self.select_sessions(missing, [])?;
        sessions.retain(|session| !session.is_present());
        Ok(sessions)
    }

    /// One session.
    pub fn session(&self, session: SessionId) -> Result<Option<CatalogueSession>, IndexError> {
        Ok(self.select_sessions("AND session.id = ?1", [session.as_str()])?.pop())
    }

    fn select_sessions(
        &self,
        condition: &str,
        parameters: impl rusqlite::Params,
    ) -> Result<Vec<CatalogueSession>, IndexError> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT session.id, session.hidden, path, present, device, inode, size, seconds, nanoseconds,
             title, title_source, name, directory, first_directory, branch, model, version, first_ms, file.last_ms,
             lines, user, assistant, human_prompts, answers, tool_calls, problems, input, output, cache_creation, cache_read,
             forked_from, continued_in, plan, turns, messages, prose
             FROM file JOIN session ON session.number = file.session WHERE role = 0 {condition}"
        ))?;
        let mut rows = statement.query(parameters)?;
        let mut sessions: BTreeMap<SessionId, CatalogueSession> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let Some(session) = SessionId::from_bytes(row.get_ref(0)?.as_bytes().unwrap_or_default()) else {
                continue;
            };
            let file = FileRow {
                role: FileRole::Transcript,
                path: path_of(row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?),
                present: row.get(3)?,
                identity: identity(row, 4)?,
            };
            let summary = summary(row)?;
            match sessions.entry(session) {
                std::collections::btree_map::Entry::Vacant(place) => {
                    place.insert(CatalogueSession {
                        session,
                        transcripts: vec![file],
                        summary,
                        hidden: row.get(1)?,
                    });
                }
                std::collections::btree_map::Entry::Occupied(mut place) => place.get_mut().add(file, summary),
            }
        }
        Ok(sessions.into_values().collect())
    }
}

impl CatalogueSession {
    fn add(&mut self, file: FileRow, summary: Summary) {
        let rank = |file: &FileRow, summary: &Summary| {
            let said = summary.user + summary.assistant > 0;
            (
                file.present,
                said,
                summary.last_activity_ms,
                file.identity.size,
                std::cmp::Reverse(file.path.clone()),
            )
        };
        if rank(&file, &summary) > rank(&self.transcripts[0], &self.summary) {
            self.transcripts.insert(0, file);
            self.summary = summary;
        } else {
            self.transcripts.push(file);
        }
    }
}

fn summary(row: &Row<'_>) -> rusqlite::Result<Summary> {
    let count = |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.unwrap_or(0).cast_unsigned());
    let path = |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<String>>(column)?.map(PathBuf::from));
    let id = |column| {
        let text: Option<String> = row.get(column)?;
        Ok::<_, rusqlite::Error>(text.and_then(|text| SessionId::parse(&text).ok()))
    };
    Ok(Summary {
        title: row.get(9)?,
        title_source: row.get::<_, Option<i64>>(10)?.map(source_from_number),
        name: row.get(11)?,
        directory: path(12)?,
        first_directory: path(13)?,
        branch: row.get(14)?,
        model: row.get(15)?,
        version: row.get(16)?,
        first_activity_ms: row.get(17)?,
        last_activity_ms: row.get(18)?,
        lines: count(19)?,
        user: count(20)?,
        assistant: count(21)?,
        human_prompts: count(22)?,
        answers: count(23)?,
        tool_calls: count(24)?,
        problems: count(25)?,
        usage: Usage {
            input: count(26)?,
            output: count(27)?,
            cache_creation: count(28)?,
            cache_read: count(29)?,
        },
        forked_from: id(30)?,
        continued_in: id(31)?,
        plan: row.get(32)?,
        floor: FloorStats {
            substantive_human_turns: count(33)?,
            total_messages: count(34)?,
            assistant_prose_bytes: count(35)?,
        },
    })
}
