//! Where values come from, and which one counts.

use sexton_sys::Environment;

use super::document::{Document, Problem};
use super::nearest::nearest;
use super::value::Value;

/// One key as [`super::Configuration::resolve`] lists it.
pub(super) struct Key<T> {
    /// Its dotted name in the file.
    pub(super) name: &'static str,
    /// What it means, in one line.
    pub(super) about: &'static str,
    /// Environment variables, the first that is set counts.
    pub(super) environment: &'static [&'static str],
    /// The option and what was given with it.
    pub(super) option: Option<(&'static str, Option<T>)>,
    pub(super) default: T,
    /// Another value than the default, as TOML, for the template.
    pub(super) example: &'static str,
}

/// Where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// This option.
    Option(&'static str),
    /// This environment variable.
    Environment(&'static str),
    /// The file, at this line.
    File(usize),
    /// Nobody said anything.
    Default,
}

/// One key with its value.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its dotted name in the file.
    pub name: &'static str,
    /// What it means, in one line.
    pub about: &'static str,
    /// The value as TOML; `None` if there is none.
    pub value: Option<String>,
    /// The default as TOML; `None` if there is none.
    pub default: Option<String>,
    /// Where the value came from.
    pub source: Source,
    /// The environment variables that set it.
    pub environment: &'static [&'static str],
    /// The option that sets it.
    pub option: Option<&'static str>,
    /// Another value, as TOML.
    pub example: &'static str,
}

/// The file and the environment, asked key by key.
pub(super) struct Sources<'t> {
    document: Document<'t>,
    environment: &'t Environment,
    entries: Vec<Entry>,
}

impl<'t> Sources<'t> {
    pub(super) fn of(text: &'t str, environment: &'t Environment) -> Self {
        Self {
            document: Document::of(text),
            environment,
            entries: Vec::new(),
        }
    }

    /// The value that counts. The file's is looked at in any case, so that a mistake in it is not hidden by an option.
    pub(super) fn take<T: Value>(&mut self, key: Key<T>) -> T {
        let file = self.read_file(key.name);
        let variables = key.environment.iter();
        let environment = variables.copied().find_map(|name| {
            let value = T::from_environment(self.environment.get(name)?)?;
            Some((value, Source::Environment(name)))
        });
        let default = key.default.to_toml();
        let (name, given) = key.option.unzip();
        let option = name.zip(given.flatten());
        let (value, source) = option
            .map(|(name, value)| (value, Source::Option(name)))
            .or(environment)
            .or(file)
            .unwrap_or((key.default, Source::Default));
        self.entries.push(Entry {
            name: key.name,
            about: key.about,
            value: value.to_toml(),
            default,
            source,
            environment: key.environment,
            option: name,
            example: key.example,
        });
        value
    }

    fn read_file<T: Value>(&mut self, name: &str) -> Option<(T, Source)> {
        let found = self.document.take(name)?;
        match T::from_toml(found.get_ref(), self.environment.home().as_deref()) {
            Ok(value) => {
                let line = self.document.line(found.span().start);
                Some((value, Source::File(line)))
            }
            Err(message) => {
                self.document
                    .problem(found.span(), format!("`{name}`: {message}"), false);
                None
            }
        }
    }

    /// All keys that were asked for, and what is wrong with the file; keys that nobody asked for are unknown.
    pub(super) fn finish(&mut self) -> (Vec<Entry>, Vec<Problem>) {
        let entries = std::mem::take(&mut self.entries);
        for (name, place) in self.document.rest() {
            let known = entries.iter().map(|entry| entry.name);
            let message = match nearest(&name, known) {
                Some(known) => format!("unknown key `{name}`; did you mean `{known}`?"),
                None => format!("unknown key `{name}`; `sexton config show` lists all keys"),
            };
            self.document.problem(place, message, true);
        }
        let mut problems = std::mem::take(&mut self.document.problems);
        problems.sort_by_key(|problem| (problem.line, problem.column));
        (entries, problems)
    }
}
