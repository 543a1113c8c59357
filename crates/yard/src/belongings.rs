//! From a footprint to what is moved: every part walked, main files first.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sexton_claude::footprint::{Footprint, Footprints, PartKind};
use sexton_register::SessionId;

use crate::facts::SessionFacts;
use crate::gate::{Gate, Verdict};
use crate::item::{ItemError, ItemId};
use crate::trash::{Belongings, Part};
use crate::tree::{ChangeKind, Tree};

/// The footprint of one session out of those that were asked for. A place where a part may lie unseen is an error: whole or nothing.
pub(crate) fn of_footprint(found: &mut Footprints, session: &SessionId) -> Result<Footprint, ItemError> {
    let concerns = |of: &Option<SessionId>| of.is_none_or(|of| of == *session);
    if let Some(problem) = found.problems.iter().find(|problem| concerns(&problem.session)) {
        return Err(ItemError::Look {
            path: problem.path.clone(),
            // It may concern others as well, and an error of the system can't be shared.
            source: std::io::Error::new(problem.source.kind(), problem.source.to_string()),
        });
    }
    Ok(found.sessions.remove(session).unwrap_or(Footprint {
        session: *session,
        parts: Vec::new(),
    }))
}

/// The same of a session that has these transcripts. One that isn't there any more is being moved by somebody else: what is left of the
/// session would be half of it.
pub(crate) fn of_present<'a>(
    found: &mut Footprints,
    session: &SessionId,
    transcripts: impl IntoIterator<Item = &'a Path>,
) -> Result<Footprint, ItemError> {
    let footprint = of_footprint(found, session)?;
    let is_there = |path: &Path| footprint.parts.iter().any(|part| part.path == path);
    let vanished = transcripts.into_iter().filter(|path| !is_there(path));
    ItemError::of_changes(vanished, ChangeKind::Vanished)?;
    Ok(footprint)
}

/// Walks the parts of a footprint below `config_dir`.
pub(crate) fn belongings(id: ItemId, config_dir: &Path, footprint: Footprint) -> Result<Belongings, ItemError> {
    let mut prune = BTreeSet::new();
    let mut parts = Vec::new();
    for part in footprint.parts {
        if matches!(
            part.kind,
            PartKind::Transcript | PartKind::SessionDirectory | PartKind::SetAside
        ) {
            prune.extend(part.path.parent().map(Path::to_path_buf));
        }
        parts.push(walked(part.path)?);
    }
    Ok(Belongings {
        id,
        base: config_dir.to_path_buf(),
        parts,
        prune: prune.into_iter().collect(),
        facts: SessionFacts::default(),
        vouched: false,
    })
}

/// One path with all that is in it.
pub(crate) fn walked(path: PathBuf) -> Result<Part, ItemError> {
    let tree = Tree::walk(&path).map_err(ItemError::look(&path))?;
    Ok(Part { path, tree })
}

/// Refuses what lives, or may live.
pub(crate) fn gate_error(gate: &dyn Gate, session: &SessionId, vouched: bool) -> Result<(), ItemError> {
    match gate.verdict(session) {
        Verdict::Free => Ok(()),
        Verdict::NotJudgeable(_) if vouched => Ok(()),
        Verdict::NotJudgeable(process) => Err(ItemError::NotJudgeable(process)),
        Verdict::Live(process) => Err(ItemError::Live(process)),
    }
}
