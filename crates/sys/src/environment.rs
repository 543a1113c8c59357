//! The environment, read once and handed down as a value.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// A snapshot of a process's environment and working directory.
///
/// An empty value counts as unset everywhere, as it does in the programs sexton works beside.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    current_directory: Option<PathBuf>,
}

impl Environment {
    /// The environment and working directory of this process.
    #[must_use]
    pub fn of_this_process() -> Self {
        Self {
            variables: std::env::vars_os().collect(),
            current_directory: std::env::current_dir().ok(),
        }
    }

    /// An environment of exactly these variables.
    pub fn from_variables<K: Into<OsString>, V: Into<OsString>>(variables: impl IntoIterator<Item = (K, V)>) -> Self {
        Self {
            variables: variables
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            current_directory: None,
        }
    }

    /// The same environment in another working directory.
    #[must_use]
    pub fn with_current_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.current_directory = Some(directory.into());
        self
    }

    /// All variables, for a process that is started with them.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let variables = self.variables.iter();
        variables.map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The value of `name`, unless it is unset or empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
            .filter(|value| !value.is_empty())
    }

    /// The value of `name` as text; bytes that are not UTF-8 become U+FFFD.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(|value| value.to_string_lossy().into_owned())
    }

    /// The directory that `name` holds, unless it is unset, empty or relative.
    #[must_use]
    pub fn directory(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// `$HOME`, unless it is unset, empty or relative.
    #[must_use]
    pub fn home(&self) -> Option<PathBuf> {
        self.directory("HOME")
    }

    /// The working directory, if it could be told.
    #[must_use]
    pub fn current_directory(&self) -> Option<&std::path::Path> {
        self.current_directory.as_deref()
    }

    /// `$<variable>/<name>`, else `~/<fallback>/<name>`: where the XDG base directory specification puts a program's files.
    #[must_use]
    pub fn xdg_directory(&self, variable: &str, fallback: &str, name: &str) -> Option<PathBuf> {
        let base = self
            .directory(variable)
            .or_else(|| self.home().map(|home| home.join(fallback)))?;
        Some(base.join(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_and_relative_directories_count_as_unset() {
        let environment = Environment::from_variables([("HOME", ""), ("A", "relative/path"), ("B", "/absolute")]);
        assert_eq!(environment.home(), None);
        assert_eq!(environment.directory("A"), None);
        assert_eq!(environment.directory("B"), Some(PathBuf::from("/absolute")));
        assert_eq!(
            environment.xdg_directory("XDG_DATA_HOME", ".local/share", "sexton"),
            None
        );
    }

    #[test]
    fn xdg_directories_fall_back_to_home() {
        let environment = Environment::from_variables([("HOME", "/home/a"), ("XDG_CACHE_HOME", "/cache")]);
        let data = environment.xdg_directory("XDG_DATA_HOME", ".local/share", "sexton");
        assert_eq!(data, Some(PathBuf::from("/home/a/.local/share/sexton")));
        let cache = environment.xdg_directory("XDG_CACHE_HOME", ".cache", "sexton");
        assert_eq!(cache, Some(PathBuf::from("/cache/sexton")));
    }
}
