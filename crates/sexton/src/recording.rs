//! Whether the hooks in one settings file do what they should.

use std::path::{Path, PathBuf};

use sexton_claude::settings::Status;

use crate::render::path::safe;

/// What the hooks in one settings file amount to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recording {
    /// Sessions are recorded by this program, or by another one of ours that is there.
    Works(PathBuf),
    /// There are none of ours, and none are needed: our plugin records the sessions.
    Plugin,
    /// There are none of ours, and none are needed: claudewheel records the sessions into the same register.
    Claudewheel,
    /// Nothing records sessions.
    Missing,
    /// Only the beginning or only the end is recorded.
    Half,
    /// Sessions are recorded more than once.
    Doubled,
    /// The program isn't there any more; the client says so at every event.
    Dead(PathBuf),
    /// All hooks are switched off.
    Disabled,
}

impl Recording {
    /// What `status` amounts to; `is_there` tells whether a program can be run.
    #[must_use]
    pub fn of(status: &Status, is_there: impl Fn(&Path) -> bool) -> Self {
        let programs = status.programs();
        let dead = programs.iter().find(|program| !is_there(program));
        match (programs.first(), dead) {
            _ if status.disabled => Self::Disabled,
            (None, _) if status.plugin.is_some() => Self::Plugin,
            (None, _) if !status.claudewheel.is_empty() => Self::Claudewheel,
            (None, _) => Self::Missing,
            (_, Some(dead)) => Self::Dead((*dead).clone()),
            _ if status.session_start.is_empty() || status.session_end.is_empty() => Self::Half,
            _ if !status.is_installed() => Self::Doubled,
            (Some(program), None) => Self::Works((*program).clone()),
        }
    }

    /// One word for it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Works(_) => "installed",
            Self::Plugin => "plugin",
            Self::Claudewheel => "claudewheel",
            Self::Missing => "missing",
            Self::Half => "half",
            Self::Doubled => "doubled",
            Self::Dead(_) => "dead",
            Self::Disabled => "disabled",
        }
    }
}

/// What else stands in a settings file that makes our hooks useless or double, each as a sentence.
#[must_use]
pub fn disturbances(status: &Status) -> Vec<String> {
    let mut found = Vec::new();
    if status.disabled {
        found.push("`disableAllHooks` is set, so that no hook runs".to_owned());
    }
    if status.is_absent() {
        // Then whatever records sessions is the only one that does.
        return found;
    }
    if let Some(command) = status.claudewheel.first() {
        let command = safe(Path::new(command));
        found.push(format!(
            "`{command}` of claudewheel records the same sessions into the same register, so that each event is there twice; remove one of the two"
        ));
    }
    if let Some(plugin) = &status.plugin {
        let plugin = safe(Path::new(plugin));
        found.push(format!(
            "the plugin `{plugin}` brings the same hooks, so that each event is there twice; disable the plugin or uninstall the hooks"
        ));
    }
    found
}

/// Whether a hook's program can be run. One without a path is looked for by the client's shell, and what that finds isn't known here.
#[must_use]
pub fn is_there(program: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    if !program.is_absolute() {
        return true;
    }
    program
        .metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules() {
        let status = |start: &[&str], end: &[&str]| Status {
            session_start: start.iter().map(PathBuf::from).collect(),
            session_end: end.iter().map(PathBuf::from).collect(),
            ..Status::default()
        };
        let of = |status: &Status| Recording::of(status, |program| program == Path::new("/a/sexton"));
        assert_eq!(of(&status(&[], &[])), Recording::Missing);
        assert_eq!(
            of(&status(&["/a/sexton"], &["/a/sexton"])),
            Recording::Works("/a/sexton".into())
        );
        assert_eq!(of(&status(&["/a/sexton"], &[])), Recording::Half);
        assert_eq!(
            of(&status(&["/a/sexton", "/a/sexton"], &["/a/sexton"])),
            Recording::Doubled
        );
        assert_eq!(
            of(&status(&["/a/sexton"], &["/b/sexton"])),
            Recording::Dead("/b/sexton".into())
        );
        let disabled = Status {
            disabled: true,
            ..status(&["/a/sexton"], &["/a/sexton"])
        };
        assert_eq!(of(&disabled), Recording::Disabled);
        let plugin = Status {
            plugin: Some("sexton@x".to_owned()),
            ..status(&[], &[])
        };
        assert_eq!((of(&plugin), disturbances(&plugin).len()), (Recording::Plugin, 0));
        let both = Status {
            plugin: plugin.plugin,
            ..status(&["/a/sexton"], &["/a/sexton"])
        };
        assert_eq!(
            (of(&both), disturbances(&both).len()),
            (Recording::Works("/a/sexton".into()), 1)
        );
    }
}
