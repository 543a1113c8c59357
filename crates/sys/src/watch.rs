//! Being told when something in a directory changes.
//!
//! Directories are watched one by one, not as trees. What the kernel tells is a hint: it may leave things out (a full queue, a network
//! file system), so whoever watches must still look by itself from time to time.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// What changed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Change {
    /// An entry of a watched directory came, went or was written to.
    Entry {
        /// The directory, as it was named to [`Watch::add`].
        directory: PathBuf,
        /// The entry.
        name: OsString,
        /// What became of it.
        change: EntryChange,
    },
    /// A watched directory itself went away.
    Gone(PathBuf),
    /// The kernel lost count: anything may have changed.
    Unknown,
}

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryChange {
    /// It was made, or moved here.
    Appeared,
    /// It was written to.
    Written,
    /// It was removed, or moved elsewhere.
    Vanished,
}

#[cfg(target_os = "linux")]
pub use linux::Watch;
#[cfg(not(target_os = "linux"))]
pub use other::Watch;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;
    use std::ffi::OsStr;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use rustix::fs::inotify::{self, CreateFlags, Event, ReadFlags, Reader, WatchFlags};

    use super::{Change, EntryChange, OsString, Path, PathBuf, io};

    /// Directories that are watched. One thread may wait while others add.
    #[derive(Debug)]
    pub struct Watch {
        descriptor: OwnedFd,
        directories: Mutex<HashMap<i32, PathBuf>>,
    }

    impl Watch {
        /// A watch of nothing; fails where the system has none to give.
        pub fn new() -> io::Result<Self> {
            Ok(Self {
                descriptor: inotify::init(CreateFlags::CLOEXEC)?,
                directories: Mutex::default(),
            })
        }

        /// Watches `directory`, too; one that is watched already stays so.
        pub fn add(&self, directory: &Path) -> io::Result<()> {
            // Only what changes something: reading, our own included, must not wake anybody.
            let changes = WatchFlags::CREATE | WatchFlags::DELETE | WatchFlags::MODIFY | WatchFlags::MOVE;
            let flags = changes | WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF | WatchFlags::ONLYDIR;
            // Locked over the call, so that no event can come before its directory is known.
            let mut directories = self.directories();
            let number = inotify::add_watch(&self.descriptor, directory, flags)?;
            directories.insert(number, directory.to_path_buf());
            Ok(())
        }

        /// Waits until something changes, and returns all that is known to have changed by then.
        pub fn wait(&self) -> io::Result<Vec<Change>> {
            let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
            let mut reader = Reader::new(&self.descriptor, &mut buffer);
            let mut changes = Vec::new();
            while changes.is_empty() || !reader.is_buffer_empty() {
                match reader.next() {
                    Ok(event) => changes.extend(self.understand(&event)),
                    Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(changes)
        }

        fn understand(&self, event: &Event<'_>) -> Option<Change> {
            let mut directories = self.directories();
            let flags = event.events();
            if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                return Some(Change::Unknown);
            }
            if flags.intersects(ReadFlags::IGNORED | ReadFlags::UNMOUNT) {
                return directories.remove(&event.wd()).map(Change::Gone);
            }
            let directory = directories.get(&event.wd())?.clone();
            Some(match event.file_name() {
                Some(name) => Change::Entry {
                    directory,
                    name: OsString::from(OsStr::from_bytes(name.to_bytes())),
                    change: if flags.intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO) {
                        EntryChange::Appeared
                    } else if flags.contains(ReadFlags::MODIFY) {
                        EntryChange::Written
                    } else {
                        EntryChange::Vanished
                    },
                },
                None => Change::Gone(directory),
            })
        }

        fn directories(&self) -> MutexGuard<'_, HashMap<i32, PathBuf>> {
            // Each change of the map is one call; a panic elsewhere leaves it whole.
            self.directories.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use super::{Change, Path, io};

    /// Nothing can be watched on this system.
    #[derive(Debug)]
    pub struct Watch(std::convert::Infallible);

    impl Watch {
        /// Always fails.
        pub fn new() -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        /// Never called.
        pub fn add(&self, _directory: &Path) -> io::Result<()> {
            match self.0 {}
        }

        /// Never called.
        pub fn wait(&self) -> io::Result<Vec<Change>> {
            match self.0 {}
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
#[expect(clippy::disallowed_methods, reason = "a test arranges files directly")]
mod tests {
    use super::*;

    #[test]
    fn entries_that_come_change_and_go_are_told() {
        let directory = tempfile::tempdir().unwrap();
        let watch = Watch::new().unwrap();
        watch.add(directory.path()).unwrap();
        watch.add(directory.path()).unwrap();
        let entry = |name: &str, change| Change::Entry {
            directory: directory.path().to_path_buf(),
            name: name.into(),
            change,
        };

        std::fs::write(directory.path().join("a"), "1").unwrap();
        assert_eq!(watch.wait().unwrap()[0], entry("a", EntryChange::Appeared));
        // Reading wakes nobody, so the next thing told is the removal.
        std::fs::read(directory.path().join("a")).unwrap();
        std::fs::rename(directory.path().join("a"), directory.path().join("b")).unwrap();
        let told = watch.wait().unwrap();
        assert!(told.contains(&entry("a", EntryChange::Vanished)), "{told:?}");
        assert!(told.contains(&entry("b", EntryChange::Appeared)), "{told:?}");
        std::fs::remove_dir_all(directory.path()).unwrap();
        let mut told = watch.wait().unwrap();
        while !told.contains(&Change::Gone(directory.path().to_path_buf())) {
            told = watch.wait().unwrap();
        }
    }

    #[test]
    fn what_is_no_directory_cannot_be_watched() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let watch = Watch::new().unwrap();
        assert!(watch.add(file.path()).is_err());
        assert!(watch.add(&file.path().join("absent")).is_err());
    }
}
