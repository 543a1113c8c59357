//! The commands that stand in settings, and how ours are told from others'.

use std::path::Path;

/// An event of Claude Code's that sexton listens to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookEvent {
    /// A session begins, or goes on.
    SessionStart,
    /// A session ends.
    SessionEnd,
}

impl HookEvent {
    /// Both, in the order in which a session meets them.
    pub const ALL: [Self; 2] = [Self::SessionStart, Self::SessionEnd];

    /// The key below `hooks`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
        }
    }

    /// The word after `sexton hook`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::SessionEnd => "session-end",
        }
    }

    /// Seconds that the hook may take. Without it all hooks of an end share 1.5 s, and a busy machine loses the end of a session.
    #[must_use]
    pub const fn timeout(self) -> Option<u32> {
        match self {
            Self::SessionStart => None,
            Self::SessionEnd => Some(10),
        }
    }
}

/// The program that hooks call, as settings can name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookProgram(String);

/// A program that can't stand in settings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// JSON holds text only.
    #[error("write `{0}` into settings: its path is not UTF-8")]
    NotUtf8(String),
    /// A hook runs in the session's directory, so that a relative path leads elsewhere each time.
    #[error("write `{0}` into settings: its path is not absolute")]
    Relative(String),
    /// Its entries would not be recognised later.
    #[error(
        "write `{0}` into settings: its name does not begin with `sexton`, so that its entries could not be found again"
    )]
    Name(String),
}

impl HookProgram {
    /// The program at an absolute path whose file name begins with `sexton`.
    pub fn new(path: &Path) -> Result<Self, ProgramError> {
        let shown = path.display().to_string();
        let Some(text) = path.to_str() else {
            return Err(ProgramError::NotUtf8(shown));
        };
        if !path.is_absolute() {
            return Err(ProgramError::Relative(shown));
        }
        if !is_our_name(text) {
            return Err(ProgramError::Name(shown));
        }
        Ok(Self(text.to_owned()))
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        Path::new(&self.0)
    }

    /// The command for a shell: `'/path/sexton' hook session-start`.
    ///
    /// Not the form with `args`: older clients ignore them and would run the bare program, whose output goes to the model.
    #[must_use]
    pub fn command(&self, event: HookEvent) -> String {
        format!("'{}' hook {}", self.0.replace('\'', r"'\''"), event.word())
    }
}

/// The program of a command that has the shape of ours for `event`, wherever it lies: the binary may have moved.
pub(super) fn our_program(command: &str, event: HookEvent) -> Option<String> {
    let words = words(command)?;
    let [program, hook, word] = words.as_slice() else {
        return None;
    };
    (hook == "hook" && word == event.word() && is_our_name(program)).then(|| program.clone())
}

/// Whether a command is one of claudewheel's, which writes the same register: with both, each session is recorded twice.
///
/// Its hooks are scripts in `~/.claudewheel/scripts`, or wherever its configuration directory is.
pub(super) fn is_claudewheels(command: &str, event: HookEvent) -> bool {
    let script = format!("/hook-{}", event.word());
    command.contains("claudewheel") || command.trim_end_matches(['\'', '"', ' ']).ends_with(&script)
}

fn is_our_name(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or_default();
    name.starts_with("sexton")
}

/// The words of a simple shell command; `None` where a shell would do more than split and unquote.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        let literal = match (quote, character) {
            (Some(open), close) if open == close => {
                quote = None;
                continue;
            }
            (Some('\''), inner) => inner,
            (None, '\'' | '"') => {
                quote = Some(character);
                // Quotes around nothing are a word, too.
                word.get_or_insert_default();
                continue;
            }
            (None, ' ' | '\t') => {
                words.extend(word.take());
                continue;
            }
            (_, '\\') => characters.next()?,
            (_, '$' | '`') | (None, '\n' | '\r' | ';' | '&' | '|' | '<' | '>' | '(' | ')' | '*' | '?' | '#') => {
                return None;
            }
            (_, plain) => plain,
        };
        word.get_or_insert_default().push(literal);
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use HookEvent::{SessionEnd, SessionStart};

    #[test]
    fn a_shell_reads_back_the_path_that_was_quoted() {
        for path in [
            "/usr/bin/sexton",
            "/with space/sexton",
            "/it's $HOME `x` \\ \"q\"/sexton-0.1",
            "/日本/sexton",
        ] {
            let program = HookProgram::new(Path::new(path)).unwrap();
            let command = program.command(SessionEnd);
            assert_eq!(our_program(&command, SessionEnd).as_deref(), Some(path), "{command}");
            assert_eq!(our_program(&command, SessionStart), None);
            let shell = std::process::Command::new("sh")
                .args(["-c", &format!("printf %s\\\\n {command}")])
                .output()
                .unwrap();
            let seen = String::from_utf8(shell.stdout).unwrap();
            assert_eq!(seen, format!("{path}\nhook\nsession-end\n"));
        }
    }

    #[test]
    fn our_shape_is_known_however_it_is_written() {
        for ours in [
            "sexton hook session-start",
            " \"/opt/sexton\"  hook session-start ",
            "/a\\ b/sexton hook session-start",
            "~/bin/sexton hook 'session-start'",
        ] {
            assert!(our_program(ours, SessionStart).is_some(), "{ours}");
        }
        for other in [
            "sexton hook session-start; rm x",
            "sexton hook session-start --more",
            "sexton list",
            "$HOME/sexton hook session-start",
            "'/opt/sexton hook session-start",
            "/opt/not-sexton hook session-start",
            "echo sexton hook session-start",
            "",
        ] {
            assert_eq!(our_program(other, SessionStart), None, "{other}");
        }
    }

    #[test]
    fn a_program_that_could_not_be_recognised_is_refused() {
        assert!(matches!(
            HookProgram::new(Path::new("/bin/other")),
            Err(ProgramError::Name(_))
        ));
        assert!(matches!(
            HookProgram::new(Path::new("sexton")),
            Err(ProgramError::Relative(_))
        ));
    }

    #[test]
    fn claudewheels_scripts_are_known() {
        assert!(is_claudewheels(
            "/home/a/.claudewheel/scripts/hook-session-start",
            SessionStart
        ));
        assert!(is_claudewheels("'/srv/wheel/scripts/hook-session-end'", SessionEnd));
        assert!(!is_claudewheels("/srv/wheel/scripts/hook-session-end", SessionStart));
        assert!(!is_claudewheels("'/usr/bin/sexton' hook session-start", SessionStart));
    }
}
