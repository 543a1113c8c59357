//! An edit carried to a settings file that a running client may rewrite at the same moment.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sexton_sys::read::read_limited_if_present;
use sexton_sys::{EffectError, Effects};

use super::command::HookProgram;
use super::error::{SettingsError, position};
use super::{Status, install, uninstall};

/// Far more than anyone's settings; what is larger is something else.
const SIZE_LIMIT: u64 = 16 << 20;

/// After its own write the client ignores changes for some 15 ms, and then may write what it remembers over ours.
const SETTLING_TIME: Duration = Duration::from_millis(50);

/// How often an edit that was overwritten is made again.
const ATTEMPTS: usize = 5;

/// What to do to a settings text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edit {
    /// Put our entries in, or point them to this program.
    Install(HookProgram),
    /// Take them out.
    Uninstall,
}

impl Edit {
    /// The text afterwards; `None` is an absent file. Done twice it is as done once.
    pub fn apply_to(&self, text: Option<&str>) -> Result<Option<String>, SettingsError> {
        match (self, text) {
            (Self::Install(program), text) => install(text, program).map(Some),
            (Self::Uninstall, Some(text)) => uninstall(text),
            (Self::Uninstall, None) => Ok(None),
        }
    }
}

/// A file's text before and after an edit; `None` is an absent file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The text before.
    pub before: Option<String>,
    /// The text afterwards.
    pub after: Option<String>,
}

impl Change {
    /// Whether there is anything to do.
    #[must_use]
    pub fn is_change(&self) -> bool {
        self.before != self.after
    }
}

/// A settings file that can't be read or edited.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsFileError {
    /// It can't be read.
    #[error("read `{path}`: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Its text is refused.
    #[error("{path}:{source}")]
    Text {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        source: SettingsError,
    },
    /// It is a symlink into a directory that isn't there.
    #[error("follow `{path}`: its target `{target}` is in no directory")]
    Dangling {
        /// The symlink.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// It can't be written.
    #[error(transparent)]
    Write(#[from] EffectError),
    /// Another program wrote its own text over ours each time.
    #[error("edit `{path}`: another program undoes the change each time")]
    Unsettled {
        /// The file.
        path: PathBuf,
    },
}

/// One settings file, behind whatever symlinks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    named: PathBuf,
    target: PathBuf,
}

impl SettingsFile {
    /// The user's settings in a config directory.
    pub fn of_user(config_dir: &Path) -> Result<Self, SettingsFileError> {
        Self::at(config_dir.join("settings.json"))
    }

    /// A project's settings that aren't shared with others.
    pub fn of_project(project: &Path) -> Result<Self, SettingsFileError> {
        Self::at(project.join(".claude").join("settings.local.json"))
    }

    /// The file at `path`, which need not exist; a symlink's target is what will be read and written.
    pub fn at(path: PathBuf) -> Result<Self, SettingsFileError> {
        let target = target(&path).map_err(|source| SettingsFileError::Read {
            path: path.clone(),
            source,
        })?;
        if target != path && !target.parent().is_some_and(Path::is_dir) {
            return Err(SettingsFileError::Dangling { path, target });
        }
        Ok(Self { named: path, target })
    }

    /// The path that it was named by.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.named
    }

    /// The path that is read and written: the end of all symlinks.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Where the text goes that was there before our first edit.
    #[must_use]
    pub fn backup(&self) -> PathBuf {
        let mut name = self.named.clone().into_os_string();
        name.push(".sexton-backup");
        name.into()
    }

    /// The text; `None` if there is no file.
    pub fn read(&self) -> Result<Option<String>, SettingsFileError> {
        let error = |source| SettingsFileError::Read {
            path: self.named.clone(),
            source,
        };
        let Some(bytes) = read_limited_if_present(&self.target, SIZE_LIMIT).map_err(error)? else {
            return Ok(None);
        };
        String::from_utf8(bytes).map(Some).map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            let (line, column) = position(error.as_bytes(), offset);
            self.refused(SettingsError::NotUtf8 { line, column })
        })
    }

    /// What the file says about our hooks.
    pub fn status(&self) -> Result<Status, SettingsFileError> {
        Status::of(self.read()?.as_deref()).map_err(|source| self.refused(source))
    }

    /// What an edit would change now.
    pub fn plan(&self, edit: &Edit) -> Result<Change, SettingsFileError> {
        let before = self.read()?;
        let after = edit
            .apply_to(before.as_deref())
            .map_err(|source| self.refused(source))?;
        Ok(Change { before, after })
    }

    /// Makes an edit and stays until it has settled: a client that remembers older settings may write them over ours.
    ///
    /// `pause` waits; it is called after each write and never in a dry run. The text before the first edit is kept beside the file, once.
    pub fn edit(
        &self,
        edit: &Edit,
        effects: &Effects,
        mut pause: impl FnMut(Duration),
    ) -> Result<Change, SettingsFileError> {
        let first = self.plan(edit)?;
        let mut change = first.clone();
        let mut writes = 0;
        while change.is_change() {
            if writes == ATTEMPTS {
                let path = self.named.clone();
                return Err(SettingsFileError::Unsettled { path });
            }
            self.keep_backup(edit, &change, effects)?;
            // Whoever wrote while the backup was made is taken along.
            change = self.plan(edit)?;
            self.write(change.after.as_deref(), effects)?;
            if effects.is_dry_run() {
                return Ok(first);
            }
            writes += 1;
            pause(SETTLING_TIME);
            change = self.plan(edit)?;
        }
        self.drop_backup(edit, &change, effects)?;
        let before = first.before;
        Ok(Change { before, ..change })
    }

    fn keep_backup(&self, edit: &Edit, change: &Change, effects: &Effects) -> Result<(), SettingsFileError> {
        if *edit == Edit::Uninstall || change.before.is_none() || self.backup().symlink_metadata().is_ok() {
            return Ok(());
        }
        match effects.copy_file(&self.target, &self.backup()) {
            // Two of us at once: the other one's backup is as good.
            Err(EffectError::Exists(_)) | Ok(()) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// A backup that says what the file says has done its work.
    fn drop_backup(&self, edit: &Edit, change: &Change, effects: &Effects) -> Result<(), SettingsFileError> {
        let backup = self.backup();
        if *edit != Edit::Uninstall || change.after.is_none() {
            return Ok(());
        }
        match read_limited_if_present(&backup, SIZE_LIMIT) {
            Ok(kept) if kept.as_deref() == change.after.as_deref().map(str::as_bytes) => {
                Ok(effects.remove_file(&backup)?)
            }
            _ => Ok(()),
        }
    }

    fn write(&self, text: Option<&str>, effects: &Effects) -> Result<(), SettingsFileError> {
        match text {
            Some(text) => {
                if let Some(directory) = self.target.parent() {
                    effects.create_directory(directory)?;
                }
                effects.replace_file(&self.target, text.as_bytes())?;
            }
            None => match effects.remove_file(&self.target) {
                Err(error) if error.is_not_found() => {}
                done => done?,
            },
        }
        Ok(())
    }

    fn refused(&self, source: SettingsError) -> SettingsFileError {
        let path = self.named.clone();
        SettingsFileError::Text { path, source }
    }
}

/// The end of a chain of symlinks; unlike `canonicalize`, the last one may lead to a file that is yet to be made.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    // As many as the kernel follows.
    for _ in 0..40 {
        match path.read_link() {
            Ok(link) => path = path.parent().unwrap_or(Path::new("/")).join(link),
            // No symlink.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}
