//! What can't come back, and what to do about it.

use sexton_yard::item::ItemId;
use sexton_yard::restore::{self, RestoreError, Standing};

use crate::documents::{Item, Outcome};
use crate::error::CommandError;

/// What can't come back: of one session that was asked for the error of the command, of several told beside the others.
pub(super) struct Failures {
    is_one: bool,
    /// Those of several.
    pub(super) left: Vec<Item>,
}

impl Failures {
    pub(super) fn of(sessions: usize) -> Self {
        Self {
            is_one: sessions == 1,
            left: Vec::new(),
        }
    }

    /// Adds what stopped one.
    pub(super) fn add(&mut self, id: &ItemId, error: CommandError) -> Result<(), CommandError> {
        if self.is_one {
            return Err(error);
        }
        self.left
            .push(Item::named(id.as_str(), Outcome::Failed).saying(error.to_string()));
        Ok(())
    }

    fn refuse(&mut self, id: &ItemId, error: RestoreError) -> Result<(), CommandError> {
        if self.is_one {
            return Err(refused(error));
        }
        self.left.push(left_out(id, &error));
        Ok(())
    }

    /// Those of `each` that can; the others are told.
    pub(super) fn those_that_go<T>(
        &mut self,
        each: impl Iterator<Item = (ItemId, Result<T, RestoreError>)>,
    ) -> Result<Vec<T>, CommandError> {
        let mut going = Vec::new();
        for (id, one) in each {
            match one {
                Ok(one) => going.push(one),
                Err(error) => self.refuse(&id, error)?,
            }
        }
        Ok(going)
    }
}

/// One of several that can't come back, and what to do about it.
fn left_out(id: &ItemId, error: &RestoreError) -> Item {
    let said = error.to_string();
    let what = said.strip_prefix(&format!("restore `{id}`: ")).unwrap_or(&said);
    let detail = match hint(error) {
        Some(hint) => format!("{what}; {hint}"),
        None => what.to_owned(),
    };
    Item::named(id.as_str(), Outcome::Failed).saying(detail)
}

fn hint(error: &RestoreError) -> Option<String> {
    let hint = match error {
        RestoreError::NotFound(_) => "`sexton trash list` and `sexton list --archived` show what can come back",
        RestoreError::Ambiguous { .. } => "give more of the id",
        RestoreError::SeveralSources { .. } => "choose one with `--from`",
        RestoreError::Present {
            standing: Standing::Same,
            ..
        } => "it holds what would come back; nothing needs to",
        RestoreError::Present {
            standing: Standing::Further,
            ..
        } => "it holds what would come back, and more; nothing needs to",
        RestoreError::Present { id, from, .. } => {
            let from = from.word();
            // The archive has room for one transcript of a session.
            let away = if from == restore::From::Archive.word() {
                format!("`sexton delete {id}`")
            } else {
                format!("`sexton archive {id}`")
            };
            return Some(format!(
                "the {from} holds other content: {away} puts away what is there, then `sexton restore {id} --from {from}` brings that back"
            ));
        }
        RestoreError::BlankManifest { .. } => "name the directory with `--config-dir`; all else comes back by its name",
        RestoreError::BaseGone { .. } => "mount the disk, or make the directory again",
        _ => return None,
    };
    Some(hint.to_owned())
}

pub(super) fn refused(error: RestoreError) -> CommandError {
    let hint = hint(&error);
    let refused = CommandError::refused(error);
    match hint {
        Some(hint) => refused.hint(hint),
        None => refused,
    }
}
