//! A machine of a test's own: home, configuration directories, register, clock and environment.

mod run;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::{PermissionsExt, lchown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sexton_sys::{Environment, FixedClock};
use tempfile::TempDir;

use crate::registry::write_private;
use crate::time::NOW_MS;
use crate::tree::TreePicture;

pub use run::Run;

/// A path where nothing is and nobody can make anything. `/nonexistent` is the home of system users, and some program may have made it.
pub const NOWHERE: &str = "/proc/nowhere";

/// The user that [`TestEnv::run_as_nobody`] runs as, for whom file modes count.
const NOBODY: u32 = 65534;

/// A hermetic environment in a temporary directory, removed when it is dropped.
///
/// Everything is where it lies by default below `$HOME`; no variable but `HOME`, `PATH`, `TMPDIR`, `LANG` and `TZ` is set. Nothing is
/// created beyond the home, its temporary directory and a directory for programs.
#[derive(Debug)]
pub struct TestEnv {
    root: PathBuf,
    variables: BTreeMap<OsString, OsString>,
    clock: FixedClock,
    scratch: TempDir,
}

impl Default for TestEnv {
    fn default() -> Self {
        Self::new()
    }
}

impl TestEnv {
    /// A new environment; its clock stands at [`NOW_MS`].
    pub fn new() -> Self {
        Self::below(&std::env::temp_dir())
    }

    /// As [`TestEnv::new`], in a directory of this one, such as a small file system.
    pub fn below(directory: &Path) -> Self {
        let scratch = tempfile::Builder::new()
            .prefix("sexton-test-")
            .tempdir_in(directory)
            .unwrap();
        // The temporary directory may itself lie behind a symlink, and tests compare real paths.
        let root = scratch.path().canonicalize().unwrap();
        for directory in ["home", "tmp", "bin"] {
            fs::create_dir(root.join(directory)).unwrap();
        }
        let mut path = root.join("bin").into_os_string();
        path.push(":/usr/local/bin:/usr/bin:/bin");
        let variables = [
            ("HOME", root.join("home").into_os_string()),
            ("PATH", path),
            ("TMPDIR", root.join("tmp").into_os_string()),
            ("LANG", "C.UTF-8".into()),
            ("TZ", "UTC".into()),
        ];
        Self {
            root,
            variables: variables.map(|(name, value)| (name.into(), value)).into(),
            clock: FixedClock::at_ms(NOW_MS),
            scratch,
        }
    }

    /// The directory that holds all of it, by its real path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `$HOME`.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// `~/.claude`; not created.
    pub fn config_dir(&self) -> PathBuf {
        self.home().join(".claude")
    }

    /// `~/.claudewheel/profiles/<name>`; not created.
    pub fn profile_dir(&self, name: &str) -> PathBuf {
        self.home().join(".claudewheel/profiles").join(name)
    }

    /// The register's default place, `~/.claudewheel/shared/lifecycle`; not created.
    pub fn register_dir(&self) -> PathBuf {
        self.home().join(".claudewheel/shared/lifecycle")
    }

    /// Where sexton keeps journal, trash and vault, `~/.local/share/sexton`; not created.
    pub fn data_dir(&self) -> PathBuf {
        self.home().join(".local/share/sexton")
    }

    /// Where sexton keeps what is derived, `~/.cache/sexton`; not created.
    pub fn cache_dir(&self) -> PathBuf {
        self.home().join(".cache/sexton")
    }

    /// The tombstone file's default place, `~/.cache/session-search/.deleted`; not created.
    pub fn tombstone_file(&self) -> PathBuf {
        self.home().join(".cache/session-search/.deleted")
    }

    /// The configuration file's default place; not created.
    pub fn config_file(&self) -> PathBuf {
        self.home().join(".config/sexton/config.toml")
    }

    /// Writes a file, 0600, with the directories it needs.
    pub fn write(&self, path: &Path, content: impl AsRef<[u8]>) {
        assert!(path.starts_with(&self.root), "`{}` is outside the test", path.display());
        write_private(path, content.as_ref());
    }

    /// Puts an executable shell script named `name` first on `$PATH`, such as a stand-in for `claude`.
    pub fn install_program(&self, name: &str, script: &str) -> PathBuf {
        let path = self.root.join("bin").join(name);
        let source = self.root.join("tmp").join(format!("{name}.sh"));
        fs::write(&source, script).unwrap();
        // By a process of its own: a file that this process has open for writing can't be executed while another thread's child,
        // forked meanwhile, still holds the descriptor.
        let status = Command::new("install")
            .args(["-m", "755"])
            .arg(&source)
            .arg(&path)
            .status()
            .unwrap();
        assert!(status.success());
        path
    }

    /// The clock for libraries that take one.
    pub fn clock(&self) -> &FixedClock {
        &self.clock
    }

    /// Sets a variable for everything that runs from now on.
    pub fn set(&mut self, name: &str, value: impl AsRef<OsStr>) -> &mut Self {
        self.variables.insert(name.into(), value.as_ref().into());
        self
    }

    /// Takes a variable away.
    pub fn unset(&mut self, name: &str) -> &mut Self {
        self.variables.remove(OsStr::new(name));
        self
    }

    /// The same environment as a value for libraries; the working directory is the home.
    pub fn environment(&self) -> Environment {
        Environment::from_variables(self.variables.clone()).with_current_directory(self.home())
    }

    /// A command with exactly this environment, in the home, with nothing on its standard input.
    pub fn command(&self, binary: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(binary);
        command
            .env_clear()
            .envs(&self.variables)
            .current_dir(self.home())
            .stdin(Stdio::null());
        command
    }

    /// Runs a program to its end; one that hangs is killed after a minute and fails the test.
    ///
    /// `binary` is a path such as `env!("CARGO_BIN_EXE_sexton")`.
    #[track_caller]
    pub fn run<A: AsRef<OsStr>>(&self, binary: impl AsRef<OsStr>, arguments: impl IntoIterator<Item = A>) -> Run {
        Run::of(self.command(binary).args(arguments), b"")
    }

    /// Runs a program with these bytes on its standard input, which is then closed.
    #[track_caller]
    pub fn run_with_input<A: AsRef<OsStr>>(
        &self,
        binary: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
        input: impl AsRef<[u8]>,
    ) -> Run {
        Run::of(self.command(binary).args(arguments), input.as_ref())
    }

    /// Runs a program as a user for whom file modes count, giving the whole tree to that user first; `None` unless we are root.
    ///
    /// Root ignores file modes. Where the tests run as someone else they count anyway, and [`TestEnv::run`] will do.
    #[track_caller]
    pub fn run_as_nobody<A: AsRef<OsStr>>(
        &self,
        binary: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Option<Run> {
        use std::os::unix::process::CommandExt;
        if !rustix::process::geteuid().is_root() {
            return None;
        }
        give_away(&self.root);
        let mut command = self.command(binary);
        command.args(arguments).uid(NOBODY).gid(NOBODY);
        Some(Run::of(&mut command, b""))
    }

    /// What lies in the environment now.
    pub fn picture(&self) -> TreePicture {
        TreePicture::of(self.scratch.path())
    }
}

/// Gives a tree to nobody, so that nobody may write where the modes allow the owner to.
fn give_away(path: &Path) {
    let metadata = fs::symlink_metadata(path).unwrap();
    lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if metadata.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give_away(&entry.unwrap().path());
        }
    }
}

impl Drop for TestEnv {
    fn drop(&mut self) {
        // A test may have taken the right to look into a directory away, and then it can't be removed.
        unlock(&self.root);
    }
}

fn unlock(directory: &Path) {
    let _ = fs::set_permissions(directory, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            unlock(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_sees_only_the_environment_it_was_given() {
        let mut env = TestEnv::new();
        env.set("CLAUDE_CONFIG_DIR", env.config_dir()).unset("TZ");
        let run = env.run("/usr/bin/env", [] as [&str; 0]);
        let home = env.home();
        let seen: Vec<&str> = run.stdout.lines().map(|line| line.split('=').next().unwrap()).collect();
        assert_eq!(
            seen,
            ["CLAUDE_CONFIG_DIR", "HOME", "LANG", "PATH", "TMPDIR"],
            "{}",
            run.stdout
        );
        assert_eq!(env.environment().home(), Some(home));
    }

    #[test]
    fn output_status_and_input_go_through() {
        let env = TestEnv::new();
        let script = env.install_program("both", "#!/bin/sh\ncat; echo problem >&2; exit 3\n");
        let run = env.run_with_input(script, [] as [&str; 0], "words");
        assert_eq!(
            (run.code, run.stdout.as_str(), run.stderr.as_str()),
            (Some(3), "words", "problem\n")
        );
        run.assert_code(3);
    }

    #[test]
    fn modes_count_for_nobody() {
        let env = TestEnv::new();
        let file = env.home().join("closed");
        env.write(&file, "secret");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
        let Some(run) = env.run_as_nobody("/bin/cat", [&file]) else {
            return;
        };
        run.assert_code(1);
        assert_eq!(run.stdout, "");
    }

    #[test]
    fn a_closed_directory_is_removed_all_the_same() {
        let env = TestEnv::new();
        let root = env.root().to_path_buf();
        let closed = env.home().join("closed");
        env.write(&closed.join("file"), "x");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
        drop(env);
        assert!(!root.exists());
    }
}
