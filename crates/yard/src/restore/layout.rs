//! What moves where when a session comes back.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use sexton_claude::transcript::summarize_ends;
use sexton_register::SessionId;
use sexton_sys::listing::{self, EntryKind};

use super::{Extracted, RestoreError};
use crate::archive::{ArchivedSession, manifest_path, unlisted};
use crate::item::{ItemError, ItemId};
use crate::manifest::{Manifest, ManifestParent};
use crate::survey::Survey;
use crate::transfer::Parent;
use crate::trash::TrashItem;

/// From where to where, before anything of it is looked at.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) id: ItemId,
    /// The config directory or archive that must be there.
    pub(super) base: PathBuf,
    /// The main file first.
    pub(super) moves: Vec<(PathBuf, PathBuf)>,
    /// What the manifest lists and is not there: lost, or on its way.
    pub(super) absent: Vec<PathBuf>,
    pub(super) parents: Vec<Parent>,
    /// The place it comes from, one of three.
    pub(super) generation: Option<PathBuf>,
    pub(super) archive: Option<PathBuf>,
    pub(super) extracted: Option<PathBuf>,
}

impl Layout {
    /// The directories of an extracted copy that its parts leave empty: should we be killed, recovery removes them.
    pub(super) fn emptied(&self) -> Vec<PathBuf> {
        let Some(top) = &self.extracted else {
            return Vec::new();
        };
        let above = self.moves.iter().flat_map(|(from, _)| from.ancestors().skip(1));
        let directories: BTreeSet<&Path> = above.filter(|path| path.starts_with(top)).collect();
        directories.into_iter().map(Path::to_path_buf).collect()
    }
}

pub(super) fn of_trash(item: &TrashItem) -> Result<Layout, RestoreError> {
    let (moves, absent) = of_manifest(&item.id, &item.manifest, &item.generation)?;
    Ok(Layout {
        id: item.id.clone(),
        base: item.manifest.base.0.clone(),
        moves,
        absent,
        parents: item.manifest.parents.iter().map(Parent::from).collect(),
        generation: Some(item.generation.clone()),
        archive: None,
        extracted: None,
    })
}

pub(super) fn of_archive(there: &ArchivedSession, survey: &Survey<'_>) -> Result<Layout, RestoreError> {
    let id = ItemId::from(there.session);
    let Some(manifest) = &there.manifest else {
        return of_names(there, survey);
    };
    let (moves, absent) = of_manifest(&id, manifest, &there.archive)?;
    // An archive can come from anywhere, and its manifest with it: all that it may choose is a session's place in a known directory.
    let is_known = |path: &Path| is_known(path, survey);
    let is_own = |path: &Path| {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        is_known(path) && name.starts_with(there.session.as_str().as_bytes())
    };
    let strange = moves.iter().map(|(_, to)| to).find(|to| !is_own(to));
    if let Some(path) = strange.or(Some(&manifest.base.0).filter(|base| !is_known(base))) {
        let path = path.clone();
        return Err(RestoreError::Unsound { id, path });
    }
    Ok(Layout {
        moves,
        absent,
        id,
        base: manifest.base.0.clone(),
        parents: manifest.parents.iter().map(Parent::from).collect(),
        generation: None,
        archive: Some(there.archive.clone()),
        extracted: None,
    })
}

fn is_known(path: &Path, survey: &Survey<'_>) -> bool {
    let mut known = survey.config_dirs.iter();
    known.any(|known| path.starts_with(&known.path) || path.starts_with(&known.real))
}

/// A session without a manifest, because another tool has archived it or a power cut has left nothing of it: its records tell the directory
/// that it was started in, Claude Code names project directories after that, and what else is its own is called after it.
fn of_names(there: &ArchivedSession, survey: &Survey<'_>) -> Result<Layout, RestoreError> {
    let id = ItemId::from(there.session);
    let failed = |source: ItemError| RestoreError::Item { id: id.clone(), source };
    let base = base(there, survey)?;
    let project = summarize_ends(&there.transcript)
        .ok()
        .and_then(|ends| slug(ends.summary.first_directory()?.to_str()?))
        .ok_or_else(|| RestoreError::UnknownOrigin(id.clone()))?;
    let main = base
        .join("projects")
        .join(project)
        .join(format!("{}.jsonl", there.session));
    let parts = unlisted(&there.archive, &there.session, &base, &main).map_err(failed)?;
    if let Some((_, origin)) = parts.iter().find(|(_, origin)| !is_known(origin, survey)) {
        let base = origin.parent().unwrap_or(origin).to_path_buf();
        return Err(RestoreError::BaseGone { id, base });
    }
    let parts = parts
        .into_iter()
        .map(|(stored, origin)| (there.archive.join(stored), origin));
    Ok(Layout {
        id: there.session.into(),
        base,
        moves: std::iter::once((there.transcript.clone(), main)).chain(parts).collect(),
        absent: Vec::new(),
        parents: Vec::new(),
        generation: None,
        archive: Some(there.archive.clone()),
        extracted: None,
    })
}

/// The config directory that a session without a manifest was in.
fn base(there: &ArchivedSession, survey: &Survey<'_>) -> Result<PathBuf, RestoreError> {
    let id = ItemId::from(there.session);
    // An archive in a config directory holds that one's sessions.
    let mut config_dirs = survey.config_dirs.iter();
    let own = config_dirs.find(|config_dir| there.archive.starts_with(&config_dir.path));
    let manifest = manifest_path(&there.archive, &there.session);
    match (own, survey.config_dirs) {
        (Some(own), _) => Ok(own.path.clone()),
        // It was ours, and could have been of each of them.
        (None, [_, _, ..]) if manifest.symlink_metadata().is_ok() => Err(RestoreError::BlankManifest { id, manifest }),
        (None, [first, ..]) => Ok(first.path.clone()),
        (None, []) => Err(RestoreError::UnknownOrigin(id)),
    }
}

/// The name of the project directory for a working directory; `None` for long ones, whose names end in a hash that differed between
/// versions of the client.
fn slug(directory: &str) -> Option<String> {
    const LONGEST: usize = 200;
    let units = directory.encode_utf16().map(|unit| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        _ => '-',
    });
    let name: String = units.collect();
    (name.len() <= LONGEST).then_some(name)
}

/// What a manifest says moves, and what of that isn't there.
type Listed = (Vec<(PathBuf, PathBuf)>, Vec<PathBuf>);

/// A manifest is ours, but lies where anyone could have put another: nothing in it may lead out of where it lies.
fn of_manifest(id: &ItemId, manifest: &Manifest, stored_in: &Path) -> Result<Listed, RestoreError> {
    let unsound = |path: &Path| RestoreError::Unsound {
        id: id.clone(),
        path: path.to_path_buf(),
    };
    let is_plain = |path: &Path| {
        path.components()
            .all(|component| matches!(component, Component::Normal(_)))
    };
    for ManifestParent { path, .. } in &manifest.parents {
        path.0
            .strip_prefix(&manifest.base.0)
            .ok()
            .filter(|below| is_plain(below))
            .ok_or_else(|| unsound(&path.0))?;
    }
    let mut moves = Vec::new();
    for entry in &manifest.entries {
        let (stored, origin) = (&entry.stored.0, &entry.origin.0);
        let origin_is_sound = origin.strip_prefix("/").is_ok_and(is_plain);
        if !is_plain(stored) || stored.as_os_str().is_empty() || !origin_is_sound {
            return Err(unsound(if origin_is_sound { stored } else { origin }));
        }
        moves.push((stored_in.join(stored), origin.clone()));
    }
    // What was lost from the trash is lost; the rest comes back.
    let (there, lost): (Vec<_>, Vec<_>) = moves.into_iter().partition(|(from, _)| from.symlink_metadata().is_ok());
    Ok((there, lost.into_iter().map(|(from, _)| from).collect()))
}

/// The parts of an extracted copy: what lies two levels below the top, three below `projects`.
pub(super) fn of_extracted(extracted: &Extracted) -> Result<Layout, ItemError> {
    let mut parts = Vec::new();
    for (name, directory) in children(&extracted.directory)? {
        for (_, path) in children(&directory)? {
            if name == "projects" {
                parts.extend(children(&path)?.into_iter().map(|(_, path)| path));
            } else {
                parts.push(path);
            }
        }
    }
    let main = |path: &PathBuf| !is_transcript_of(path, &extracted.session);
    parts.sort_by_key(main);
    let moves = parts.into_iter().map(|from| {
        let relative = from.strip_prefix(&extracted.directory).unwrap_or(&from).to_path_buf();
        (from, extracted.config_dir.join(relative))
    });
    Ok(Layout {
        id: extracted.session.into(),
        base: extracted.config_dir.clone(),
        moves: moves.collect(),
        absent: Vec::new(),
        parents: Vec::new(),
        generation: None,
        archive: None,
        extracted: Some(extracted.directory.clone()),
    })
}

fn children(directory: &Path) -> Result<Vec<(std::ffi::OsString, PathBuf)>, ItemError> {
    let is_directory = directory
        .symlink_metadata()
        .is_ok_and(|metadata| EntryKind::of(metadata.file_type()) == EntryKind::Directory);
    if !is_directory {
        return Ok(Vec::new());
    }
    let entries = listing::list(directory).map_err(ItemError::look(directory))?;
    Ok(entries
        .into_iter()
        .map(|entry| {
            let path = directory.join(&entry.name);
            (entry.name, path)
        })
        .collect())
}

fn is_transcript_of(path: &Path, session: &SessionId) -> bool {
    path.file_name()
        .is_some_and(|name| name == format!("{session}.jsonl").as_str())
}
