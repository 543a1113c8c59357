//! What a client leaves behind under the id of a session that was put away.
//!
//! A client that ends late writes a few bookkeeping records into a new file under the old id. Such a stub is put away with its
//! session. A file with real messages is not: someone went on there, and that is only reported.

use std::path::{Path, PathBuf};

use sexton_claude::footprint::footprints;
use sexton_claude::transcript::{Conversation, summarize_ends};
use sexton_register::SessionId;

use crate::belongings::{belongings, gate_error, of_present};
use crate::item::{Applied, ItemError};
use crate::journal::{OperationId, OperationKind};
use crate::survey::{ClaudeGround, Survey};
use crate::tombstones::Tombstones;
use crate::transfer::{Operation, Transfer, run};
use crate::trash::Filling;
use crate::yard::{Yard, YardError};

/// A transcript in the projects tree under the id of a session that is deleted or archived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// The session.
    pub session: SessionId,
    /// The files.
    pub paths: Vec<PathBuf>,
    /// Whether it holds no message; then it can be put away, else it is only to be told.
    pub is_stub: bool,
}

/// Finds what lies in the projects tree under the ids of sessions that were put away. Reads the two ends of those files only.
#[must_use]
pub fn leftovers(survey: &Survey<'_>, tombstones: &Tombstones) -> Vec<Leftover> {
    let sessions = survey.by_session().into_iter();
    let put_away = sessions.filter(|(session, _)| is_put_away(survey, tombstones, session));
    put_away
        .map(|(session, files)| Leftover {
            session,
            is_stub: files.iter().all(|file| is_stub(&file.path)),
            paths: files.into_iter().map(|file| file.path.clone()).collect(),
        })
        .collect()
}

/// Stubs on their way into the trash. Applied once, by value.
#[derive(Debug)]
pub struct TidyPlan {
    /// What is put away.
    pub stubs: Vec<Leftover>,
    /// What is not, and why: its session lives, or a file can't be looked at.
    pub refused: Vec<(SessionId, ItemError)>,
    operation: OperationId,
    transfers: Vec<Transfer>,
}

/// Plans to put away those of `leftovers` that are stubs. Changes nothing.
pub fn plan_tidy(yard: &Yard<'_>, survey: &Survey<'_>, leftovers: Vec<Leftover>) -> Result<TidyPlan, YardError> {
    let operation = yard.new_operation()?;
    let mut filling = Filling::new(yard, &operation);
    let stubs: Vec<Leftover> = leftovers.into_iter().filter(|leftover| leftover.is_stub).collect();
    let mut found = footprints(
        survey.config_dirs,
        survey.projects,
        stubs.iter().map(|stub| stub.session),
    );
    let (mut going, mut refused, mut transfers) = (Vec::new(), Vec::new(), Vec::new());
    for stub in stubs {
        let session = stub.session;
        let gathered = gate_error(yard.gate, &session, false).and_then(|()| {
            let files = survey.projects.transcripts_of(&session);
            let config_dir = &survey.config_dirs[files.first().ok_or(ItemError::Gone)?.config_dir].path;
            let transcripts = files.iter().map(|file| file.path.as_path());
            belongings(
                session.into(),
                config_dir,
                of_present(&mut found, &session, transcripts)?,
            )
        });
        match gathered {
            Ok(belongings) => {
                transfers.push(filling.add(&belongings, OperationKind::Tidy));
                going.push(stub);
            }
            Err(error) => refused.push((session, error)),
        }
    }
    drop(filling);
    Ok(TidyPlan {
        stubs: going,
        refused,
        operation,
        transfers,
    })
}

impl TidyPlan {
    /// Moves the stubs into the trash. No tombstone is set or lifted.
    pub fn apply(self, yard: &Yard<'_>, survey: &Survey<'_>) -> Result<Applied, YardError> {
        let ground = ClaudeGround {
            config_dirs: survey.config_dirs,
        };
        let operation = Operation {
            id: Some(self.operation),
            undoes: None,
            ground: Some(&ground),
            ..Operation::default()
        };
        run(yard, operation, self.transfers)
    }
}

/// Whether a session is deleted or archived.
pub(crate) fn is_put_away(survey: &Survey<'_>, tombstones: &Tombstones, session: &SessionId) -> bool {
    let name = format!("{session}.jsonl");
    let mut archives = survey.archives.iter();
    tombstones.contains(session.as_str()) || archives.any(|archive| archive.join(&name).symlink_metadata().is_ok())
}

/// Whether the transcript at `path` holds no message, only bookkeeping. One that can't be read, or is too long to be sure, is none.
#[must_use]
pub fn is_stub(path: &Path) -> bool {
    let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
    !is_link && summarize_ends(path).is_ok_and(|ends| ends.conversation() == Conversation::Absent)
}
