//! A file system that is full soon.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A tmpfs of a few kilobytes or megabytes, unmounted when it is dropped.
#[derive(Debug)]
pub struct SmallFilesystem {
    directory: TempDir,
}

impl SmallFilesystem {
    /// Mounts one of `bytes` bytes, rounded up to whole pages; `None`, with a note on standard error, where that isn't allowed.
    pub fn mount(bytes: u64) -> Option<Self> {
        let directory = tempfile::Builder::new().prefix("sexton-small-").tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={bytes},mode=700"), "sexton-test"])
            .arg(directory.path())
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self { directory }),
            Ok(output) => {
                eprintln!(
                    "skipped: no small file system: {}",
                    String::from_utf8_lossy(&output.stderr).trim()
                );
                None
            }
            Err(error) => {
                eprintln!("skipped: no small file system: failed to run `mount`: {error}");
                None
            }
        }
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Fills it to the last byte, in a file that can be removed to make room again.
    pub fn fill(&self) -> PathBuf {
        let path = self.path().join("filler");
        let mut file = fs::File::create(&path).unwrap();
        let mut size = 4096;
        while size > 0 {
            match std::io::Write::write(&mut file, &vec![0; size]) {
                Ok(_) => {}
                Err(_) => size /= 2,
            }
        }
        path
    }
}

impl Drop for SmallFilesystem {
    fn drop(&mut self) {
        // Lazily: a file in it may still be open.
        let unmounted = Command::new("umount").arg("-l").arg(self.path()).status();
        if !unmounted.is_ok_and(|status| status.success()) {
            eprintln!("failed to unmount `{}`", self.path().display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_fills_up_and_goes_away() {
        let Some(small) = SmallFilesystem::mount(64 << 10) else {
            return;
        };
        let filler = small.fill();
        let error = fs::write(small.path().join("more"), "x").unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
        fs::remove_file(filler).unwrap();
        fs::write(small.path().join("more"), "x").unwrap();
        let path = small.path().to_path_buf();
        drop(small);
        assert!(!path.exists());
    }
}
