//! Making the plan.

use std::path::{Path, PathBuf};

use sexton_claude::footprint::footprints;

use super::layout::{Layout, of_archive, of_extracted, of_trash};
use super::{From, RestoreError, RestoreOptions, RestorePlan, Source};
use crate::belongings::{belongings, gate_error, of_footprint, walked};
use crate::gate::Vouched;
use crate::item::{ItemError, ItemId};
use crate::journal::OperationKind;
use crate::restore::Extracted;
use crate::stub::is_stub;
use crate::survey::Survey;
use crate::tombstones::load_tombstones;
use crate::transfer::{Move, Transfer};
use crate::trash::Filling;
use crate::yard::{Yard, YardError};

/// Below a config directory, what Claude Code removes when its modification time is old.
const SWEPT: [&str; 6] = ["projects", "file-history", "session-env", "tasks", "todos", "debug"];

/// Plans to bring one session back from `source`. Changes nothing.
///
/// For [`Source::Vault`], `extracted` is the copy; the caller removes its directory afterwards, which is then empty. A transcript that is
/// there already is refused, unless it is only what a client left behind.
pub fn plan_restore(
    yard: &Yard<'_>,
    survey: &Survey<'_>,
    source: &Source,
    extracted: Option<&Extracted>,
    options: &RestoreOptions,
    vouched: &Vouched,
) -> Result<RestorePlan, RestoreError> {
    let layout = match (source, extracted) {
        (Source::Trash(item), _) => of_trash(item)?,
        (Source::Archive(there), _) => of_archive(there)?,
        (Source::Vault(session), None) => return Err(not_there((*session).into())),
        (Source::Vault(session), Some(extracted)) => {
            of_extracted(extracted).map_err(|source| item_error(&(*session).into(), source))?
        }
    };
    let id = layout.id.clone();
    if !layout.base.is_dir() {
        return Err(RestoreError::BaseGone { id, base: layout.base });
    }
    let is_vouched = id.session().is_some_and(|session| vouched.contains(session));
    if let Some(session) = id.session() {
        gate_error(yard.gate, session, is_vouched).map_err(|source| item_error(&id, source))?;
    }
    let operation = yard.new_operation()?;
    let stub = stub(yard, survey, &layout, &operation, is_vouched)?;
    let tombstones = load_tombstones(&yard.tombstones).map_err(YardError::from)?;
    let sweep_before_ms = options.cleanup.oldest_kept_ms(yard.clock.now_ms());
    let mut moves = Vec::new();
    // The transcript comes last: until then a client finds nothing to resume.
    for (from, to) in layout.moves.iter().rev() {
        let part = walked(from.clone()).map_err(|source| item_error(&id, source))?;
        let is_old = part
            .tree
            .top()
            .is_some_and(|top| top.modified().as_ms() < sweep_before_ms);
        moves.push(Move {
            from: from.clone(),
            refresh: is_old && !options.keep_mtime && is_swept(&layout.base, to),
            to: to.clone(),
            seen: part.tree,
        });
    }
    let refreshed = moves.iter().filter(|mv| mv.refresh).map(|mv| mv.to.clone());
    let refreshed: Vec<PathBuf> = refreshed.collect();
    let stub_moves = stub.as_ref().map(|stub| stub.moves.clone()).unwrap_or_default();
    let stub_paths = stub_moves.iter().map(|mv| mv.from.clone()).collect();
    let lifts_tombstone = tombstones.contains(id.as_str());
    Ok(RestorePlan {
        from: source.from(),
        moves: layout.moves.clone(),
        refreshed,
        stub: stub_paths,
        lifts_tombstone,
        operation,
        transfer: Transfer {
            kind: OperationKind::Restore,
            moves: stub_moves.into_iter().chain(moves).collect(),
            prune: Vec::new(),
            parents: layout.parents,
            tombstoned: Some(false),
            manifest: stub.and_then(|stub| stub.manifest),
            archive: layout.archive,
            generation: layout.generation,
            discard: false,
            involves: Vec::new(),
            gated: true,
            vouched: is_vouched,
            main: layout.moves.first().map(|(_, to)| to.clone()),
            id: id.clone(),
        },
        extracted: layout.extracted,
        id,
    })
}

/// What stands where the session would come back to: refused if it is a session, moved aside if it is what a client left behind.
fn stub(
    yard: &Yard<'_>,
    survey: &Survey<'_>,
    layout: &Layout,
    operation: &crate::journal::OperationId,
    vouched: bool,
) -> Result<Option<Transfer>, RestoreError> {
    let id = &layout.id;
    let Some(session) = id.session() else {
        let there = layout.moves.iter().find(|(_, to)| to.symlink_metadata().is_ok());
        return match there {
            Some((_, path)) => Err(RestoreError::Present {
                id: id.clone(),
                path: path.clone(),
            }),
            None => Ok(None),
        };
    };
    let files = survey.projects.transcripts_of(session);
    let Some(first) = files.first() else { return Ok(None) };
    if let Some(real) = files.iter().find(|file| file.is_symlink || !is_stub(&file.path)) {
        return Err(RestoreError::Present {
            id: id.clone(),
            path: real.path.clone(),
        });
    }
    let failed = |source: ItemError| item_error(id, source);
    let config_dir = &survey.config_dirs[first.config_dir].path;
    let mut found = footprints(survey.config_dirs, survey.projects, [*session]);
    let mut left = belongings(
        id.clone(),
        config_dir,
        of_footprint(&mut found, session).map_err(failed)?,
    )
    .map_err(failed)?;
    left.vouched = vouched;
    // What is in nobody's way may be the session's own, and stays.
    let in_the_way = |path: &Path| layout.moves.iter().any(|(_, to)| to == path);
    left.parts
        .retain(|part| in_the_way(&part.path) || files.iter().any(|file| file.path == part.path));
    Ok(Some(Filling::new(yard, operation).add(&left, OperationKind::Tidy)))
}

fn is_swept(base: &Path, path: &Path) -> bool {
    let below = path.strip_prefix(base).ok();
    let first = below.and_then(|below| below.components().next());
    first.is_some_and(|first| SWEPT.iter().any(|swept| first.as_os_str() == *swept))
}

fn item_error(id: &ItemId, source: ItemError) -> RestoreError {
    RestoreError::Item { id: id.clone(), source }
}

fn not_there(id: ItemId) -> RestoreError {
    RestoreError::NotThere {
        id,
        from: From::Vault.word(),
    }
}
