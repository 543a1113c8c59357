//! What moves when a candidate is deleted.

use std::path::{Path, PathBuf};

use sexton_claude::footprint::Footprints;

use super::Place;
use super::select::Candidate;
use crate::archive::archived;
use crate::belongings::{belongings, of_footprint, of_present, walked};
use crate::item::ItemError;
use crate::survey::Survey;
use crate::trash::Belongings;

/// Gathers everything of `candidate`; transcripts that are links are refused.
pub(super) fn gather(
    survey: &Survey<'_>,
    candidate: &Candidate<'_>,
    found: &mut Footprints,
) -> Result<(Belongings, Place), ItemError> {
    let id = candidate.id();
    let (mut belongings, place) = match candidate {
        Candidate::Present { link: Some(link), .. } => return Err(ItemError::SymlinkedTranscript(link.clone())),
        Candidate::Present {
            config_dir,
            transcripts,
            ..
        } => {
            let base = &survey.config_dirs[*config_dir].path;
            let own = match id.session() {
                Some(session) => {
                    let there = transcripts.iter().map(PathBuf::as_path);
                    belongings(id.clone(), base, of_present(found, session, there)?)?
                }
                None => there_is(files(&id, base, transcripts.iter())?)?,
            };
            (own, Place::Projects)
        }
        Candidate::Remnant(session, config_dir) => {
            let base = &survey.config_dirs[*config_dir].path;
            (
                there_is(belongings(id.clone(), base, of_footprint(found, session)?)?)?,
                Place::Projects,
            )
        }
        Candidate::Archived(session, archive) => {
            let there = archived(archive, *session)?.ok_or(ItemError::Gone)?;
            let beside = [session.to_string(), format!("{session}.sexton")].map(|name| archive.join(name));
            let mut own = files(&id, archive, std::iter::once(&there.transcript).chain(&beside))?;
            if let Some(manifest) = there.manifest {
                own.facts.title = manifest.title;
                own.facts.directory = manifest.directory.map(|directory| directory.0);
            }
            (own, Place::Archive)
        }
        Candidate::Retained(_) => (
            files(&id, &base_of_retained(survey), std::iter::empty())?,
            Place::Retained,
        ),
    };
    if let Some(session) = id.session() {
        for path in (survey.along)(session) {
            if path.symlink_metadata().is_ok() {
                belongings.parts.push(walked(path)?);
            }
        }
    }
    Ok((belongings, place))
}

/// Something of it must still be there: else somebody else has taken it meanwhile.
fn there_is(belongings: Belongings) -> Result<Belongings, ItemError> {
    if belongings.parts.is_empty() {
        return Err(ItemError::Gone);
    }
    Ok(belongings)
}

/// Those of `paths` that are there.
fn files<'a>(
    id: &crate::item::ItemId,
    base: &Path,
    paths: impl Iterator<Item = &'a PathBuf>,
) -> Result<Belongings, ItemError> {
    let there = paths.filter(|path| path.symlink_metadata().is_ok());
    Ok(Belongings {
        id: id.clone(),
        base: base.to_path_buf(),
        parts: there.map(|path| walked(path.clone())).collect::<Result<_, _>>()?,
        prune: Vec::new(),
        facts: crate::facts::SessionFacts::default(),
        vouched: false,
    })
}

/// What is retained has no place of its own any more; only what goes along moves, and that is found by its absolute path.
fn base_of_retained(survey: &Survey<'_>) -> PathBuf {
    survey
        .config_dirs
        .first()
        .map_or_else(PathBuf::new, |first| first.path.clone())
}
