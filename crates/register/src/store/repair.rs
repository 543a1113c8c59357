//! Moving damaged lines out of a session's file.
//!
//! Killed at any step, a repair leaves the file as it was or mended, and every byte under some name. Appends of others
//! that reach the old file while it is replaced are carried over afterwards; repairing again carries over what a killed
//! repair could not.

use std::collections::HashSet;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sexton_sys::listing::list;
use sexton_sys::{Durability, Effects, LockError};

use super::content::{Judgement, lines};
use super::read::read_content;
use crate::{EventId, InvalidLine, LifecycleError, now_timestamp};

/// What to repair, and what has to be known for it.
#[derive(Debug, Clone, Copy)]
pub struct Repair<'a> {
    /// The session's file.
    pub file: &'a Path,
    /// Whether the session lives, or may live; its hooks would write to the file at any time.
    pub is_live: bool,
    /// The time, in milliseconds since the Unix epoch; it goes into the names of the files set aside.
    pub now_ms: i64,
    /// How long to wait for appends that were on their way to the old file.
    pub settle: Duration,
}

/// What a repair did, or, in a dry run, would do.
#[derive(Debug, Default)]
pub struct Repaired {
    /// How many lines were kept, byte for byte.
    pub kept: usize,
    /// The lines that were moved aside.
    pub moved: Vec<MovedLine>,
    /// How many lines were carried over that reached an old file while it was being replaced, now or in an earlier repair.
    pub carried: usize,
    /// The file that holds the damaged lines; none if none were found.
    pub damaged_file: Option<PathBuf>,
    /// The file as it was; none if nothing was changed.
    pub old_file: Option<PathBuf>,
}

/// A line that was moved aside.
#[derive(Debug)]
pub struct MovedLine {
    /// Its number in the old file, counted from 1.
    pub line: usize,
    /// What is wrong with it; nothing if it was cut short at the end of the file.
    pub what: Option<InvalidLine>,
}

/// Why a file was not repaired.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// Its session lives.
    #[error("repair `{}`: its session lives and may write to it", .0.display())]
    Live(PathBuf),
    /// Another repair is at it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// It can't be read or written.
    #[error(transparent)]
    Lifecycle(#[from] LifecycleError),
}

/// Moves the damaged lines of a session's file into a file beside it that no reader looks at, and keeps the good ones.
///
/// The file as it was is kept, too. A file without damage is left alone, a live session's is refused.
pub fn repair(effects: &Effects, repair: &Repair<'_>) -> Result<Repaired, RepairError> {
    let file = &resolved(repair.file)?;
    if repair.is_live {
        return Err(RepairError::Live(file.clone()));
    }
    // The lock is on the file itself and keeps other repairs away; nobody who appends asks for it.
    let _lock = effects.lock(file, Duration::ZERO)?;

    let mut content = Vec::new();
    read_content(file, &mut content)?;
    let mut sorted = Sorted::of(&content);
    let mut repaired = Repaired::default();
    if !sorted.moved.is_empty() {
        let names = Names::free(file, repair.now_ms);
        effects.hard_link(file, &names.before).map_err(LifecycleError::from)?;
        if !effects.is_dry_run() {
            // From here on nothing that anyone appends can be lost, so this reading is the one that counts.
            read_content(&names.before, &mut content)?;
            sorted = Sorted::of(&content);
        }
        effects
            .create_file(&names.damaged, &sorted.damaged)
            .map_err(LifecycleError::from)?;
        effects.replace_file(file, &sorted.good).map_err(LifecycleError::from)?;
        repaired.damaged_file = Some(names.damaged);
        repaired.old_file = Some(names.before);
    }
    repaired.kept = sorted.kept;
    repaired.moved = sorted.moved;
    repaired.carried = carry_over(effects, file)?;
    if repaired.old_file.is_some() && !effects.is_dry_run() {
        std::thread::sleep(repair.settle);
        repaired.carried += carry_over(effects, file)?;
    }
    Ok(repaired)
}

/// The file itself where `path` is a symlink to it, so that the files set aside lie beside the store's own.
fn resolved(path: &Path) -> Result<PathBuf, LifecycleError> {
    let metadata = path.symlink_metadata().map_err(LifecycleError::read(path))?;
    let resolved = if metadata.is_symlink() {
        path.canonicalize().map_err(LifecycleError::read(path))?
    } else {
        path.to_path_buf()
    };
    // Before the lock, which would open anything.
    sexton_sys::read::open_regular(&resolved).map_err(LifecycleError::read(path))?;
    Ok(resolved)
}

/// A file's lines, the good from the damaged.
#[derive(Debug, Default)]
struct Sorted {
    good: Vec<u8>,
    damaged: Vec<u8>,
    kept: usize,
    moved: Vec<MovedLine>,
}

impl Sorted {
    fn of(content: &[u8]) -> Self {
        let mut sorted = Self::default();
        for line in lines(content) {
            let what = match line.judge() {
                Judgement::Event(_) | Judgement::Blank => {
                    sorted.kept += 1;
                    sorted.good.extend_from_slice(line.bytes);
                    sorted
                        .good
                        .extend_from_slice(if line.is_terminated { b"\n" } else { b"" });
                    continue;
                }
                Judgement::CutShort => None,
                Judgement::Damaged(what) => Some(what),
            };
            sorted.damaged.extend_from_slice(line.bytes);
            sorted.damaged.push(b'\n');
            sorted.moved.push(MovedLine {
                line: line.number,
                what,
            });
        }
        sorted
    }
}

/// What the files set aside are called: not `.jsonl` at the end, so that readers pass over them.
struct Names {
    damaged: PathBuf,
    before: PathBuf,
}

const MARK: &[u8] = b".repair-";
const BEFORE: &[u8] = b".before";
const DAMAGED: &[u8] = b".damaged";

impl Names {
    fn free(file: &Path, now_ms: i64) -> Self {
        let stamp = now_timestamp(now_ms).as_str().replace(['-', ':'], "");
        let names = |number: u32| {
            let number = if number == 0 {
                String::new()
            } else {
                format!("-{number}")
            };
            let stem = [name_of(file), MARK, stamp.as_bytes(), number.as_bytes()].concat();
            let named = |ending: &[u8]| file.with_file_name(std::ffi::OsString::from_vec([&stem, ending].concat()));
            Self {
                damaged: named(DAMAGED),
                before: named(BEFORE),
            }
        };
        let is_free = |path: &Path| path.symlink_metadata().is_err();
        let free = (0..1000)
            .map(names)
            .find(|names| is_free(&names.damaged) && is_free(&names.before));
        // Taken names are no danger, since both files are made exclusively.
        free.unwrap_or_else(|| names(1000))
    }
}

fn name_of(file: &Path) -> &[u8] {
    file.file_name().map_or(&[], OsStrExt::as_bytes)
}

/// Appends to `file` every event of its kept old files that it doesn't hold, and tells how many.
///
/// Ids are unique, and good lines are never removed, so an event that is missing came too late for the repair.
fn carry_over(effects: &Effects, file: &Path) -> Result<usize, LifecycleError> {
    let mut known = HashSet::new();
    let mut content = Vec::new();
    read_content(file, &mut content)?;
    for (id, _) in identified(&content) {
        known.insert(id);
    }
    let mut late = Vec::new();
    let mut carried = 0;
    for old in old_files(file)? {
        read_content(&old, &mut content)?;
        for (id, line) in identified(&content) {
            if known.insert(id) {
                late.extend_from_slice(line);
                late.push(b'\n');
                carried += 1;
            }
        }
    }
    if carried > 0 {
        effects.append(file, &late, Durability::Synced)?;
    }
    Ok(carried)
}

fn identified(content: &[u8]) -> impl Iterator<Item = (EventId, &[u8])> {
    lines(content).filter_map(|line| match line.judge() {
        Judgement::Event(event) => Some((event.id, line.bytes)),
        _ => None,
    })
}

/// The files that earlier repairs of `file` kept, oldest first.
fn old_files(file: &Path) -> Result<Vec<PathBuf>, LifecycleError> {
    let directory = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let prefix = [name_of(file), MARK].concat();
    let entries = match list(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(LifecycleError::read(directory)(error)),
    };
    let kept = entries.into_iter().filter(|entry| {
        let name = entry.name.as_bytes();
        name.starts_with(&prefix) && name.ends_with(BEFORE)
    });
    Ok(kept.map(|entry| directory.join(entry.name)).collect())
}
