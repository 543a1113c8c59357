//! Which sessions are to come back: by id among what can, else by name.

use std::collections::BTreeSet;

use sexton_index::vault::Vault;
use sexton_register::SessionId;
use sexton_yard::archive::list_archive;
use sexton_yard::restore::{RestoreError, Sources, find_sources};
use sexton_yard::trash::TrashListing;

use super::failures::refused;
use crate::commands::yard::Ground;
use crate::context::Context;
use crate::error::CommandError;
use crate::roll::{Address, AddressError, Facts, Roll, find, gather};

/// What can come back, looked at once.
pub(super) struct Meant<'a> {
    ground: &'a Ground<'a>,
    context: &'a Context,
    trash: TrashListing,
    held: Vec<SessionId>,
}

impl<'a> Meant<'a> {
    pub(super) fn look(ground: &'a Ground<'a>, vault: &Vault, context: &'a Context) -> Result<Self, CommandError> {
        Ok(Self {
            ground,
            context,
            trash: ground.trash(),
            held: vault.sessions().map_err(CommandError::unreadable)?,
        })
    }

    /// The places of each session that was meant, each session once.
    pub(super) fn sources(&self, texts: &[String]) -> Result<Vec<Sources>, CommandError> {
        let mut found: Vec<Sources> = Vec::new();
        for text in texts {
            let sources = self.sources_of(text)?;
            if found.iter().all(|before| before.id != sources.id) {
                found.push(sources);
            }
        }
        Ok(found)
    }

    fn sources_of(&self, text: &str) -> Result<Sources, CommandError> {
        match self.find(&text.to_ascii_lowercase()).or_else(|_| self.find(text)) {
            Ok(sources) => Ok(sources),
            Err(RestoreError::NotFound(_)) => self.by_name(text),
            Err(error) => Err(refused(error)),
        }
    }

    /// Every session that can come back.
    fn sessions(&self) -> BTreeSet<SessionId> {
        let in_trash = self.trash.deleted().filter_map(|item| item.id.session().copied());
        let places = self.ground.archives.iter();
        let archived = places.flat_map(|archive| list_archive(archive).unwrap_or_default());
        in_trash.chain(archived).chain(self.held.iter().copied()).collect()
    }

    fn find(&self, text: &str) -> Result<Sources, RestoreError> {
        find_sources(text, &self.trash, &self.ground.archives, &self.held)
    }

    /// Names are recorded, titles stand in transcripts and in the manifests of the trash.
    fn by_name(&self, text: &str) -> Result<Sources, CommandError> {
        let mut roll = gather(self.context)?;
        roll.add_retained(self.context);
        for item in self.trash.deleted() {
            let row = roll.rows.iter_mut().find(|row| item.id.session() == Some(&row.session));
            if let Some(row) = row.filter(|row| row.facts.is_none() && row.transcripts.is_empty()) {
                row.facts = Some(Facts {
                    title: item.manifest.title.clone(),
                    ..Facts::default()
                });
            }
        }
        // One that lies where it should be may have the name of one that doesn't.
        let can_return = self.sessions();
        let names = |roll: &mut Roll| match find(roll, text, Address::IdOrName) {
            Err(AddressError::Unknown { .. } | AddressError::TooShort(_)) => Ok(None),
            other => other.map(Some).map_err(CommandError::from),
        };
        let mut away = Roll {
            rows: roll
                .rows
                .extract_if(.., |row| can_return.contains(&row.session))
                .collect(),
            problems: Vec::new(),
            now_ms: roll.now_ms,
        };
        let session = match names(&mut away)? {
            Some(session) => session,
            None => match names(&mut roll)? {
                Some(session) => session,
                None => return Err(refused(RestoreError::NotFound(text.to_owned()))),
            },
        };
        self.find(session.as_str()).map_err(refused)
    }
}
