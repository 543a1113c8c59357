//! Colours that mean something; nothing is said by colour alone.

use anstyle::{AnsiColor, Style};
use sexton_register::State;

/// The styles of one output stream; all empty where colours are off.
#[derive(Debug, Clone, Copy)]
pub struct Styles {
    enabled: bool,
}

impl Styles {
    /// Styles that colour, or that don't.
    #[must_use]
    pub fn new(enabled: bool) -> Self {
        Self { enabled }
    }

    fn style(self, style: Style) -> Style {
        if self.enabled { style } else { Style::new() }
    }

    /// Column headers and other scaffolding.
    #[must_use]
    pub fn header(self) -> Style {
        self.style(Style::new().bold())
    }

    /// What matters less.
    #[must_use]
    pub fn dim(self) -> Style {
        self.style(Style::new().dimmed())
    }

    /// `error:`
    #[must_use]
    pub fn error(self) -> Style {
        self.style(AnsiColor::Red.on_default().bold())
    }

    /// `warning:`
    #[must_use]
    pub fn warning(self) -> Style {
        self.style(AnsiColor::Yellow.on_default().bold())
    }

    /// `hint:`
    #[must_use]
    pub fn hint(self) -> Style {
        self.style(AnsiColor::Cyan.on_default().bold())
    }

    /// The matched words of a search hit.
    #[must_use]
    pub fn matched(self) -> Style {
        self.style(AnsiColor::Red.on_default().bold())
    }

    /// A state: green works, yellow wants you, red died, blue is put aside, dim is over.
    #[must_use]
    pub fn state(self, state: State) -> Style {
        self.style(match state {
            State::Working | State::Shell | State::Running | State::Starting => AnsiColor::Green.on_default(),
            State::Waiting | State::Unverified => AnsiColor::Yellow.on_default().bold(),
            State::Crashed => AnsiColor::Red.on_default(),
            State::OnHold | State::Blocked => AnsiColor::Blue.on_default(),
            State::Idle => AnsiColor::Cyan.on_default(),
            _ => Style::new().dimmed(),
        })
    }
}
