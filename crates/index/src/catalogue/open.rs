//! Opening, and setting aside what can't be opened.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use sexton_sys::{EffectError, Effects};

use super::Catalogue;
use super::schema::{self, Recognized, SCHEMA_VERSION};
use crate::error::{IndexError, is_busy, is_damage};

/// How long SQLite waits for another process's transaction; a pass writes for seconds at most between two commits.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Pages kept in memory, in KiB. Memory-mapping would count as resident, too.
const CACHE_KIB: i64 = 16 * 1024;

/// Room for the tables of a catalogue in memory that stays empty, in bytes.
const NOTHING: u32 = 1 << 20;

impl Catalogue {
    /// Opens the catalogue at `path`, making it if need be; `now_ms` names what is set aside.
    ///
    /// A dry run leaves nothing behind, and can still ask its questions: of what is there as it is, else of nothing.
    pub fn open(path: &Path, effects: &Effects, now_ms: i64) -> Result<Self, IndexError> {
        if effects.is_dry_run() {
            return match Self::open_as_it_is(path)? {
                Some(catalogue) => Ok(catalogue),
                None => Self::in_memory(NOTHING).map(Self::sealed),
            };
        }
        if let Some(directory) = path.parent() {
            effects.create_directory(directory)?;
        }
        if let Some(catalogue) = attempt(path, effects)? {
            return Ok(catalogue);
        }
        Self::replace(path, effects, now_ms)
    }

    /// Sets the file at `path` aside if it can't be used, and makes a new one.
    fn replace(path: &Path, effects: &Effects, now_ms: i64) -> Result<Self, IndexError> {
        // One process does it; the others find a good file when they get the lock.
        let _lock = effects.lock(&with_suffix(path, ".lock"), PATIENCE)?;
        if let Some(catalogue) = attempt(path, effects)? {
            return Ok(catalogue);
        }
        let aside = set_aside(path, effects, now_ms)?;
        let mut catalogue = attempt(path, effects)?.ok_or_else(|| IndexError::Io {
            path: path.to_path_buf(),
            source: std::io::Error::other("a new catalogue can't be used either"),
        })?;
        catalogue.set_aside = Some(aside);
        Ok(catalogue)
    }

    /// Gives up a catalogue that proved to be damaged, and opens a new one in its place.
    pub fn rebuild(self, effects: &Effects, now_ms: i64) -> Result<Self, IndexError> {
        let path = self.path.clone();
        drop(self.connection);
        let _lock = effects.lock(&with_suffix(&path, ".lock"), PATIENCE)?;
        let aside = set_aside(&path, effects, now_ms)?;
        let mut catalogue = attempt(&path, effects)?.ok_or_else(|| IndexError::Io {
            path,
            source: std::io::Error::other("a new catalogue can't be used either"),
        })?;
        catalogue.set_aside = Some(aside);
        Ok(catalogue)
    }
}

/// `None` if the file is damaged or not ours.
fn attempt(path: &Path, effects: &Effects) -> Result<Option<Catalogue>, IndexError> {
    match try_open(path, effects) {
        Ok(open) => Ok(open),
        Err(IndexError::Catalogue(error)) if is_damage(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn try_open(path: &Path, effects: &Effects) -> Result<Option<Catalogue>, IndexError> {
    // An empty file is an empty database, and this one is private from the start. Looked for first, since making one costs a sync.
    if path.symlink_metadata().is_err() {
        match effects.create_file(path, b"") {
            Ok(()) | Err(EffectError::Exists(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    prepare(&connection)?;
    let mut recognized = schema::recognize(&connection)?;
    if matches!(recognized, Recognized::Empty | Recognized::Older) {
        write_ahead(&connection)?;
        schema::create(&mut connection)?;
        recognized = schema::recognize(&connection)?;
    }
    match recognized {
        Recognized::Ours => {}
        Recognized::Newer(found) => return Err(newer(path, found)),
        Recognized::Empty | Recognized::Older | Recognized::Foreign => return Ok(None),
    }
    // A power cut may cost the last transactions, which are read again; never the file's consistency.
    connection.pragma_update(None, "synchronous", "normal")?;
    bound_memory(&connection)?;
    Ok(Some(Catalogue {
        connection,
        path: path.to_path_buf(),
        set_aside: None,
        takes_without_effects: false,
    }))
}

/// Turns the write-ahead log on, with the patience that SQLite itself doesn't have here: it answers at once that the file is busy while
/// another process looks at it, which happens when several make a catalogue together.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error) if is_busy(&error) && start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(2)),
            done => return done,
        }
    }
}

pub(super) fn newer(path: &Path, found: i64) -> IndexError {
    IndexError::Newer {
        path: path.to_path_buf(),
        found,
        known: SCHEMA_VERSION,
    }
}

/// What every connection wants before its first question.
pub(super) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    // Or SQLite plans a statement anew whenever a value is bound that its statistics could tell something of; there are none.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Says how much of a file is held in memory, and that nothing is put down elsewhere.
pub(super) fn bound_memory(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.pragma_update(None, "temp_store", "memory")
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// Renames the file and what SQLite keeps beside it; answers the new name.
///
/// The file goes last: a new one must never be made beside the log of the old one, and until then this begins again.
fn set_aside(path: &Path, effects: &Effects, now_ms: i64) -> Result<PathBuf, IndexError> {
    for attempt in 0..100 {
        let aside = with_suffix(path, &format!(".set-aside-{}", now_ms + attempt));
        match set_aside_as(path, &aside, effects) {
            Err(EffectError::Exists(_)) => {}
            other => return Ok(other.map(|()| aside)?),
        }
    }
    Err(EffectError::Exists(path.to_path_buf()).into())
}

fn set_aside_as(path: &Path, aside: &Path, effects: &Effects) -> Result<(), EffectError> {
    for suffix in ["-wal", "-shm"] {
        match effects.rename(&with_suffix(path, suffix), &with_suffix(aside, suffix)) {
            Err(error) if !error.is_not_found() => return Err(error),
            _ => {}
        }
    }
    effects.rename(path, aside)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests arrange files directly")]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    use super::*;

    fn place() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("cache/catalogue.sqlite");
        (directory, path)
    }

    fn open(path: &Path) -> Result<Catalogue, IndexError> {
        Catalogue::open(path, &Effects::apply(), 7)
    }

    #[test]
    fn a_new_one_is_private_and_opens_again() {
        let (_directory, path) = place();
        let catalogue = open(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        drop(catalogue);
        assert_eq!(open(&path).unwrap().set_aside(), None);
    }

    #[test]
    fn several_that_make_it_at_once_all_get_it() {
        for _ in 0..100 {
            let (_directory, path) = place();
            let start = std::sync::Barrier::new(8);
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        start.wait();
                        assert!(open(&path).unwrap().sessions().unwrap().is_empty());
                    });
                }
            });
        }
    }

    #[test]
    fn damaged_and_foreign_files_are_set_aside_whole() {
        let foreign = {
            let (_directory, path) = place();
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            Connection::open(&path)
                .unwrap()
                .execute_batch("CREATE TABLE theirs (x)")
                .unwrap();
            fs::read(&path).unwrap()
        };
        let truncated = {
            let (_directory, path) = place();
            drop(open(&path).unwrap());
            fs::read(&path).unwrap()[..3000].to_vec()
        };
        for content in [
            &foreign,
            &truncated,
            &b"not a database at all, but long enough to be taken for one".to_vec(),
        ] {
            let (_directory, path) = place();
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
            let catalogue = open(&path).unwrap();
            let aside = catalogue.set_aside().unwrap();
            assert_eq!(aside, with_suffix(&path, ".set-aside-7"));
            assert!(fs::read(aside).unwrap() == *content);
            assert!(catalogue.sessions().unwrap().is_empty());
        }
    }

    #[test]
    fn a_newer_one_is_left_alone() {
        let (_directory, path) = place();
        open(&path)
            .unwrap()
            .connection
            .pragma_update(None, "user_version", SCHEMA_VERSION + 1)
            .unwrap();
        let before = fs::read(&path).unwrap();
        let error = open(&path).unwrap_err();
        assert!(matches!(error, IndexError::Newer { .. }), "{error}");
        assert!(fs::read(&path).unwrap() == before);
    }

    #[test]
    fn an_older_one_is_made_anew_in_place() {
        let (_directory, path) = place();
        let catalogue = open(&path).unwrap();
        catalogue.connection.pragma_update(None, "user_version", 0).unwrap();
        catalogue
            .connection
            .execute_batch(
                "INSERT INTO session(number, id) VALUES (1, 'x');
                 INSERT INTO file(session, role, path, device, inode, size, seconds, nanoseconds) VALUES (1, 0, 'p', 0, 0, 0, 0, 0);",
            )
            .unwrap();
        drop(catalogue);
        let catalogue = open(&path).unwrap();
        assert_eq!(catalogue.set_aside(), None);
        assert!(catalogue.sessions().unwrap().is_empty());
    }

    #[test]
    fn a_dry_run_leaves_no_file() {
        let (_directory, path) = place();
        let catalogue = Catalogue::open(&path, &Effects::record(), 7).unwrap();
        assert!(catalogue.sessions().unwrap().is_empty());
        assert!(!path.exists());
    }
}
