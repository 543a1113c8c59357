//! Every change to the file system, as a value that can be applied or recorded.
//!
//! What survives a crash, for each method: either nothing of it or all of it, but for [`Effects::append`] (a prefix of the bytes, at the
//! end of the file) and [`Effects::create_directory`] (some of the missing parents). A method that returns `Ok` has synced what it did
//! to disk, unless it was asked for [`Durability::Buffered`]: then it survives this process, and [`Effects::sync`] makes it survive the
//! machine.

mod apply;
mod effect;
mod error;
mod fault;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use apply::append::Links;
use apply::below::{Seen, joined};
pub use effect::Effect;
pub use error::EffectError;
use fault::Steps;
pub use fault::{Fault, FaultPlan, Step};

use crate::{FileIdentity, FileTime};

/// Whether an effect waits for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Survives the death of the process, not a power cut.
    Buffered,
    /// On disk before the call returns.
    Synced,
}

/// The one way to change the file system.
#[derive(Debug)]
pub struct Effects {
    mode: Mode,
}

#[derive(Debug)]
enum Mode {
    Apply(Option<FaultPlan>),
    Record(Mutex<Vec<Effect>>),
}

impl Effects {
    /// Carries every effect out.
    #[must_use]
    pub fn apply() -> Self {
        Self {
            mode: Mode::Apply(None),
        }
    }

    /// Carries nothing out and remembers what would have been done.
    #[must_use]
    pub fn record() -> Self {
        Self {
            mode: Mode::Record(Mutex::default()),
        }
    }

    /// Carries effects out until the plan's fault strikes; for tests.
    #[must_use]
    pub fn faulty(plan: FaultPlan) -> Self {
        Self {
            mode: Mode::Apply(Some(plan)),
        }
    }

    /// Whether effects are only recorded.
    #[must_use]
    pub fn is_dry_run(&self) -> bool {
        matches!(self.mode, Mode::Record(_))
    }

    /// What a dry run has recorded so far, in order; empty otherwise.
    #[must_use]
    pub fn recorded(&self) -> Vec<Effect> {
        match &self.mode {
            Mode::Record(effects) => effects.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            Mode::Apply(_) => Vec::new(),
        }
    }

    /// How many steps have been taken under a fault plan; 0 without one.
    #[must_use]
    pub fn steps_taken(&self) -> u64 {
        match &self.mode {
            Mode::Apply(Some(plan)) => plan.steps_taken(),
            _ => 0,
        }
    }

    /// Makes `path` and its missing parents, each 0700. What exists keeps its mode.
    pub fn create_directory(&self, path: &Path) -> Result<(), EffectError> {
        self.create_directory_with(path, Durability::Synced)
    }

    /// As [`Effects::create_directory`]; buffered, each directory that holds a new one still wants a [`Effects::sync`].
    pub fn create_directory_with(&self, path: &Path, durability: Durability) -> Result<(), EffectError> {
        if path.is_dir() {
            return Ok(());
        }
        self.perform(
            || Effect::CreateDirectory { path: path.into() },
            |steps| apply::directory::create(steps, path, durability),
        )
    }

    /// Appends `bytes` in one write to the file at `path`, which is made 0600 if it is absent.
    ///
    /// If the file does not end in a newline, that one write leads with one, so that a line which was cut short stays a line of its own.
    /// When the disk takes only a part, that is [`EffectError::ShortWrite`]: what was written stays, and the next append starts a new line.
    pub fn append(&self, path: &Path, bytes: &[u8], durability: Durability) -> Result<(), EffectError> {
        self.append_through(path, bytes, durability, Links::Followed)
    }

    /// As [`Effects::append`], but a symlink at `path` is an error: for files that nobody has a reason to keep elsewhere.
    pub fn append_to_own(&self, path: &Path, bytes: &[u8], durability: Durability) -> Result<(), EffectError> {
        self.append_through(path, bytes, durability, Links::Refused)
    }

    fn append_through(
        &self,
        path: &Path,
        bytes: &[u8],
        durability: Durability,
        links: Links,
    ) -> Result<(), EffectError> {
        self.perform(
            || Effect::Append {
                path: path.into(),
                bytes: bytes.into(),
                durability,
            },
            |steps| apply::append::append(steps, path, bytes, durability, links),
        )
    }

    /// Makes a new file with these bytes, 0600; an existing one is [`EffectError::Exists`].
    pub fn create_file(&self, path: &Path, bytes: &[u8]) -> Result<(), EffectError> {
        self.create_file_with(path, bytes, Durability::Synced)
    }

    /// As [`Effects::create_file`]; buffered, a power cut can leave an empty file until it and its parent had their [`Effects::sync`].
    pub fn create_file_with(&self, path: &Path, bytes: &[u8], durability: Durability) -> Result<(), EffectError> {
        self.perform(
            || Effect::CreateFile {
                path: path.into(),
                bytes: bytes.into(),
            },
            |steps| apply::replace::create(steps, path, bytes, durability),
        )
    }

    /// Makes a new file with all that `content` gives, with this mode (else 0600) and modification time (else the present); for content that
    /// memory should not hold.
    ///
    /// If reading fails, nothing is made. An existing file is [`EffectError::Exists`]. A dry run reads nothing.
    pub fn create_file_from(
        &self,
        path: &Path,
        content: &mut dyn std::io::Read,
        mode: Option<u32>,
        modified: Option<FileTime>,
    ) -> Result<(), EffectError> {
        self.perform(
            || Effect::CreateFileFrom { path: path.into() },
            |steps| apply::replace::create_from(steps, path, content, mode, modified),
        )
    }

    /// Puts these bytes in place of the file at `path` in one step: readers see the old content or the new.
    ///
    /// An existing file's mode and owner are kept, a new one is 0600. A symlink at `path` is itself replaced, never followed.
    pub fn replace_file(&self, path: &Path, bytes: &[u8]) -> Result<(), EffectError> {
        self.replace_file_with(path, bytes, Durability::Synced)
    }

    /// As [`Effects::replace_file`]; buffered, a power cut can leave an empty file until it and its parent had their [`Effects::sync`].
    pub fn replace_file_with(&self, path: &Path, bytes: &[u8], durability: Durability) -> Result<(), EffectError> {
        self.perform(
            || Effect::ReplaceFile {
                path: path.into(),
                bytes: bytes.into(),
            },
            |steps| apply::replace::replace(steps, path, bytes, durability),
        )
    }

    /// Renames a file, directory or symlink within one file system; an existing destination is [`EffectError::Exists`].
    ///
    /// Another device is an error for which [`EffectError::is_cross_device`] holds.
    pub fn rename(&self, from: &Path, to: &Path) -> Result<(), EffectError> {
        self.rename_with(from, to, Durability::Synced)
    }

    /// As [`Effects::rename`]; buffered, both parents still want a [`Effects::sync`], which many renames can share.
    pub fn rename_with(&self, from: &Path, to: &Path, durability: Durability) -> Result<(), EffectError> {
        self.perform(
            || Effect::Rename {
                from: from.into(),
                to: to.into(),
            },
            |steps| apply::rename::rename(steps, from, to, durability),
        )
    }

    /// Copies a regular file to a new name, on any device, with its mode, owner and modification time.
    ///
    /// The copy is compared with the original and synced before it gets its name. A symlink as source is refused, an existing
    /// destination is [`EffectError::Exists`].
    pub fn copy_file(&self, from: &Path, to: &Path) -> Result<(), EffectError> {
        self.perform(
            || Effect::CopyFile {
                from: from.into(),
                to: to.into(),
            },
            |steps| apply::copy::copy(steps, from, to),
        )
    }

    /// Gives a regular file a second name, under which it stays when the first one is replaced; a taken name is [`EffectError::Exists`].
    ///
    /// A symlink as `file` is not followed, but gets the second name itself.
    pub fn hard_link(&self, file: &Path, link: &Path) -> Result<(), EffectError> {
        self.perform(
            || Effect::HardLink {
                file: file.into(),
                link: link.into(),
            },
            |steps| apply::directory::hard_link(steps, file, link),
        )
    }

    /// Makes a symlink at `link` that holds `target` as it stands.
    pub fn symlink(&self, target: &Path, link: &Path) -> Result<(), EffectError> {
        self.perform(
            || Effect::Symlink {
                target: target.into(),
                link: link.into(),
            },
            |steps| apply::directory::symlink(steps, target, link),
        )
    }

    /// Unlinks a file or symlink.
    pub fn remove_file(&self, path: &Path) -> Result<(), EffectError> {
        self.remove_file_with(path, Durability::Synced)
    }

    /// As [`Effects::remove_file`]; buffered, the parent still wants a [`Effects::sync`].
    pub fn remove_file_with(&self, path: &Path, durability: Durability) -> Result<(), EffectError> {
        self.perform(
            || Effect::RemoveFile { path: path.into() },
            |steps| apply::directory::remove_file(steps, path, durability),
        )
    }

    /// Removes an empty directory; one that holds anything is an error of kind `DirectoryNotEmpty`.
    pub fn remove_directory(&self, path: &Path) -> Result<(), EffectError> {
        self.remove_directory_with(path, Durability::Synced)
    }

    /// As [`Effects::remove_directory`]; buffered, the parent still wants a [`Effects::sync`].
    pub fn remove_directory_with(&self, path: &Path, durability: Durability) -> Result<(), EffectError> {
        self.perform(
            || Effect::RemoveDirectory { path: path.into() },
            |steps| apply::directory::remove(steps, path, durability),
        )
    }

    /// Unlinks the file or symlink `below` in the tree at `top`, buffered, if it is still what was `seen`; else it is [`EffectError::Changed`].
    ///
    /// From `top` downwards no link is followed: whatever someone puts in place of a directory meanwhile, nothing elsewhere goes. `below`
    /// is empty for the top itself.
    pub fn remove_seen_file(&self, top: &Path, below: &Path, seen: &FileIdentity) -> Result<(), EffectError> {
        self.perform(
            || Effect::RemoveFile {
                path: joined(top, below),
            },
            |steps| apply::below::remove(steps, top, below, Seen::File(seen)),
        )
    }

    /// As [`Effects::remove_seen_file`], for an empty directory, which must be the same inode.
    pub fn remove_seen_directory(&self, top: &Path, below: &Path, seen: &FileIdentity) -> Result<(), EffectError> {
        self.perform(
            || Effect::RemoveDirectory {
                path: joined(top, below),
            },
            |steps| apply::below::remove(steps, top, below, Seen::Directory(seen)),
        )
    }

    /// Makes what buffered effects did to a file, or to the names in a directory, survive a power cut. A dry run records nothing of it.
    pub fn sync(&self, path: &Path) -> Result<(), EffectError> {
        self.flush(|steps| apply::sync(steps, path))
    }

    /// Syncs everything on the file system that holds `path`: one call in place of a [`Effects::sync`] for each of very many paths.
    pub fn sync_filesystem(&self, path: &Path) -> Result<(), EffectError> {
        self.flush(|steps| apply::sync_filesystem(steps, path))
    }

    /// Sets the modification time of a file, directory or symlink (of the link itself).
    pub fn set_modified(&self, path: &Path, modified: FileTime) -> Result<(), EffectError> {
        self.perform(
            || Effect::SetModified {
                path: path.into(),
                modified,
            },
            |steps| apply::attributes::set_modified(steps, path, modified),
        )
    }

    /// Sets the permission bits (the lower twelve) of a file or directory; a symlink is refused.
    pub fn set_mode(&self, path: &Path, mode: u32) -> Result<(), EffectError> {
        self.perform(
            || Effect::SetMode {
                path: path.into(),
                mode,
            },
            |steps| apply::attributes::set_mode(steps, path, mode),
        )
    }

    /// Sets mode and modification time of the directory at `path` if it is still the inode that was `seen`; else it is
    /// [`EffectError::Changed`].
    pub fn set_directory(
        &self,
        path: &Path,
        seen: &FileIdentity,
        mode: u32,
        modified: FileTime,
    ) -> Result<(), EffectError> {
        self.perform(
            || Effect::SetMode {
                path: path.into(),
                mode,
            },
            |steps| apply::attributes::set_directory(steps, path, seen, mode, modified),
        )
    }

    /// A step that no reader can see.
    fn flush(&self, apply: impl FnOnce(Steps<'_>) -> Result<(), EffectError>) -> Result<(), EffectError> {
        match &self.mode {
            Mode::Apply(plan) => apply(Steps::under(plan.as_ref())),
            Mode::Record(_) => Ok(()),
        }
    }

    fn perform(
        &self,
        effect: impl FnOnce() -> Effect,
        apply: impl FnOnce(Steps<'_>) -> Result<(), EffectError>,
    ) -> Result<(), EffectError> {
        match &self.mode {
            Mode::Apply(plan) => apply(Steps::under(plan.as_ref())),
            Mode::Record(effects) => {
                let effect = effect();
                let mut effects = effects.lock().unwrap_or_else(PoisonError::into_inner);
                // A directory that an earlier effect would have made is there by now.
                if !(matches!(effect, Effect::CreateDirectory { .. }) && effects.contains(&effect)) {
                    effects.push(effect);
                }
                Ok(())
            }
        }
    }
}
