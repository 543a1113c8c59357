//! Which sessions a search is about.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rusqlite::{OptionalExtension, Row};
use sexton_register::SessionId;
use sexton_yard::FloorStats;

use super::SearchContext;
use crate::catalogue::{Catalogue, FileRole, path_of};
use crate::error::IndexError;
use crate::query::{Filter, SearchRequest};

/// A session as hits need it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SessionFacts {
    pub(super) number: i64,
    pub(super) id: SessionId,
    pub(super) last_ms: Option<i64>,
    pub(super) title: Option<String>,
    pub(super) directory: Option<PathBuf>,
    pub(super) is_routine: bool,
}

/// A file as hits need it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FileFacts {
    pub(super) session: i64,
    pub(super) path: PathBuf,
    pub(super) role: FileRole,
    pub(super) agent: Option<String>,
}

impl FileFacts {
    pub(super) fn new(session: i64, path: PathBuf, role: FileRole) -> Self {
        Self {
            session,
            agent: agent_of(&path, role),
            path,
            role,
        }
    }
}

/// The subagent whose transcript lies at `path`, by the file's name.
pub(crate) fn agent_of(path: &Path, role: FileRole) -> Option<String> {
    let name = || path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    (role == FileRole::Subagent).then(name).flatten()
}

/// The sessions that may be shown.
pub(super) struct Scope<'s> {
    catalogue: &'s Catalogue,
    context: SearchContext<'s>,
    /// Sessions that the filter lets through by number, with their activity; `None` if it lets all through.
    pub(super) allowed: Option<BTreeMap<i64, Option<i64>>>,
    sessions: RefCell<HashMap<i64, Option<Rc<SessionFacts>>>>,
    files: RefCell<HashMap<i64, Option<Rc<FileFacts>>>>,
}

impl<'s> Scope<'s> {
    pub(super) fn of(
        catalogue: &'s Catalogue,
        context: SearchContext<'s>,
        request: &SearchRequest,
    ) -> Result<Self, IndexError> {
        let allowed = if narrows(&request.filter) {
            Some(allowed(catalogue, &request.filter)?)
        } else {
            None
        };
        Ok(Self {
            catalogue,
            context,
            allowed,
            sessions: RefCell::default(),
            files: RefCell::default(),
        })
    }

    /// The session with this number, if it may be shown.
    pub(super) fn session(&self, number: i64) -> Result<Option<Rc<SessionFacts>>, IndexError> {
        if let Some(known) = self.sessions.borrow().get(&number) {
            return Ok(known.clone());
        }
        let facts = if self
            .allowed
            .as_ref()
            .is_some_and(|allowed| !allowed.contains_key(&number))
        {
            None
        } else {
            self.load(number)?.map(Rc::new)
        };
        self.sessions.borrow_mut().insert(number, facts.clone());
        Ok(facts)
    }

    fn load(&self, number: i64) -> Result<Option<SessionFacts>, IndexError> {
        let mut statement = self.catalogue.connection.prepare_cached(
            "SELECT session.id, session.last_ms, title, directory, turns, messages, prose FROM session
             LEFT JOIN file ON file.session = session.number AND role = 0
             WHERE session.number = ?1 ORDER BY present DESC, file.last_ms DESC, size DESC LIMIT 1",
        )?;
        let count = |row: &Row<'_>, column| {
            row.get::<_, Option<i64>>(column)
                .map(|count| count.unwrap_or(0).cast_unsigned())
        };
        let facts = statement
            .query_row([number], |row| {
                let id: String = row.get(0)?;
                let floor = FloorStats {
                    substantive_human_turns: count(row, 4)?,
                    total_messages: count(row, 5)?,
                    assistant_prose_bytes: count(row, 6)?,
                };
                let (last_ms, title) = (row.get(1)?, row.get(2)?);
                let directory = row.get::<_, Option<String>>(3)?.map(PathBuf::from);
                Ok(SessionId::parse(&id).ok().map(|id| SessionFacts {
                    number,
                    id,
                    last_ms,
                    title,
                    directory,
                    is_routine: floor.is_routine(),
                }))
            })
            .optional()?;
        let Some(mut facts) = facts.flatten() else {
            return Ok(None);
        };
        // The file decides, not the flag in the catalogue: a tombstone holds from the moment it is written.
        if self.context.tombstones.contains(facts.id.as_str()) {
            return Ok(None);
        }
        if let Some(verdict) = self.context.facts.routine.get(&facts.id) {
            facts.is_routine = *verdict;
        }
        Ok(Some(facts))
    }

    pub(super) fn file(&self, number: i64) -> Result<Option<Rc<FileFacts>>, IndexError> {
        if let Some(known) = self.files.borrow().get(&number) {
            return Ok(known.clone());
        }
        let mut statement = self
            .catalogue
            .connection
            .prepare_cached("SELECT session, path, role FROM file WHERE number = ?1")?;
        let facts = statement
            .query_row([number], |row| {
                let path = path_of(&row.get::<_, Vec<u8>>(1)?);
                Ok(Rc::new(FileFacts::new(
                    row.get(0)?,
                    path,
                    FileRole::from_number(row.get(2)?),
                )))
            })
            .optional()?;
        self.files.borrow_mut().insert(number, facts.clone());
        Ok(facts)
    }

    /// Numbers of the sessions in question, by activity, newest first.
    pub(super) fn by_activity(&self) -> Result<Vec<(i64, Option<i64>)>, IndexError> {
        let mut sessions: Vec<(i64, Option<i64>)> = if let Some(allowed) = &self.allowed {
            allowed.iter().map(|(number, last)| (*number, *last)).collect()
        } else {
            let mut statement = self
                .catalogue
                .connection
                .prepare_cached("SELECT number, last_ms FROM session")?;
            statement
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<Result<_, _>>()?
        };
        sessions.sort_unstable_by_key(|(number, last)| std::cmp::Reverse((*last, *number)));
        Ok(sessions)
    }
}

/// Whether the filter keeps whole sessions out.
fn narrows(filter: &Filter) -> bool {
    filter.project.is_some() || filter.cwd.is_some() || filter.since_ms.is_some() || filter.sessions.is_some()
}

fn allowed(catalogue: &Catalogue, filter: &Filter) -> Result<BTreeMap<i64, Option<i64>>, IndexError> {
    let mut statement = catalogue.connection.prepare_cached(
        "SELECT session.number, session.id, session.last_ms, file.path, file.directory
         FROM session LEFT JOIN file ON file.session = session.number AND file.role = 0",
    )?;
    let mut rows = statement.query([])?;
    let mut allowed = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let last_ms: Option<i64> = row.get(2)?;
        let id: String = row.get(1)?;
        let path = row
            .get::<_, Option<Vec<u8>>>(3)?
            .map(|bytes| path_of(&bytes))
            .unwrap_or_default();
        let directory: Option<String> = row.get(4)?;
        let in_project = filter.project.as_ref().is_none_or(|text| {
            let label = path.parent().and_then(Path::file_name).unwrap_or_default();
            memchr::memmem::find(label.as_encoded_bytes(), text.as_bytes()).is_some()
        });
        let in_directory = filter.cwd.as_ref().is_none_or(|cwd| {
            directory
                .as_ref()
                .is_some_and(|directory| Path::new(directory).starts_with(cwd))
        });
        let is_recent = filter
            .since_ms
            .is_none_or(|since| last_ms.is_none_or(|last| last >= since));
        let is_named = filter
            .sessions
            .as_ref()
            .is_none_or(|sessions| SessionId::parse(&id).is_ok_and(|id| sessions.contains(&id)));
        if in_project && in_directory && is_recent && is_named {
            allowed.insert(row.get(0)?, last_ms);
        }
    }
    Ok(allowed)
}
