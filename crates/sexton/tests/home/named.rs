//! That whoever types a command which the program names gets that command.

use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use sexton::shell::completion;
use sexton_testkit::session_id;

/// The sources of the program, without its comments and its tests.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// Commands as people are told them: a literal of its own, or between backticks within one.
fn named(line: &str) -> Vec<String> {
    let mut commands = Vec::new();
    for quote in ['"', '`'] {
        let opening = format!("{quote}sexton ");
        let mut rest = line;
        while let Some(at) = rest.find(&opening) {
            let from = &rest[at + 1..];
            let end = from.find(quote).unwrap_or(from.len());
            commands.push(from[..end].to_owned());
            rest = &from[end..];
        }
    }
    commands
}

/// `command` as somebody types it, with something for each of its blanks.
fn typed(command: &str) -> Vec<String> {
    let mut filled = String::new();
    let mut is_blank = false;
    for character in command.chars() {
        match character {
            '{' => is_blank = true,
            '}' => {
                is_blank = false;
                filled.push_str(&session_id(1));
            }
            _ if is_blank => {}
            other => filled.push(other),
        }
    }
    let words = filled.replace(&format!("--from {}", session_id(1)), "--from trash");
    let words = words.split_whitespace().filter(|word| *word != "…");
    words
        .map(|word| word.replace("NUMBER", "1").replace('\'', ""))
        .collect()
}

#[test]
fn every_command_that_is_named_exists() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let mut count = 0;
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        // Hooks are called before there are arguments.
        for command in code
            .flat_map(named)
            .filter(|command| !command.starts_with("sexton hook "))
        {
            count += 1;
            let parsed = completion::command().try_get_matches_from(typed(&command));
            let is_known = parsed.err().is_none_or(|error| {
                matches!(
                    error.kind(),
                    // It is named without what it takes.
                    ErrorKind::MissingRequiredArgument
                        | ErrorKind::DisplayHelp
                        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                )
            });
            assert!(is_known, "{}: `{command}`", path.display());
        }
    }
    assert!(count > 50, "hardly any commands: {count}");
}
