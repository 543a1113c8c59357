//! Where a session can be restored from.

use std::path::{Path, PathBuf};

use sexton_register::SessionId;

use super::{From, RestoreError};
use crate::address::{Addressed, address};
use crate::archive::{ArchivedSession, archived, list_archive};
use crate::item::{ItemError, ItemId};
use crate::trash::{TrashItem, TrashListing};

/// A copy of the vault's, extracted into a directory of its own on any device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// Which session.
    pub session: SessionId,
    /// The directory, which mirrors the config directory: `projects/<slug>/<id>.jsonl` and so on.
    pub directory: PathBuf,
    /// The config directory that the session was in.
    pub config_dir: PathBuf,
}

/// One place that has the session.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// The trash.
    Trash(TrashItem),
    /// An archive.
    Archive(ArchivedSession),
    /// The vault; extracted by the caller once it is chosen.
    Vault(SessionId),
}

impl Source {
    /// Which session it is, if it is one.
    #[must_use]
    pub fn session(&self) -> Option<SessionId> {
        match self {
            Self::Trash(item) => item.id.session().copied(),
            Self::Archive(there) => Some(there.session),
            Self::Vault(session) => Some(*session),
        }
    }

    /// Which session it is, or the name of what is none.
    #[must_use]
    pub fn id(&self) -> ItemId {
        match self {
            Self::Trash(item) => item.id.clone(),
            Self::Archive(there) => there.session.into(),
            Self::Vault(session) => (*session).into(),
        }
    }

    /// Which kind of place it is.
    #[must_use]
    pub fn from(&self) -> From {
        match self {
            Self::Trash(_) => From::Trash,
            Self::Archive(_) => From::Archive,
            Self::Vault(_) => From::Vault,
        }
    }
}

/// The places that have one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// Which session.
    pub id: ItemId,
    /// At most one of each kind: of several generations of the trash the newest.
    pub places: Vec<Source>,
}

/// Finds the session that `text` addresses in trash, archives and vault, and every place that has it.
pub fn find_sources(
    text: &str,
    trash: &TrashListing,
    archives: &[PathBuf],
    vault: &[SessionId],
) -> Result<Sources, RestoreError> {
    let mut known: Vec<ItemId> = trash.deleted().map(|item| item.id.clone()).collect();
    let mut in_archives: Vec<(SessionId, &Path)> = Vec::new();
    for archive in archives {
        let sessions = list_archive(archive).unwrap_or_default();
        in_archives.extend(sessions.into_iter().map(|session| (session, archive.as_path())));
    }
    known.extend(in_archives.iter().map(|(session, _)| ItemId::from(*session)));
    known.extend(vault.iter().copied().map(ItemId::from));
    let id = match address(text, &known) {
        Addressed::One(id) => id,
        Addressed::None => return Err(RestoreError::NotFound(text.to_owned())),
        Addressed::Several(matches) => {
            return Err(RestoreError::Ambiguous {
                prefix: text.to_owned(),
                matches: matches.iter().map(ToString::to_string).collect(),
            });
        }
    };
    let mut places: Vec<Source> = Vec::new();
    // Newest first, so that the first is taken; one that holds something before any that only tells of a tombstone.
    let mut deleted: Vec<&TrashItem> = trash.deleted().filter(|item| item.id == id).collect();
    deleted.sort_by_key(|item| item.manifest.entries.is_empty());
    places.extend(deleted.first().copied().cloned().map(Source::Trash));
    if let Some(session) = id.session() {
        if let Some((_, archive)) = in_archives.iter().find(|(archived, _)| archived == session) {
            let there = archived(archive, *session)
                .map_err(|source: ItemError| RestoreError::Item { id: id.clone(), source })?;
            places.extend(there.map(Source::Archive));
        }
        if vault.contains(session) {
            places.push(Source::Vault(*session));
        }
    }
    Ok(Sources { id, places })
}

impl Sources {
    /// The one place to take the session from: the chosen one, else the only one.
    ///
    /// The vault's copy counts only where nothing else has the session or it is asked for: it is the same session, saved. A place in the trash
    /// that holds nothing, of a session that had no file when it was deleted, counts only where there is no other place.
    pub fn choose(self, from: Option<From>) -> Result<Source, RestoreError> {
        let Self { id, mut places } = self;
        if let Some(from) = from {
            let chosen = places.into_iter().find(|place| place.from() == from);
            return chosen.ok_or(RestoreError::NotThere { id, from: from.word() });
        }
        if places.len() > 1 {
            places.retain(|place| !matches!(place, Source::Trash(item) if item.manifest.entries.is_empty()));
        }
        let mut others = places.iter().filter(|place| place.from() != From::Vault);
        if let (Some(only), None) = (others.next(), others.next()) {
            return Ok(only.clone());
        }
        match (places.len(), places.pop()) {
            (1, Some(only)) => Ok(only),
            (_, None) => Err(RestoreError::NotFound(id.to_string())),
            (_, Some(last)) => {
                places.push(last);
                Err(RestoreError::SeveralSources {
                    id,
                    sources: places.iter().map(|place| place.from().word().to_owned()).collect(),
                })
            }
        }
    }
}
