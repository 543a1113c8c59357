//! All that a command may know of the world it runs in.

use std::path::{Path, PathBuf};

use sexton_claude::config_dirs::ConfigDirectories;
use sexton_sys::{Clock, Environment, SystemClock};
use sexton_yard::filter::DateReading;

use crate::configuration::{self, Configuration, Options};
use crate::error::CommandError;
use crate::places::{Places, homeless};
use crate::render::one_line;
use crate::screen::{ColorChoice, Screen};

/// The world of one command: environment, clock, places, streams. Made once in `main`, handed down, never global.
pub struct Context {
    /// The environment.
    pub environment: Environment,
    /// The clock.
    pub clock: Box<dyn Clock>,
    /// What is configured.
    pub configuration: Configuration,
    /// Where our own things lie.
    pub places: Places,
    /// Claude Code's directories.
    pub config_dirs: ConfigDirectories,
    /// The standard streams.
    pub screen: Screen,
    /// Whether to answer with JSON.
    pub json: bool,
}

impl Context {
    /// The world of a command that is still being typed: nothing is given, nobody is asked, and what is wrong is not said.
    #[must_use]
    pub(crate) fn for_completion(environment: Environment) -> Option<Self> {
        let text = configuration::read(&environment).ok().flatten().unwrap_or_default();
        let configuration = Configuration::resolve(&text, &environment, &Options::default());
        Some(Self {
            places: Places::find(&environment, &configuration).ok()?,
            config_dirs: ConfigDirectories::known(&environment, &configuration.config_dirs),
            screen: Screen::of_this_process(&environment, ColorChoice::Never),
            clock: Box::new(SystemClock),
            json: false,
            environment,
            configuration,
        })
    }

    /// Now, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// Whether there is a terminal that the table can be shown on.
    #[must_use]
    pub fn can_show_table(&self) -> bool {
        let is_dumb = self.environment.text("TERM").is_none_or(|term| term == "dumb");
        self.screen.can_ask && self.screen.stdout_is_terminal && !self.json && !is_dumb
    }

    /// The instant that a person's date means, in milliseconds since the Unix epoch; a day begins at local midnight.
    pub fn date_ms(&self, text: &str) -> Result<i64, CommandError> {
        let date = sexton_yard::filter::read_date(text, self.now_ms(), &jiff::tz::TimeZone::system());
        date.map(|date| date.at_ms).map_err(CommandError::usage)
    }

    /// As [`Self::date_ms`], of what is put away if it is older: `6m` meant for months must not be minutes.
    pub fn old_date_ms(&self, text: &str) -> Result<i64, CommandError> {
        let date = sexton_yard::filter::read_date(text, self.now_ms(), &jiff::tz::TimeZone::system());
        match date.map_err(CommandError::usage)? {
            date if date.reading == DateReading::ShortAge => {
                let what = format_args!(
                    "take `{}` for an age: nothing is put away by seconds or minutes",
                    one_line(text)
                );
                Err(CommandError::usage(what)
                    .hint("an age is in hours, days, weeks or years, such as `12h`, `30d`, `2w`, `1y`"))
            }
            date => Ok(date.at_ms),
        }
    }

    /// `path` below the working directory, if it is relative.
    #[must_use]
    pub fn absolute(&self, path: &Path) -> PathBuf {
        match self.environment.current_directory() {
            Some(here) => here.join(path),
            None => path.to_path_buf(),
        }
    }

    /// The real path of a directory; one that is gone still has sessions, and is taken as it stands.
    #[must_use]
    pub fn real_directory(&self, path: &Path) -> PathBuf {
        let absolute = self.absolute(path);
        absolute
            .canonicalize()
            .unwrap_or_else(|_| absolute.components().collect())
    }

    /// The user's home directory.
    pub fn home(&self) -> Result<PathBuf, CommandError> {
        self.environment.home().ok_or_else(homeless)
    }
}
