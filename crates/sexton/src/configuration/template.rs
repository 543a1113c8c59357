//! The configuration as the text of a file.

use super::sources::{Entry, Source};

/// All keys with what they mean, their values and where these come from; itself a valid configuration file.
#[must_use]
pub fn annotated(entries: &[Entry]) -> String {
    written(entries, |entry, key| {
        let source = match entry.source {
            Source::Option(option) => format!("option {option}"),
            Source::Environment(variable) => format!("environment {variable}"),
            Source::File(line) => format!("file, line {line}"),
            Source::Default => "default".into(),
        };
        match &entry.value {
            Some(value) => format!("{key} = {value}  # {source}"),
            None => format!("# {key} is not set  # {source}"),
        }
    })
}

/// A file for a beginning: everything explained, nothing set.
#[must_use]
pub fn template(entries: &[Entry]) -> String {
    let keys = written(entries, |entry, key| {
        let value = entry.default.as_deref().unwrap_or(entry.example);
        format!("# {key} = {value}")
    });
    format!("# sexton's configuration. Everything has a default; take the `#` before a key away to set it.\n\n{keys}")
}

fn written(entries: &[Entry], line: impl Fn(&Entry, &str) -> String) -> String {
    let mut text = String::new();
    let mut table = "";
    for entry in entries {
        let (parent, key) = entry.name.rsplit_once('.').unwrap_or(("", entry.name));
        if !text.is_empty() {
            text.push('\n');
        }
        if parent != table {
            table = parent;
            text.extend(["[", table, "]\n"]);
        }
        text.extend(["# ", entry.about, "\n"]);
        let option = entry.option.map(|name| format!("`{name}`"));
        let variables = entry.environment.iter().map(|name| format!("`${name}`"));
        let others: Vec<String> = option.into_iter().chain(variables).collect();
        if !others.is_empty() {
            text.extend(["# Also: ", &others.join(", "), "\n"]);
        }
        text.extend([&line(entry, key), "\n"]);
    }
    text
}
