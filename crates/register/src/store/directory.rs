//! Where the register lies, and what its files are called.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sexton_sys::Environment;

use crate::{LifecycleError, SessionId};

/// The name of the register's directory under the shared store; `LIFECYCLE_DIRNAME` of the lifecycle document.
pub const LIFECYCLE_DIRNAME: &str = "lifecycle";

/// The register's directory, which need not exist.
///
/// The first of: `explicit` (the option `--register-dir`), `$SEXTON_REGISTER_DIR`, `$CLAUDEWHEEL_LIFECYCLE_DIR`,
/// `$CLAUDEWHEEL_CONFIG_DIR/shared/lifecycle`, `~/.claudewheel/shared/lifecycle`. Variables that are empty or hold a
/// relative path count as unset.
pub fn register_directory(explicit: Option<&Path>, environment: &Environment) -> Result<PathBuf, LifecycleError> {
    let shared = |base: PathBuf| base.join("shared").join(LIFECYCLE_DIRNAME);
    explicit
        .filter(|path| !path.as_os_str().is_empty())
        .map(Path::to_path_buf)
        .or_else(|| environment.directory("SEXTON_REGISTER_DIR"))
        .or_else(|| environment.directory("CLAUDEWHEEL_LIFECYCLE_DIR"))
        .or_else(|| environment.directory("CLAUDEWHEEL_CONFIG_DIR").map(shared))
        .or_else(|| environment.home().map(|home| shared(home.join(".claudewheel"))))
        .ok_or(LifecycleError::NoDirectory)
}

/// The file of one session; `session_file` of the lifecycle document.
///
/// Can't fail and can't leave the directory, since a [`SessionId`] holds nothing but hexadecimal digits and hyphens.
#[must_use]
pub fn session_file(directory: &Path, session: SessionId) -> PathBuf {
    directory.join(format!("{session}.jsonl"))
}

/// The session that the file's name says, if it has the name of a session's file.
#[must_use]
pub fn session_of_file(path: &Path) -> Option<SessionId> {
    session_of_name(path.file_name()?.as_bytes())
}

pub(super) fn session_of_name(name: &[u8]) -> Option<SessionId> {
    SessionId::from_bytes(name.strip_suffix(SUFFIX)?)
}

/// What the names of the store's files end in; all others are somebody else's.
pub(super) const SUFFIX: &[u8] = b".jsonl";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_that_is_named_wins() {
        let all = [
            ("SEXTON_REGISTER_DIR", "/a"),
            ("CLAUDEWHEEL_LIFECYCLE_DIR", "/b"),
            ("CLAUDEWHEEL_CONFIG_DIR", "/c"),
            ("HOME", "/h"),
        ];
        let found = |from: usize| {
            let environment = Environment::from_variables(all[from..].to_vec());
            register_directory(None, &environment).unwrap()
        };
        let explicit = register_directory(Some(Path::new("here")), &Environment::from_variables(all.to_vec()));
        assert_eq!(explicit.unwrap(), Path::new("here"));
        assert_eq!(found(0), Path::new("/a"));
        assert_eq!(found(1), Path::new("/b"));
        assert_eq!(found(2), Path::new("/c/shared/lifecycle"));
        assert_eq!(found(3), Path::new("/h/.claudewheel/shared/lifecycle"));
    }

    #[test]
    fn empty_and_relative_variables_count_for_nothing() {
        let environment = Environment::from_variables([("SEXTON_REGISTER_DIR", "x"), ("HOME", "")]);
        let nowhere = register_directory(Some(Path::new("")), &environment);
        assert!(matches!(nowhere, Err(LifecycleError::NoDirectory)));
    }

    #[test]
    fn files_are_named_after_sessions_and_back() {
        let session = SessionId::from_u128(7);
        let file = session_file(Path::new("/r"), session);
        assert_eq!(file, Path::new("/r/00000000-0000-0000-0000-000000000007.jsonl"));
        assert_eq!(session_of_file(&file), Some(session));
        assert_eq!(session_of_file(Path::new("/r/notes.jsonl")), None);
        assert_eq!(session_of_file(Path::new("/r/..")), None);
    }
}
