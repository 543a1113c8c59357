//! Every environment variable that is looked at, in one place.

/// A variable and what it does.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
}

/// Every environment variable that is looked at. An empty value counts as unset, and so does a relative path for a directory.
pub const VARIABLES: &[Variable] = &[
    variable("HOME", "where everything below `~` lies"),
    variable(
        "CLAUDE_CONFIG_DIR",
        "one more directory of Claude Code's, before `~/.claude`",
    ),
    variable("SEXTON_REGISTER_DIR", "the lifecycle register, as `register_dir`"),
    variable(
        "CLAUDEWHEEL_LIFECYCLE_DIR",
        "likewise, if `SEXTON_REGISTER_DIR` is unset",
    ),
    variable(
        "CLAUDEWHEEL_CONFIG_DIR",
        "claudewheel's directory: its profiles, and the register in `shared/lifecycle`",
    ),
    variable(
        "SEXTON_TOMBSTONE_DIR",
        "the directory of the tombstone file, as `tombstone_dir`",
    ),
    variable("SEXTON_ARCHIVE_DIR", "where archived sessions lie, as `archive_dir`"),
    variable("XDG_CONFIG_HOME", "holds `sexton/config.toml`; else `~/.config`"),
    variable(
        "XDG_DATA_HOME",
        "holds `sexton/` with journal, trash and vault; else `~/.local/share`",
    ),
    variable(
        "XDG_CACHE_HOME",
        "holds `sexton/` with catalogue and full text; else `~/.cache`",
    ),
    variable(
        "SEXTON_COMPLETE",
        "set by the completion scripts when they ask the program",
    ),
    variable("VISUAL", "the editor of `sexton config edit`"),
    variable("EDITOR", "likewise, if `VISUAL` is unset; else `vi`"),
    variable("SHELL", "the shell of `sexton demo --shell`; else `/bin/sh`"),
    variable(
        "TMPDIR",
        "where `sexton demo` builds its machine, and a dry run unpacks copies; else `/tmp`",
    ),
    variable("PATH", "where `sexton resume` finds `claude`"),
    variable("NO_COLOR", "no colours, if it is set"),
    variable("TERM", "no colours, if it is `dumb`"),
    variable("TZ", "the time zone of the days that are typed and shown"),
    variable(
        "CLAUDE_CODE_SESSION_ID",
        "with `CLAUDE_PID`: the session that the command runs in",
    ),
    variable(
        "CLAUDE_PID",
        "see `CLAUDE_CODE_SESSION_ID`; in hooks the client's process",
    ),
    variable("CLAUDEWHEEL_LAUNCH_PROFILE", "in hooks: the profile that is recorded"),
    variable(
        "CLAUDEWHEEL_LAUNCH_VERSION",
        "in hooks: the client's version that is recorded",
    ),
    variable("CLAUDEWHEEL_LAUNCH_MODEL", "in hooks: the model that is recorded"),
    variable(
        "CLAUDEWHEEL_LAUNCH_PERMISSIONS",
        "in hooks: the permission mode that is recorded",
    ),
];

const fn variable(name: &'static str, about: &'static str) -> Variable {
    Variable { name, about }
}
