//! Making the plan.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use sexton_claude::footprint::{Footprints, footprints};
use sexton_sys::read;

use super::layout::{Layout, of_archive, of_extracted, of_trash};
use super::{From, RestoreError, RestoreOptions, RestorePlan, Source, Standing};
use crate::belongings::{gate_error, of_footprint, walked};
use crate::facts::SessionFacts;
use crate::gate::Vouched;
use crate::item::{ItemError, ItemId};
use crate::journal::{OperationId, OperationKind};
use crate::restore::Extracted;
use crate::stub::is_stub;
use crate::survey::Survey;
use crate::tombstones::{Tombstones, load_tombstones};
use crate::transfer::{Move, Transfer};
use crate::trash::{Belongings, Filling, Part};
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
    let mut planning = Planning::new(yard, survey, options, [source])?;
    planning.plan(source, extracted, vouched)
}

/// As [`plan_restore`] for several, which come back as one operation; one that can't hides nothing of the others.
pub fn plan_restores(
    yard: &Yard<'_>,
    survey: &Survey<'_>,
    sources: &[(Source, Option<Extracted>)],
    options: &RestoreOptions,
    vouched: &Vouched,
) -> Result<Vec<Result<RestorePlan, RestoreError>>, RestoreError> {
    let mut planning = Planning::new(yard, survey, options, sources.iter().map(|(source, _)| source))?;
    let plans = sources
        .iter()
        .map(|(source, extracted)| planning.plan(source, extracted.as_ref(), vouched));
    Ok(plans.collect())
}

/// What the plans of one operation share: one look at the footprints, one reading of the tombstones.
pub(crate) struct Planning<'a> {
    yard: &'a Yard<'a>,
    survey: &'a Survey<'a>,
    options: &'a RestoreOptions,
    operation: OperationId,
    tombstones: Tombstones,
    footprints: Footprints,
}

impl<'a> Planning<'a> {
    pub(crate) fn new<'s>(
        yard: &'a Yard<'a>,
        survey: &'a Survey<'a>,
        options: &'a RestoreOptions,
        sources: impl IntoIterator<Item = &'s Source>,
    ) -> Result<Self, RestoreError> {
        let sessions = sources.into_iter().filter_map(Source::session);
        Ok(Self {
            yard,
            survey,
            options,
            operation: yard.new_operation()?,
            tombstones: load_tombstones(&yard.tombstones).map_err(YardError::from)?,
            footprints: footprints(survey.config_dirs, survey.projects, sessions),
        })
    }

    pub(crate) fn plan(
        &mut self,
        source: &Source,
        extracted: Option<&Extracted>,
        vouched: &Vouched,
    ) -> Result<RestorePlan, RestoreError> {
        let layout = self.layout(source, extracted)?;
        let id = layout.id.clone();
        if !layout.base.is_dir() {
            return Err(RestoreError::BaseGone { id, base: layout.base });
        }
        let failed = |source: ItemError| item_error(&id, source);
        let is_vouched = id.session().is_some_and(|session| vouched.contains(session));
        let mut there = Vec::new();
        if let Some(session) = id.session() {
            gate_error(self.yard.gate, session, is_vouched).map_err(failed)?;
            let footprint = of_footprint(&mut self.footprints, session).map_err(failed)?;
            there.extend(footprint.parts.into_iter().map(|part| part.path));
        }
        let stub = self.stub(source.from(), &layout, &there, is_vouched)?;
        let moves = self.moves(&layout).map_err(failed)?;
        let refreshed = moves.iter().filter(|mv| mv.refresh).map(|mv| mv.to.clone());
        let stub_moves = stub.as_ref().map(|stub| stub.moves.clone()).unwrap_or_default();
        Ok(RestorePlan {
            from: source.from(),
            moves: layout.moves.clone(),
            refreshed: refreshed.collect(),
            stub: stub_moves.iter().map(|mv| mv.from.clone()).collect(),
            lifts_tombstone: self.tombstones.contains(id.as_str()),
            operation: self.operation.clone(),
            config_dirs: self.survey.config_dirs.to_vec(),
            transfer: Transfer {
                kind: OperationKind::Restore,
                moves: stub_moves.into_iter().chain(moves).collect(),
                prune: layout.emptied(),
                parents: layout.parents,
                tombstoned: Some(false),
                manifest: stub.and_then(|stub| stub.manifest),
                archive: layout.archive,
                generation: layout.generation,
                discard: false,
                involves: Vec::new(),
                known: there,
                absent: layout.absent,
                gated: true,
                vouched: is_vouched,
                main: layout.moves.first().map(|(_, to)| to.clone()),
                id: id.clone(),
            },
            extracted: layout.extracted,
            id,
        })
    }

    fn layout(&self, source: &Source, extracted: Option<&Extracted>) -> Result<Layout, RestoreError> {
        match (source, extracted) {
            (Source::Trash(item), _) => of_trash(item),
            (Source::Archive(there), _) => of_archive(there, self.survey),
            (Source::Vault(session), None) => Err(not_there((*session).into())),
            (Source::Vault(session), Some(extracted)) => {
                of_extracted(extracted).map_err(|source| item_error(&(*session).into(), source))
            }
        }
    }

    /// The transcript comes last: until then a client finds nothing to resume.
    fn moves(&self, layout: &Layout) -> Result<Vec<Move>, ItemError> {
        let sweep_before_ms = self.options.cleanup.oldest_kept_ms(self.yard.clock.now_ms());
        let moves = layout.moves.iter().rev().map(|(from, to)| {
            let part = walked(from.clone())?;
            let top = part.tree.top();
            let is_old = top.is_some_and(|top| top.modified().as_ms() < sweep_before_ms);
            Ok(Move {
                from: from.clone(),
                refresh: is_old && !self.options.keep_mtime && is_swept(&layout.base, to),
                to: to.clone(),
                seen: part.tree,
            })
        });
        moves.collect()
    }

    /// What stands where the session would come back to: refused if it is a session, moved aside if it is what a client left behind.
    fn stub(
        &self,
        from: From,
        layout: &Layout,
        there: &[PathBuf],
        vouched: bool,
    ) -> Result<Option<Transfer>, RestoreError> {
        let id = &layout.id;
        let main = layout.moves.first().map(|(main, _)| main);
        let present = |path: &Path| RestoreError::Present {
            id: id.clone(),
            path: path.to_path_buf(),
            standing: main
                .and_then(|main| standing(main, path).ok())
                .unwrap_or(Standing::Other),
            from,
        };
        let Some(session) = id.session() else {
            let taken = layout.moves.iter().find(|(_, to)| to.symlink_metadata().is_ok());
            return taken.map_or(Ok(None), |(_, path)| Err(present(path)));
        };
        let files = self.survey.projects.transcripts_of(session);
        let Some(first) = files.first() else { return Ok(None) };
        if let Some(real) = files.iter().find(|file| file.is_symlink || !is_stub(&file.path)) {
            return Err(present(&real.path));
        }
        // What is in nobody's way may be the session's own, and stays.
        let in_the_way = |path: &Path| layout.moves.iter().any(|(_, to)| to == path);
        let left = there
            .iter()
            .filter(|path| in_the_way(path) || files.iter().any(|file| file.path == **path));
        let parts: Result<Vec<Part>, ItemError> = left.map(|path| walked(path.clone())).collect();
        let belongings = Belongings {
            id: id.clone(),
            base: self.survey.config_dirs[first.config_dir].path.clone(),
            parts: parts.map_err(|source| item_error(id, source))?,
            prune: Vec::new(),
            facts: SessionFacts::default(),
            vouched,
        };
        let mut filling = Filling::new(self.yard, &self.operation);
        Ok(Some(filling.add(&belongings, OperationKind::Tidy)))
    }
}

/// How the transcript `there` stands to the one at `main`, which would come back.
fn standing(main: &Path, there: &Path) -> io::Result<Standing> {
    let open = |path: &Path| read::open_regular(path).map(|(file, _)| BufReader::with_capacity(64 * 1024, file));
    let (mut one, mut two) = (open(main)?, open(there)?);
    loop {
        let (a, b) = (one.fill_buf()?, two.fill_buf()?);
        let length = match (a.len(), b.len()) {
            (0, 0) => return Ok(Standing::Same),
            (0, _) => return Ok(Standing::Further),
            (_, 0) => return Ok(Standing::Other),
            (a, b) => a.min(b),
        };
        if a[..length] != b[..length] {
            return Ok(Standing::Other);
        }
        one.consume(length);
        two.consume(length);
    }
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
