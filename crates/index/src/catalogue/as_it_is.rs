//! Catalogues that are not written to: one read as it is, and one that lives in memory.
//!
//! Both are for where nothing can be written (a full disk, a read-only file system, somebody else's directory), and for those who only look.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use sexton_sys::FileIdentity;

use super::Catalogue;
use super::open::{bound_memory, newer, prepare, with_suffix};
use super::schema::{self, Recognized};
use crate::error::{IndexError, is_damage};

/// The size of a page of a catalogue in memory, SQLite's own default.
const PAGE: i64 = 4096;

impl Catalogue {
    /// Opens the catalogue at `path` to read what is there, and neither makes, mends nor renews it.
    ///
    /// `None` if there is none, or one of an older version, which knows nothing that this version could ask for.
    pub fn open_as_it_is(path: &Path) -> Result<Option<Self>, IndexError> {
        let Some(path) = place(path)? else { return Ok(None) };
        match attempt(&path, Beside::Shared) {
            Err(IndexError::Catalogue(error)) if !is_damage(&error) && is_settled(&path) => {
                attempt(&path, Beside::Nothing)
            }
            other => other,
        }
    }

    /// Asks the catalogue at `path` as it is, and leaves no trace, not even the files that SQLite would make beside it for a moment.
    ///
    /// `ask` may be called twice: when somebody has written meanwhile.
    pub fn look<T>(path: &Path, ask: impl Fn(&mut Self) -> Result<T, IndexError>) -> Result<Option<T>, IndexError> {
        let Some(path) = &place(path)? else { return Ok(None) };
        let ask_of = |opened: Option<Self>| opened.map(|mut catalogue| ask(&mut catalogue)).transpose();
        if let Some(before) = FileIdentity::at(path).ok().filter(|_| is_settled(path)) {
            let answer = attempt(path, Beside::Nothing).and_then(ask_of);
            // Writers write into the log first; only what comes from there into the file could have been met halfway.
            if FileIdentity::at(path).is_ok_and(|after| after == before) {
                return answer;
            }
        }
        ask_of(Self::open_as_it_is(path)?)
    }

    /// Makes a catalogue in memory that takes at most so many bytes; more is the error of a full disk.
    pub fn in_memory(most_bytes: u32) -> Result<Self, IndexError> {
        let mut connection = Connection::open_in_memory()?;
        prepare(&connection)?;
        schema::create(&mut connection)?;
        connection.pragma_update(None, "max_page_count", i64::from(most_bytes) / PAGE)?;
        Ok(Self {
            connection,
            path: PathBuf::new(),
            set_aside: None,
            takes_without_effects: true,
        })
    }

    /// The same catalogue, kept as it is from now on: a pass finds what lies there and adds nothing.
    #[must_use]
    pub fn sealed(self) -> Self {
        Self {
            takes_without_effects: false,
            ..self
        }
    }
}

/// Where the file really lies, if there is one: SQLite's log lies beside it, not beside a link to it. What is no file is nobody's catalogue.
fn place(path: &Path) -> Result<Option<PathBuf>, IndexError> {
    match path.canonicalize() {
        Ok(real) if real.is_file() => Ok(Some(real)),
        // A pipe would be waited for.
        Ok(_) => Err(IndexError::Foreign(path.to_path_buf())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(IndexError::io(path)(error)),
    }
}

/// What SQLite may use beside the file.
#[derive(Clone, Copy)]
enum Beside {
    /// Its log and the memory that processes share; it makes them where they are absent.
    Shared,
    /// Nothing, so that there must be nothing in the log, and nobody who writes.
    Nothing,
}

fn attempt(path: &Path, beside: Beside) -> Result<Option<Catalogue>, IndexError> {
    let connection = match beside {
        // Opened to be written, so that SQLite can clear away what it makes; where that isn't allowed it opens to read by itself.
        Beside::Shared => {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(path, flags)?
        }
        Beside::Nothing => {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(immutable(path), flags)?
        }
    };
    prepare(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    match schema::recognize(&connection)? {
        Recognized::Ours => {}
        Recognized::Empty | Recognized::Older => return Ok(None),
        Recognized::Newer(found) => return Err(newer(path, found)),
        Recognized::Foreign => return Err(IndexError::Foreign(path.to_path_buf())),
    }
    bound_memory(&connection)?;
    Ok(Some(Catalogue {
        connection,
        path: path.to_path_buf(),
        set_aside: None,
        takes_without_effects: false,
    }))
}

/// Whether everything is in the file itself: no log lies beside it, or an empty one.
fn is_settled(path: &Path) -> bool {
    match with_suffix(path, "-wal").symlink_metadata() {
        Ok(metadata) => metadata.len() == 0,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

/// The file as an address that tells SQLite that nobody writes to it.
fn immutable(path: &Path) -> String {
    use std::fmt::Write;
    use std::os::unix::ffi::OsStrExt;
    let mut address = String::from("file:");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => address.push(char::from(*byte)),
            // Writing to a string does not fail.
            other => drop(write!(address, "%{other:02X}")),
        }
    }
    address.push_str("?immutable=1");
    address
}

#[cfg(test)]
mod tests {
    use std::fs;

    use sexton_sys::Effects;

    use super::*;

    fn made(path: &Path) -> Catalogue {
        Catalogue::open(path, &Effects::apply(), 7).unwrap()
    }

    /// How many sessions there are.
    fn count(catalogue: &mut Catalogue) -> Result<i64, IndexError> {
        let count = "SELECT count(*) FROM session";
        Ok(catalogue.connection.query_row(count, [], |row| row.get(0))?)
    }

    #[test]
    fn an_older_one_is_left_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("catalogue.sqlite");
        assert!(Catalogue::open_as_it_is(&path).unwrap().is_none());
        assert!(!path.exists());
        let catalogue = made(&path);
        catalogue.connection.pragma_update(None, "user_version", 0).unwrap();
        drop(catalogue);
        let before = fs::read(&path).unwrap();
        assert!(Catalogue::open_as_it_is(&path).unwrap().is_none());
        assert!(fs::read(&path).unwrap() == before);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn it_can_not_be_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("catalogue.sqlite");
        drop(made(&path));
        let catalogue = Catalogue::open_as_it_is(&path).unwrap().unwrap();
        assert!(catalogue.sessions().unwrap().is_empty());
        catalogue
            .connection
            .execute("INSERT INTO setting VALUES ('x', 1)", [])
            .unwrap_err();
    }

    #[test]
    fn a_look_leaves_no_trace_and_sees_what_is_only_in_the_log() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("catalogue.sqlite");
        assert_eq!(Catalogue::look(&path, count).unwrap(), None);
        drop(made(&path));
        let modified = || fs::metadata(directory.path()).unwrap().modified().unwrap();
        let before = modified();
        assert_eq!(Catalogue::look(&path, count).unwrap(), Some(0));
        assert_eq!(modified(), before);
        let writer = made(&path);
        let insert = |id: &str| {
            let sql = "INSERT INTO session(id) VALUES (?1)";
            writer.connection.execute(sql, [id]).unwrap();
        };
        insert("a");
        assert_eq!(Catalogue::look(&path, count).unwrap(), Some(1));
        // Somebody writes into the file while it is looked at.
        writer
            .connection
            .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
            .unwrap();
        let asked = std::cell::Cell::new(0);
        let answer = Catalogue::look(&path, |catalogue| {
            asked.set(asked.get() + 1);
            if asked.get() == 1 {
                insert("b");
                writer.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
                std::fs::File::open(&path)
                    .unwrap()
                    .set_modified(std::time::UNIX_EPOCH)
                    .unwrap();
            }
            count(catalogue)
        });
        assert_eq!((answer.unwrap(), asked.get()), (Some(2), 2));
    }

    #[test]
    fn what_is_only_in_the_log_is_seen_through_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let real = directory.path().join("real");
        Effects::apply().create_directory(&real).unwrap();
        let writer = made(&real.join("catalogue.sqlite"));
        writer
            .connection
            .execute("INSERT INTO session(id) VALUES ('a')", [])
            .unwrap();
        let link = directory.path().join("catalogue.sqlite");
        Effects::apply().symlink(&real.join("catalogue.sqlite"), &link).unwrap();
        assert_eq!(Catalogue::look(&link, count).unwrap(), Some(1));
    }

    #[test]
    fn a_foreign_one_is_an_error_and_stays() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("catalogue.sqlite");
        Connection::open(&path)
            .unwrap()
            .execute_batch("CREATE TABLE theirs (x)")
            .unwrap();
        let before = fs::read(&path).unwrap();
        let error = Catalogue::open_as_it_is(&path).unwrap_err();
        assert!(matches!(error, IndexError::Foreign(_)), "{error}");
        assert!(fs::read(&path).unwrap() == before);
    }

    #[test]
    fn an_odd_name_is_the_same_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a?b#c%d é.sqlite");
        drop(made(&path));
        assert!(attempt(&path, Beside::Nothing).unwrap().is_some());
    }

    #[test]
    fn one_in_memory_takes_no_more_than_it_may() {
        let catalogue = Catalogue::in_memory(1 << 20).unwrap();
        let error = catalogue
            .connection
            .execute("INSERT INTO session(number, id) VALUES (1, hex(zeroblob(1048576)))", [])
            .unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::DiskFull));
    }
}
