//! Making the plan.

use std::collections::BTreeMap;
use std::path::Path;

use super::{UndoError, UndoPlan, UndoStep, undoable};
use crate::archive::{ArchiveRequest, archived, plan_archive};
use crate::delete::plan_delete;
use crate::filter::DeleteOptions;
use crate::gate::Vouched;
use crate::item::{ItemError, ItemId};
use crate::journal::{History, Operation, OperationId, OperationKind, RecordedItem};
use crate::restore::{Planning, RestoreError, RestoreOptions, RestorePlan, Source, is_copy};
use crate::survey::Survey;
use crate::trash::{TrashItem, TrashListing};
use crate::yard::Yard;

/// Plans the undoing of the newest operation that can be undone and has not been. Changes nothing.
pub fn plan_undo(
    yard: &Yard<'_>,
    survey: &Survey<'_>,
    trash: &TrashListing,
    options: &RestoreOptions,
) -> Result<UndoPlan, UndoError> {
    plan_first(yard, survey, trash, options, |_| true)
}

/// As [`plan_undo`], but passes over operations of which nothing can be taken back as things are.
pub fn plan_possible_undo(
    yard: &Yard<'_>,
    survey: &Survey<'_>,
    trash: &TrashListing,
    options: &RestoreOptions,
) -> Result<UndoPlan, UndoError> {
    plan_first(yard, survey, trash, options, |plan| !plan.is_empty())
}

fn plan_first(
    yard: &Yard<'_>,
    survey: &Survey<'_>,
    trash: &TrashListing,
    options: &RestoreOptions,
    is_wanted: impl Fn(&UndoPlan) -> bool,
) -> Result<UndoPlan, UndoError> {
    let history = yard.journal().read()?;
    for operation in undoable(&history) {
        let undoing = Undoing {
            yard,
            survey,
            trash,
            options,
            history: &history,
            operation,
        };
        let Some(kind) = operation.kind().filter(|_| !undoing.is_emptied()) else {
            continue;
        };
        let plan = undoing.plan(kind)?;
        if is_wanted(&plan) {
            return Ok(plan);
        }
    }
    Err(UndoError::Nothing)
}

struct Undoing<'a> {
    yard: &'a Yard<'a>,
    survey: &'a Survey<'a>,
    trash: &'a TrashListing,
    options: &'a RestoreOptions,
    history: &'a History,
    operation: &'a Operation,
}

impl Undoing<'_> {
    fn plan(&self, kind: OperationKind) -> Result<UndoPlan, UndoError> {
        let mut refused = Vec::new();
        let steps = match kind {
            OperationKind::Archive | OperationKind::Delete => vec![UndoStep::Restore(self.restore(&mut refused)?)],
            OperationKind::Tombstone => self.tombstones(),
            _ => self.put_away_again(&mut refused)?,
        };
        Ok(UndoPlan {
            operation: self.operation.id.clone(),
            at_ms: self.operation.at_ms,
            kind,
            steps,
            refused,
        })
    }

    /// Whether the trash has been emptied of all that the operation put there.
    fn is_emptied(&self) -> bool {
        let operations = self.history.operations.iter();
        let emptied: Vec<&Path> = operations
            .flat_map(Operation::done)
            .filter(|item| item.intent.kind == OperationKind::Empty)
            .flat_map(|item| item.intent.moves.iter().map(|mv| mv.from.0.as_path()))
            .collect();
        let is_emptied = |item: &RecordedItem| {
            let mut moves = item.intent.moves.iter();
            let is_out = moves.all(|mv| emptied.iter().any(|generation| mv.to.0.starts_with(generation)));
            // Restored since, and put away again by an undo, it may still lie where that put it.
            is_out && !self.trash.deleted().any(|there| there.id.as_str() == item.intent.id)
        };
        let mut put_away = self
            .operation
            .done()
            .filter(|item| item.intent.kind != OperationKind::Tidy)
            .peekable();
        put_away.peek().is_some() && put_away.all(|item| item.intent.kind == OperationKind::Delete && is_emptied(item))
    }

    /// Brings back what the operation put away, from exactly where it put it.
    fn restore(&self, refused: &mut Vec<(ItemId, ItemError)>) -> Result<Vec<RestorePlan>, RestoreError> {
        let mut in_trash: BTreeMap<&ItemId, Vec<&TrashItem>> = BTreeMap::new();
        for there in self.trash.deleted() {
            in_trash.entry(&there.id).or_default().push(there);
        }
        let mut sources = Vec::new();
        let put_away = self.operation.done();
        for item in put_away.filter(|item| item.intent.kind != OperationKind::Tidy) {
            let id = ItemId::of_stem(&item.intent.id);
            let there = in_trash.get(&id).map_or(&[][..], Vec::as_slice);
            match self.source(&id, item, there) {
                Ok(source) => sources.push((id, source)),
                Err(error) => refused.push((id, error.into())),
            }
        }
        let all = sources.iter().map(|(_, source)| source);
        let mut planning = Planning::new(self.yard, self.survey, self.options, all)?;
        let mut plans = Vec::new();
        for (id, source) in sources {
            match planning.plan(&source, None, &Vouched::nobody()) {
                Ok(plan) => plans.push(plan),
                Err(error) => refused.push((id, error.into())),
            }
        }
        Ok(plans)
    }

    fn source(&self, id: &ItemId, item: &RecordedItem, in_trash: &[&TrashItem]) -> Result<Source, RestoreError> {
        let gone = || RestoreError::NotFound(id.to_string());
        if item.intent.kind == OperationKind::Delete {
            let there = || in_trash.iter().copied();
            let own = there().find(|there| there.manifest.operation == self.operation.id);
            // Restored since, and put away again by an undo: then it lies where that put it.
            let again = || there().find(|there| self.is_undo(&there.manifest.operation));
            return own.or_else(again).cloned().map(Source::Trash).ok_or_else(gone);
        }
        let manifest = item.intent.manifest.as_ref().ok_or_else(gone)?;
        let archive = manifest.0.parent().and_then(Path::parent).ok_or_else(gone)?;
        let session = id.session().ok_or_else(gone)?;
        let there = archived(archive, *session).map_err(|source| RestoreError::Item { id: id.clone(), source })?;
        there.map(Source::Archive).ok_or_else(gone)
    }

    fn is_undo(&self, id: &OperationId) -> bool {
        let mut operations = self.history.operations.iter();
        operations.any(|operation| operation.id == *id && operation.undoes().is_some())
    }

    fn tombstones(&self) -> Vec<UndoStep> {
        let ids = |after: bool| -> Vec<String> {
            let changed = self.operation.done().filter(|item| {
                item.intent
                    .tombstone
                    .is_some_and(|stone| stone.after == after && stone.before != after)
            });
            changed.map(|item| item.intent.id.clone()).collect()
        };
        let (added, lifted) = (ids(true), ids(false));
        let mut steps = Vec::new();
        if !added.is_empty() {
            steps.push(UndoStep::LiftTombstones(added));
        }
        if !lifted.is_empty() {
            steps.push(UndoStep::AddTombstones(lifted));
        }
        steps
    }

    /// Puts the sessions that came back where they had come from.
    ///
    /// Not by the old moves: a session that came back may have grown, and goes as the whole that it is now.
    fn put_away_again(&self, refused: &mut Vec<(ItemId, ItemError)>) -> Result<Vec<UndoStep>, UndoError> {
        let mut to_trash = DeleteOptions::default();
        let mut to_archives: BTreeMap<&Path, Vec<ArchiveRequest>> = BTreeMap::new();
        for item in self
            .operation
            .done()
            .filter(|item| item.intent.kind == OperationKind::Restore)
        {
            let id = item.intent.id.clone();
            match &item.intent.archive {
                _ if !is_there(item) => refused.push((ItemId::of_stem(&id), ItemError::Gone)),
                // There is nowhere to put a copy again.
                _ if is_copy(&self.yard.data, &item.intent) => {
                    refused.push((ItemId::of_stem(&id), ItemError::FromVault));
                }
                Some(archive) => to_archives.entry(&archive.0).or_default().push(ArchiveRequest::Id(id)),
                None => to_trash.sessions.push(id),
            }
        }
        let mut steps = Vec::new();
        for (archive, requests) in to_archives {
            let plan = plan_archive(self.yard, self.survey, &requests, Some(archive), &Vouched::nobody())?;
            steps.push(UndoStep::Archive(plan));
        }
        if to_trash.has_filter() {
            steps.push(UndoStep::Delete(plan_delete(self.yard, self.survey, &to_trash)?));
        }
        Ok(steps)
    }
}

/// Whether anything of the restored session is where it came back to.
fn is_there(item: &RecordedItem) -> bool {
    let mut moves = item.intent.moves.iter();
    moves.any(|mv| mv.to.0.symlink_metadata().is_ok())
}
