//! The tables.

use rusqlite::{Connection, TransactionBehavior};

use crate::engine;
use crate::spans;

/// The version of the tables; raised with every change to them or to what is stored in them, tokens included.
pub const SCHEMA_VERSION: i64 = 3;

/// Marks a file as this program's: the bytes `SXTN`.
pub(super) const APPLICATION_ID: i64 = 0x5358_544E;

/// Sessions, files and messages have numbers, by which others name them in few bytes.
const TABLES: &str = "
CREATE TABLE session (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    hidden INTEGER NOT NULL DEFAULT 0,
    last_ms INTEGER
);
CREATE TABLE file (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session(number),
    role INTEGER NOT NULL,
    path BLOB NOT NULL UNIQUE,
    copied INTEGER NOT NULL DEFAULT 0,
    present INTEGER NOT NULL DEFAULT 1,
    device INTEGER NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL,
    seconds INTEGER NOT NULL, nanoseconds INTEGER NOT NULL,
    offset INTEGER NOT NULL DEFAULT 0,
    sum INTEGER NOT NULL DEFAULT 0, word INTEGER NOT NULL DEFAULT 0, edges INTEGER NOT NULL DEFAULT 0,
    title TEXT, title_source INTEGER, name TEXT, directory TEXT, first_directory TEXT, branch TEXT,
    model TEXT, version TEXT, first_ms INTEGER, last_ms INTEGER,
    lines INTEGER, user INTEGER, assistant INTEGER, human_prompts INTEGER, answers INTEGER,
    tool_calls INTEGER, problems INTEGER,
    input INTEGER, output INTEGER, cache_creation INTEGER, cache_read INTEGER,
    forked_from TEXT, continued_in TEXT, plan TEXT,
    turns INTEGER, messages INTEGER, prose INTEGER
);
CREATE INDEX file_of_session ON file(session);
CREATE INDEX file_absent ON file(session) WHERE present = 0;
CREATE TABLE reading (file INTEGER PRIMARY KEY REFERENCES file(number), state BLOB NOT NULL);
CREATE TABLE copy (
    session INTEGER PRIMARY KEY REFERENCES session(number),
    fingerprint INTEGER NOT NULL,
    stored INTEGER NOT NULL,
    taken_ms INTEGER NOT NULL,
    complete INTEGER NOT NULL
);
CREATE TABLE setting (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
";

/// What a file is to this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recognized {
    Empty,
    Ours,
    Older,
    Newer(i64),
    Foreign,
}

pub(super) fn recognize(connection: &Connection) -> rusqlite::Result<Recognized> {
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, version) = (pragma("application_id")?, pragma("user_version")?);
    if application == APPLICATION_ID {
        return Ok(match version {
            SCHEMA_VERSION => Recognized::Ours,
            newer if newer > SCHEMA_VERSION => Recognized::Newer(newer),
            _ => Recognized::Older,
        });
    }
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let is_empty = application == 0 && version == 0 && tables == 0;
    Ok(if is_empty {
        Recognized::Empty
    } else {
        Recognized::Foreign
    })
}

/// Makes the tables, unless another process just has.
pub(super) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    // Older tables that name each other can be dropped in no order that would suit their references; this can't be said within a transaction.
    connection.pragma_update(None, "foreign_keys", false)?;
    let created = create_at_once(connection);
    connection.pragma_update(None, "foreign_keys", true)?;
    created
}

fn create_at_once(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    match recognize(&transaction)? {
        Recognized::Ours | Recognized::Newer(_) | Recognized::Foreign => return Ok(()),
        Recognized::Empty => {}
        Recognized::Older => drop_tables(&transaction)?,
    }
    transaction.execute_batch(TABLES)?;
    transaction.execute_batch(spans::TABLES)?;
    transaction.execute_batch(engine::TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    transaction.commit()
}

/// An older version's tables hold nothing that can't be read again.
fn drop_tables(connection: &Connection) -> rusqlite::Result<()> {
    // Of the first version; SQLite keeps the tables below it.
    connection.execute_batch("DROP TABLE IF EXISTS words")?;
    let mut statement =
        connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")?;
    let names: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for name in names {
        connection.execute_batch(&format!("DROP TABLE \"{}\"", name.replace('"', "\"\"")))?;
    }
    Ok(())
}
