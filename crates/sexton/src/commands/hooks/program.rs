//! Which path of this program should stand in settings.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use sexton_claude::settings::HookProgram;
use sexton_sys::Environment;

use crate::error::CommandError;

/// This program by the name it was called by, where that is a lasting one.
pub(crate) fn own_program(environment: &Environment) -> Result<HookProgram, CommandError> {
    let executable = std::env::current_exe()
        .map_err(|error| CommandError::refused(format_args!("find this program's own file: {error}")))?;
    let called = std::env::args_os().next().unwrap_or_default();
    let path = lasting_path(&called, &executable, environment);
    if !path.is_file() {
        return Err(CommandError::refused(format_args!(
            "find `{}`: this program's own file is gone",
            path.display()
        ))
        .hint("it was probably replaced by another version; run the command again"));
    }
    super::hook_program(&path)
}

/// The path under which a program was called, if it leads to `executable`, which is the end of all symlinks.
///
/// Package managers keep each version in a directory of its own, behind a symlink that outlives them.
fn lasting_path(called: &OsStr, executable: &Path, environment: &Environment) -> PathBuf {
    let called = Path::new(called);
    let is_path = called.components().count() > 1;
    let candidates: Vec<PathBuf> = match environment.current_directory() {
        Some(directory) if is_path => vec![directory.join(called)],
        _ if is_path => Vec::new(),
        _ => {
            let path = environment.get("PATH").unwrap_or_default();
            std::env::split_paths(path)
                .filter(|directory| directory.is_absolute())
                .map(|directory| directory.join(called))
                .collect()
        }
    };
    let leads_here = |path: &PathBuf| path.canonicalize().is_ok_and(|real| real == executable);
    // `./sexton` and `../x/sexton` would be ugly in settings, and say nothing more than the real path.
    let is_plain = |path: &PathBuf| {
        !path
            .components()
            .any(|part| part.as_os_str() == "." || part.as_os_str() == "..")
    };
    candidates
        .into_iter()
        .filter(is_plain)
        .find(leads_here)
        .unwrap_or_else(|| executable.to_path_buf())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests arrange files directly")]
mod tests {
    use super::*;

    #[test]
    fn a_symlink_that_outlives_versions_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for name in ["store/sexton-1", "bin", "other"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        let real = root.join("store/sexton-1/sexton");
        std::fs::write(&real, "").unwrap();
        std::fs::write(root.join("other/sexton"), "").unwrap();
        std::os::unix::fs::symlink(&real, root.join("bin/sexton")).unwrap();
        let path = std::env::join_paths([root.join("other"), root.join("bin")]).unwrap();
        let environment = Environment::from_variables([("PATH", path)]).with_current_directory(root.join("store"));
        let lasting = |called: &str| lasting_path(called.as_ref(), &real, &environment);
        assert_eq!(lasting("sexton"), root.join("bin/sexton"));
        assert_eq!(
            lasting(root.join("bin/sexton").to_str().unwrap()),
            root.join("bin/sexton")
        );
        assert_eq!(lasting("sexton-1/sexton"), real);
        assert_eq!(lasting("../bin/sexton"), real);
        assert_eq!(lasting("unknown"), real);
        assert_eq!(lasting(""), real);
    }
}
