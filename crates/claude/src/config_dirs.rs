//! Claude Code's configuration directories on this machine, each once, in order of precedence.

use std::io;
use std::path::{Path, PathBuf};

use sexton_sys::{Environment, listing};

/// One configuration directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigDirectory {
    /// As it was named.
    pub path: PathBuf,
    /// Without symlinks: two names of one real path are one directory.
    pub real: PathBuf,
    /// Who named it.
    pub origin: Origin,
}

/// Who named a configuration directory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// `--config-dir`.
    Option,
    /// `$CLAUDE_CONFIG_DIR`.
    Environment,
    /// `~/.claude`.
    Home,
    /// The configuration's `config_dirs`.
    Configured,
    /// A profile of claudewheel, by its name.
    Profile(String),
    /// A register event or a hook.
    Recorded,
}

/// A configuration directory that was asked for and can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigDirError {
    /// It isn't there, or can't be reached.
    #[error("find config directory `{path}`: {source}")]
    Unreachable {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is no directory.
    #[error("use `{0}` as a config directory: it is not a directory")]
    NotADirectory(PathBuf),
}

/// The configuration directories, first in order first: of several that reach one transcript, the first owns it.
#[derive(Debug, Default)]
pub struct ConfigDirectories {
    directories: Vec<ConfigDirectory>,
    /// Directories that were configured, or exist by default, and can't be used.
    pub problems: Vec<ConfigDirError>,
}

impl ConfigDirectories {
    /// Exactly these, as `--config-dir` names them; a relative one is below the working directory.
    pub fn only(environment: &Environment, paths: &[PathBuf]) -> Result<Self, ConfigDirError> {
        let mut found = Self::default();
        for path in paths {
            let path = match environment.current_directory() {
                Some(directory) => directory.join(path),
                None => path.clone(),
            };
            found.add(&path, Origin::Option)?;
        }
        Ok(found)
    }

    /// All that are known: `$CLAUDE_CONFIG_DIR`, `~/.claude`, the `configured` ones, and claudewheel's profiles that hold Claude
    /// Code's data. The first two and the profiles may be absent; a configured one that is absent is a problem, not an error.
    #[must_use]
    pub fn known(environment: &Environment, configured: &[PathBuf]) -> Self {
        let mut found = Self::default();
        let home = environment.home();
        if let Some(path) = environment.directory("CLAUDE_CONFIG_DIR") {
            found.add_if_present(&path, Origin::Environment);
        }
        if let Some(home) = &home {
            found.add_if_present(&home.join(".claude"), Origin::Home);
        }
        for path in configured {
            if let Err(problem) = found.add(path, Origin::Configured) {
                found.problems.push(problem);
            }
        }
        let wheel = environment
            .directory("CLAUDEWHEEL_CONFIG_DIR")
            .or_else(|| home.map(|home| home.join(".claudewheel")));
        if let Some(profiles) = wheel.map(|wheel| wheel.join("profiles")) {
            found.add_profiles(&profiles);
        }
        found
    }

    /// Adds one more at the end, unless it is there already under any name.
    pub fn add(&mut self, path: &Path, origin: Origin) -> Result<(), ConfigDirError> {
        let real = path.canonicalize().map_err(|source| ConfigDirError::Unreachable {
            path: path.to_path_buf(),
            source,
        })?;
        if !real.is_dir() {
            return Err(ConfigDirError::NotADirectory(path.to_path_buf()));
        }
        if self.directories.iter().all(|known| known.real != real) {
            self.directories.push(ConfigDirectory {
                path: path.to_path_buf(),
                real,
                origin,
            });
        }
        Ok(())
    }

    fn add_if_present(&mut self, path: &Path, origin: Origin) {
        match self.add(path, origin) {
            Err(ConfigDirError::Unreachable { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
            Err(problem) => self.problems.push(problem),
            Ok(()) => {}
        }
    }

    fn add_profiles(&mut self, profiles: &Path) {
        match listing::list_if_present(profiles) {
            Ok(entries) => {
                for entry in entries {
                    let path = profiles.join(&entry.name);
                    if holds_data(&path) {
                        self.add_if_present(&path, Origin::Profile(entry.name.to_string_lossy().into_owned()));
                    }
                }
            }
            Err(source) => self.problems.push(ConfigDirError::Unreachable {
                path: profiles.to_path_buf(),
                source,
            }),
        }
    }

    /// The directories, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[ConfigDirectory] {
        &self.directories
    }

    /// Each of them, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, ConfigDirectory> {
        self.directories.iter()
    }

    /// Whether none was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.directories.is_empty()
    }
}

impl<'a> IntoIterator for &'a ConfigDirectories {
    type Item = &'a ConfigDirectory;
    type IntoIter = std::slice::Iter<'a, ConfigDirectory>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The directory that a client started with this environment uses, whether it exists or not: `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
#[must_use]
pub fn current(environment: &Environment) -> Option<PathBuf> {
    environment
        .directory("CLAUDE_CONFIG_DIR")
        .or_else(|| Some(environment.home()?.join(".claude")))
}

/// A profile that no client has run in yet holds only links and settings.
fn holds_data(profile: &Path) -> bool {
    ["projects", "sessions", "history.jsonl"]
        .iter()
        .any(|name| profile.join(name).exists())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests arrange files directly")]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};
    use std::os::unix::fs::symlink;

    struct Home(tempfile::TempDir);

    impl Home {
        fn with(directories: &[&str]) -> Self {
            let home = Self(tempfile::tempdir().unwrap());
            for directory in directories {
                create_dir_all(home.path(directory)).unwrap();
            }
            home
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn environment(&self, more: &[(&str, PathBuf)]) -> Environment {
            let home = [("HOME", self.0.path().to_path_buf())];
            Environment::from_variables(home.into_iter().chain(more.iter().cloned()))
        }
    }

    fn names(found: &ConfigDirectories, home: &Home) -> Vec<String> {
        let below = |path: &Path| path.strip_prefix(home.0.path()).unwrap().display().to_string();
        found.into_iter().map(|directory| below(&directory.path)).collect()
    }

    #[test]
    fn the_union_in_order() {
        let home = Home::with(&[
            ".claude",
            "work",
            "extra",
            ".claudewheel/profiles/b/sessions",
            ".claudewheel/profiles/a/projects",
            ".claudewheel/profiles/empty",
        ]);
        let environment = home.environment(&[("CLAUDE_CONFIG_DIR", home.path("work"))]);
        let found = ConfigDirectories::known(&environment, &[home.path("extra"), home.path("gone")]);
        assert_eq!(
            names(&found, &home),
            [
                "work",
                ".claude",
                "extra",
                ".claudewheel/profiles/a",
                ".claudewheel/profiles/b"
            ]
        );
        assert_eq!(found.as_slice()[3].origin, Origin::Profile("a".into()));
        let problems: Vec<_> = found.problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems.len(), 1);
        assert!(problems[0].contains("/gone`: "), "{problems:?}");
    }

    #[test]
    fn one_directory_under_two_names_is_one_and_the_first_name_counts() {
        let home = Home::with(&["real", ".claudewheel/profiles"]);
        write(home.path("real/history.jsonl"), "").unwrap();
        symlink(home.path("real"), home.path(".claude")).unwrap();
        symlink(home.path("real"), home.path(".claudewheel/profiles/a")).unwrap();
        let found = ConfigDirectories::known(&home.environment(&[]), &[home.path("real")]);
        assert_eq!(names(&found, &home), [".claude"]);
        assert_eq!(found.as_slice()[0].real, home.path("real").canonicalize().unwrap());
    }

    #[test]
    fn absent_defaults_are_normal_and_so_is_no_home() {
        let home = Home::with(&[]);
        let relative = home.environment(&[("CLAUDE_CONFIG_DIR", "relative".into())]);
        for environment in [home.environment(&[]), relative, Environment::default()] {
            let found = ConfigDirectories::known(&environment, &[]);
            assert!(found.is_empty() && found.problems.is_empty());
        }
        assert_eq!(current(&home.environment(&[])), Some(home.path(".claude")));
        assert_eq!(current(&Environment::default()), None);
    }

    #[test]
    fn a_file_where_a_directory_should_be_is_a_problem() {
        let home = Home::with(&[]);
        write(home.path(".claude"), "").unwrap();
        let found = ConfigDirectories::known(&home.environment(&[]), &[]);
        assert!(matches!(found.problems[..], [ConfigDirError::NotADirectory(_)]));
    }

    #[test]
    fn the_option_replaces_all_and_must_exist() {
        let home = Home::with(&[".claude", "a", "b"]);
        let environment = home.environment(&[]).with_current_directory(home.0.path());
        let found = ConfigDirectories::only(&environment, &["b".into(), home.path("a"), "b/".into()]).unwrap();
        assert_eq!(names(&found, &home), ["b", "a"]);
        let error = ConfigDirectories::only(&environment, &["c".into()]).unwrap_err();
        assert!(error.to_string().starts_with("find config directory `"), "{error}");
    }
}
