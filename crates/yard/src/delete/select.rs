//! Which sessions a delete means.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use sexton_register::SessionId;
use sexton_sys::listing::EntryKind;
use sexton_sys::{FileIdentity, FileTime};

use super::DeleteError;
use crate::address::{Addressed, address};
use crate::archive::list_archive;
use crate::facts::SessionFacts;
use crate::filter::{DeleteOptions, is_at_or_below, matches_project};
use crate::item::{ItemError, ItemId};
use crate::survey::{Retained, Survey};

/// A session that a delete could take.
#[derive(Debug, Clone)]
pub(super) enum Candidate<'a> {
    /// In the projects tree.
    Present {
        id: ItemId,
        config_dir: usize,
        transcripts: Vec<PathBuf>,
        link: Option<PathBuf>,
    },
    /// Known to the index or the vault only.
    Retained(&'a Retained),
    /// In this archive.
    Archived(SessionId, PathBuf),
    /// Without a transcript, but with a directory of its own.
    Remnant(SessionId, usize),
}

/// What a candidate was seen to be on the way through the filters.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) facts: SessionFacts,
    pub(super) modified: Option<FileTime>,
    pub(super) bytes: u64,
}

impl Candidate<'_> {
    pub(super) fn id(&self) -> ItemId {
        match self {
            Self::Present { id, .. } => id.clone(),
            Self::Retained(retained) => retained.session.into(),
            Self::Archived(session, _) | Self::Remnant(session, _) => (*session).into(),
        }
    }

    pub(super) fn transcripts(&self) -> &[PathBuf] {
        match self {
            Self::Present { transcripts, .. } => transcripts,
            Self::Retained(retained) => std::slice::from_ref(&retained.transcript),
            _ => &[],
        }
    }
}

/// Everything that could be meant. What a filter can't meet (foreign files, archived sessions, directories without a transcript) is only
/// there when something is named.
pub(super) fn candidates<'a>(survey: &Survey<'a>, options: &DeleteOptions) -> Vec<Candidate<'a>> {
    let mut candidates: Vec<Candidate<'a>> = Vec::new();
    for (session, files) in survey.by_session() {
        let Some(first) = files.first() else { continue };
        candidates.push(Candidate::Present {
            id: session.into(),
            config_dir: first.config_dir,
            transcripts: files.iter().map(|file| file.path.clone()).collect(),
            link: files.iter().find(|file| file.is_symlink).map(|file| file.path.clone()),
        });
    }
    let present: BTreeSet<SessionId> = survey.by_session().into_keys().collect();
    let retained = survey
        .retained
        .iter()
        .filter(|retained| !present.contains(&retained.session));
    candidates.extend(retained.map(Candidate::Retained));
    if options.sessions().next().is_some() {
        add_what_is_only_named(survey, &present, &mut candidates);
    }
    candidates
}

fn add_what_is_only_named(survey: &Survey<'_>, present: &BTreeSet<SessionId>, candidates: &mut Vec<Candidate<'_>>) {
    let mut known = present.clone();
    for archive in survey.archives {
        for session in list_archive(archive).unwrap_or_default() {
            if known.insert(session) {
                candidates.push(Candidate::Archived(session, archive.clone()));
            }
        }
    }
    let mut remnants = BTreeSet::new();
    for directory in &survey.projects.session_directories {
        if known.insert(directory.session) {
            candidates.push(Candidate::Remnant(directory.session, directory.config_dir));
            remnants.insert(directory.session);
        }
    }
    // What is known of one elsewhere goes with its directory: one session is one candidate.
    candidates.retain(|candidate| !matches!(candidate, Candidate::Retained(of) if remnants.contains(&of.session)));
    for file in &survey.projects.foreign {
        // A stem that is no text can't be typed, and can't be a line of the tombstone file.
        if let Some(stem) = file.stem.to_str().filter(|stem| !stem.is_empty())
            && matches!(file.kind, EntryKind::File | EntryKind::Symlink)
        {
            candidates.push(Candidate::Present {
                id: ItemId::of_stem(stem),
                config_dir: file.config_dir,
                transcripts: vec![file.path.clone()],
                link: (file.kind == EntryKind::Symlink).then(|| file.path.clone()),
            });
        }
    }
}

/// The ids that are named, each found exactly once; `None` if none is.
pub(super) fn named(
    options: &DeleteOptions,
    candidates: &[Candidate<'_>],
) -> Result<Option<BTreeSet<ItemId>>, DeleteError> {
    let ids: Vec<ItemId> = candidates.iter().map(Candidate::id).collect();
    let mut named: Option<BTreeSet<ItemId>> = None;
    for text in options.sessions() {
        match address(text, &ids) {
            Addressed::One(id) => {
                named.get_or_insert_default().insert(id);
            }
            Addressed::None => return Err(DeleteError::NotFound(text.to_owned())),
            Addressed::Several(matches) => {
                return Err(DeleteError::Ambiguous {
                    prefix: text.to_owned(),
                    matches: matches.iter().map(ToString::to_string).collect(),
                });
            }
        }
    }
    Ok(named)
}

/// Whether every filter that is set is satisfied; the cheap ones first, so that what they leave out is never opened.
pub(super) fn passes(
    survey: &Survey<'_>,
    options: &DeleteOptions,
    candidate: &Candidate<'_>,
) -> Result<Option<Seen>, ItemError> {
    let mut seen = Seen::default();
    if let Some(text) = options.project()
        && !candidate
            .transcripts()
            .iter()
            .any(|path| in_project(survey, path, text))
    {
        return Ok(None);
    }
    look(candidate, &mut seen)?;
    if let Some(before) = options.before
        && seen.modified.is_none_or(|modified| modified >= before)
    {
        return Ok(None);
    }
    learn(survey, candidate, &mut seen)?;
    let facts = &mut seen.facts;
    if let Some(before_ms) = options.inactive_before_ms
        && facts.last_activity_ms.is_none_or(|last_ms| last_ms >= before_ms)
    {
        return Ok(None);
    }
    if let Some(cwd) = options.cwd()
        && !facts
            .directory
            .as_deref()
            .is_some_and(|directory| is_at_or_below(directory, cwd))
    {
        return Ok(None);
    }
    let newest = newest(candidate);
    if let Some(most) = options.max_messages() {
        if let (None, Some(path)) = (facts.messages, newest) {
            facts.messages = Some(survey.facts.messages(path, most).map_err(ItemError::look(path))?);
        }
        if facts.messages.is_none_or(|messages| messages > most) {
            return Ok(None);
        }
    }
    if options.routine {
        if let (None, Some(path)) = (facts.routine, newest) {
            facts.routine = Some(survey.facts.routine(path).map_err(ItemError::look(path))?);
        }
        if facts.routine != Some(true) {
            return Ok(None);
        }
    }
    Ok(Some(seen))
}

fn in_project(survey: &Survey<'_>, transcript: &Path, text: &str) -> bool {
    let slug = transcript.parent().and_then(Path::file_name).unwrap_or(OsStr::new(""));
    matches_project(&survey.projects_root(transcript), slug, text)
}

/// Sizes and times: of several copies the newest time, since a filter for old sessions must not take a young one.
fn look(candidate: &Candidate<'_>, seen: &mut Seen) -> Result<(), ItemError> {
    match candidate {
        Candidate::Present { transcripts, .. } => {
            for path in transcripts {
                let identity = FileIdentity::at(path).map_err(ItemError::look(path))?;
                seen.modified = seen.modified.max(Some(identity.modified));
                seen.bytes += identity.size;
            }
        }
        Candidate::Retained(retained) => seen.modified = retained.modified,
        Candidate::Archived(..) | Candidate::Remnant(..) => {}
    }
    Ok(())
}

/// The facts; of several copies the one that was active last speaks for the session.
fn learn(survey: &Survey<'_>, candidate: &Candidate<'_>, seen: &mut Seen) -> Result<(), ItemError> {
    if let Candidate::Retained(retained) = candidate {
        seen.facts = retained.facts.clone();
        return Ok(());
    }
    let Candidate::Present {
        id,
        transcripts,
        link: None,
        ..
    } = candidate
    else {
        return Ok(());
    };
    for path in transcripts {
        let facts = survey.facts.facts(id.session(), path).map_err(ItemError::look(path))?;
        if facts.last_activity_ms >= seen.facts.last_activity_ms {
            seen.facts = facts;
        }
    }
    if transcripts.len() > 1 {
        // The others count, too; they are only looked into when it is asked for.
        seen.facts.messages = None;
        seen.facts.routine = None;
    }
    Ok(())
}

/// The largest of a candidate's transcripts that can be counted: a short copy must not make a long session look short.
fn newest<'a>(candidate: &'a Candidate<'_>) -> Option<&'a Path> {
    let Candidate::Present { transcripts, .. } = candidate else {
        return None;
    };
    let size = |path: &&PathBuf| FileIdentity::at(path).map_or(0, |identity| identity.size);
    transcripts.iter().max_by_key(size).map(PathBuf::as_path)
}
