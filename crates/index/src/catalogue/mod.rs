//! The catalogue: what is known of every session and file, in one SQLite file beside the words of the full text.
//!
//! All of it is derived: deleting the file loses nothing but time. Many processes read it at once, one writes. A file that is damaged or
//! not ours is set aside under another name, never deleted; one of a newer version is left alone.

mod as_it_is;
mod check;
mod columns;
mod files;
mod open;
mod schema;
mod sessions;

pub use check::Soundness;
pub(crate) use columns::path_of;
pub(crate) use files::{
    Checkpoint, Stored, StoredLook, file_number, refresh_activity, session_number, write_checkpoint,
};
pub use files::{FileRole, FileRow};
pub(crate) use open::PATIENCE;
pub use schema::SCHEMA_VERSION;
pub use sessions::{CatalogueSession, Summary};

use std::path::PathBuf;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use sexton_register::SessionId;

use crate::engine::Engine;
use crate::error::IndexError;
use crate::pass;

/// An open catalogue.
#[derive(Debug)]
pub struct Catalogue {
    pub(crate) connection: Connection,
    path: PathBuf,
    /// Where a file that could not be used was put, if that happened at opening.
    set_aside: Option<PathBuf>,
    /// Whether it is in memory and may be filled: no effect on any file is needed for that.
    takes_without_effects: bool,
}

impl Catalogue {
    /// The catalogue's file.
    #[must_use]
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Where a damaged or foreign file was put when this one was opened; everything is read again then.
    #[must_use]
    pub fn set_aside(&self) -> Option<&std::path::Path> {
        self.set_aside.as_deref()
    }

    pub(crate) fn takes_without_effects(&self) -> bool {
        self.takes_without_effects
    }

    pub(crate) fn engine(&self) -> Engine<'_> {
        Engine::new(&self.connection)
    }
}

/// While it lives, all questions are answered from one state of the catalogue, under one lock.
#[derive(Debug)]
pub struct Snapshot<'c> {
    transaction: Transaction<'c>,
}

impl Snapshot<'_> {
    /// Keeps what little was written while it was held.
    pub(crate) fn commit(self) -> Result<(), IndexError> {
        Ok(self.transaction.commit()?)
    }
}

impl Catalogue {
    /// Holds the catalogue as it is now; for those who have many questions. Writers wait for nobody who only reads.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, IndexError> {
        let transaction = self.connection.unchecked_transaction()?;
        Ok(Snapshot { transaction })
    }

    /// Forgets a session: its files, words and summary. What lies there is read again by the next pass, unless a tombstone hides it.
    pub fn forget(&mut self, session: SessionId) -> Result<(), IndexError> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let files: Vec<i64> = transaction
            .prepare("SELECT file.number FROM file JOIN session ON session.number = file.session WHERE id = ?1")?
            .query_map([session.as_str()], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        for file in files {
            pass::forget_file(&transaction, file)?;
        }
        transaction.execute(
            "DELETE FROM copy WHERE session = (SELECT number FROM session WHERE id = ?1)",
            [session.as_str()],
        )?;
        transaction.execute("DELETE FROM session WHERE id = ?1", [session.as_str()])?;
        Ok(transaction.commit()?)
    }
}
