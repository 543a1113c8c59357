//! What the standard streams are connected to.

use std::io::{self, IsTerminal};

use sexton_sys::Environment;

use crate::render::Styles;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Facts about stdin, stdout and stderr, taken once.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// Whether a person may be asked: stdin and stderr are a terminal.
    pub can_ask: bool,
    /// Whether stdout is a terminal.
    pub stdout_is_terminal: bool,
    /// Whether stderr is a terminal: progress is only shown on one.
    pub stderr_is_terminal: bool,
    /// The columns of the terminal on stdout; `None` when piped: nothing is cut then.
    pub columns: Option<usize>,
    /// Styles for stdout.
    pub out: Styles,
    /// Styles for stderr.
    pub err: Styles,
}

impl Screen {
    /// What this process's streams are.
    #[must_use]
    pub fn of_this_process(environment: &Environment, choice: ColorChoice) -> Self {
        let (stdout, stderr) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        let colours = |is_terminal: bool| match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                is_terminal
                    && environment.get("NO_COLOR").is_none()
                    && environment.text("TERM").is_some_and(|term| term != "dumb")
            }
        };
        let columns = stdout.then(|| {
            let size = rustix::termios::tcgetwinsize(io::stdout()).ok();
            size.map(|size| usize::from(size.ws_col))
                .filter(|columns| *columns > 0)
                .unwrap_or(80)
        });
        Self {
            can_ask: io::stdin().is_terminal() && stderr,
            stdout_is_terminal: stdout,
            stderr_is_terminal: stderr,
            columns,
            out: Styles::new(colours(stdout)),
            err: Styles::new(colours(stderr)),
        }
    }
}
