//! `sexton hooks`

mod program;
mod status;

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use sexton_claude::config_dirs;
use sexton_claude::settings::{Change, Edit, HookProgram, SettingsFile, SettingsFileError};
use sexton_sys::Effects;
use similar::TextDiff;

use crate::arguments::DryRun;
use crate::context::Context;
use crate::documents::{Item, ItemsDocument, Outcome};
use crate::error::CommandError;
use crate::places::homeless;
use crate::recording::{Recording, disturbances, is_there};
use crate::render::lines;
use crate::render::path::safe;
use crate::render::text::block;
use crate::report::Report;

pub(crate) use program::own_program;

const EXAMPLES: &str = "\
Examples:
  sexton hooks install --dry-run          what would change in your settings, as a diff
  sexton hooks install
  sexton hooks install --scope project    only for sessions of this directory
  sexton hooks uninstall

Editing keeps everything else in the file as it is, byte for byte. The text before is kept beside it in
`settings.json.sexton-backup`.";

/// Let Claude Code record its sessions, or stop that.
///
/// With its hooks installed, each session that begins or ends is recorded with directory, model and version, also if no sexton command ever
/// runs. Without them sexton still sees sessions by what Claude Code itself keeps, which it removes after some weeks.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

/// What to do with the hooks.
#[derive(Debug, Clone, Copy, Subcommand)]
pub enum What {
    /// Put the hooks into Claude Code's settings, or point them to where this program is now
    Install(Installation),
    /// Take them out again; a file that has nothing else in it is removed
    Uninstall(Place),
    /// Show where they are installed, and whether they work
    Status(Scopes),
}

/// Where, and over what.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Installation {
    #[command(flatten)]
    place: Place,

    /// Install also where claudewheel or the plugin records the same sessions already; each event is there twice then
    #[arg(long)]
    force: bool,
}

/// Where, and whether at all.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Place {
    #[command(flatten)]
    scopes: Scopes,

    #[command(flatten)]
    dry_run: DryRun,
}

/// Which settings.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Scopes {
    /// Which settings: yours in every known config directory, or those of the project in the current directory
    #[arg(long, value_name = "SCOPE", default_value = "user")]
    scope: Scope,
}

/// Whose settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// `settings.json` in each config directory.
    User,
    /// `.claude/settings.local.json` in the current directory.
    Project,
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    match arguments.what {
        What::Install(Installation { place, force }) => {
            let program = own_program(&context.environment)?;
            edit(&Edit::Install(program), place, !force, context)
        }
        What::Uninstall(place) => edit(&Edit::Uninstall, place, false, context),
        What::Status(scopes) => status::run(scopes.scope, context),
    }
}

/// The settings files of a scope: those of every config directory, or of the one that a client would make.
pub(crate) fn files(
    scope: Scope,
    context: &Context,
) -> Result<Vec<Result<SettingsFile, SettingsFileError>>, CommandError> {
    if scope == Scope::Project {
        let directory = context.environment.current_directory();
        let directory = directory.ok_or_else(|| CommandError::refused("find the current directory"))?;
        return Ok(vec![SettingsFile::of_project(directory)]);
    }
    let mut directories: Vec<PathBuf> = context.config_dirs.iter().map(|known| known.path.clone()).collect();
    if directories.is_empty() {
        directories.push(config_dirs::current(&context.environment).ok_or_else(homeless)?);
    }
    Ok(directories
        .iter()
        .map(|directory| SettingsFile::of_user(directory))
        .collect())
}

/// Edits each file; `spare` leaves those alone whose sessions are recorded by others.
fn edit(edit: &Edit, place: Place, spare: bool, context: &Context) -> Result<Report, CommandError> {
    let effects = place.dry_run.effects();
    let mut answer = Answer::default();
    let files = files(place.scopes.scope, context)?;
    let only = files.len() == 1;
    for file in files {
        match file.and_then(|file| Ok((edit_one(&file, edit, spare, &effects)?, file))) {
            Ok((Ok(change), file)) => answer.add(&file, edit, &change, &effects),
            Ok((Err(recording), file)) => answer.spare(&file, &recording),
            Err(error) if only => return Err(hinted(error)),
            Err(error) => answer.problems.push(error.to_string()),
        }
    }
    let report = if context.json {
        let recorded = effects.recorded();
        let document = ItemsDocument::new(effects.is_dry_run(), answer.items, &recorded, &answer.problems);
        Report::json(&document)?
    } else if effects.is_dry_run() && !answer.diffs.is_empty() {
        // A diff that goes to a program stays what `patch` understands.
        let is_terminal = context.screen.stdout_is_terminal;
        Report::text(if is_terminal {
            block(&answer.diffs)
        } else {
            answer.diffs
        })
    } else {
        Report::text(lines(&answer.sentences))
    };
    Ok(report.with_warnings(answer.warnings).with_problems(answer.problems))
}

/// The change, or who records the sessions without it.
fn edit_one(
    file: &SettingsFile,
    edit: &Edit,
    spare: bool,
    effects: &Effects,
) -> Result<Result<Change, Recording>, SettingsFileError> {
    if spare {
        let recording = Recording::of(&file.status()?, is_there);
        if matches!(recording, Recording::Plugin | Recording::Claudewheel) {
            return Ok(Err(recording));
        }
    }
    file.edit(edit, effects, std::thread::sleep).map(Ok)
}

/// What became of all files.
#[derive(Default)]
struct Answer {
    items: Vec<Item>,
    sentences: Vec<String>,
    diffs: String,
    warnings: Vec<String>,
    problems: Vec<String>,
}

impl Answer {
    fn add(&mut self, file: &SettingsFile, edit: &Edit, change: &Change, effects: &Effects) {
        let path = safe(file.path());
        let sentence = match (edit, change.is_change(), &change.after) {
            (Edit::Uninstall, true, None) => format!("removed {path}: nothing else was in it"),
            (Edit::Uninstall, true, Some(_)) => format!("removed the hooks from {path}"),
            (Edit::Uninstall, false, _) => format!("no hooks of sexton in {path}"),
            (_, true, _) if change.before.is_none() => format!("made {path} with the hooks"),
            (_, true, _) => format!("installed the hooks in {path}"),
            (_, false, _) => format!("the hooks are installed in {path} already"),
        };
        let outcome = if change.is_change() {
            Outcome::Done
        } else {
            Outcome::Kept
        };
        self.items.push(Item::of_file(file.path(), outcome).saying(&sentence));
        self.sentences.push(sentence);
        if effects.is_dry_run() {
            self.diffs.push_str(&diff(file, change));
        }
        if let Edit::Install(_) = edit {
            self.warnings.extend(warnings(file, change));
        }
    }
}

impl Answer {
    /// Leaves a file alone whose sessions are recorded without us.
    fn spare(&mut self, file: &SettingsFile, recording: &Recording) {
        let path = safe(file.path());
        let sentence = match recording {
            Recording::Plugin => format!("left {path} as it is: the plugin records its sessions"),
            _ => format!("left {path} as it is: claudewheel's hooks record its sessions into the same register"),
        };
        self.items
            .push(Item::of_file(file.path(), Outcome::Kept).saying(&sentence));
        self.sentences.push(sentence);
    }
}

/// What else is in the file that makes the hooks useless or double.
fn warnings(file: &SettingsFile, change: &Change) -> Vec<String> {
    let path = safe(file.path());
    let Ok(status) = sexton_claude::settings::Status::of(change.after.as_deref()) else {
        return Vec::new();
    };
    disturbances(&status)
        .into_iter()
        .map(|what| format!("{path}: {what}"))
        .collect()
}

fn diff(file: &SettingsFile, change: &Change) -> String {
    let path = file.target().display().to_string();
    let name = |text: &Option<String>| {
        if text.is_some() {
            path.clone()
        } else {
            "/dev/null".into()
        }
    };
    let (before, after) = (
        change.before.as_deref().unwrap_or_default(),
        change.after.as_deref().unwrap_or_default(),
    );
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff()
        .header(&name(&change.before), &name(&change.after))
        .to_string()
}

fn hinted(error: SettingsFileError) -> CommandError {
    let hint = match &error {
        SettingsFileError::Text { .. } => Some("the file was left as it is; mend it, then run the command again"),
        SettingsFileError::Unsettled { .. } => Some("close Claude Code's settings screens, then run the command again"),
        _ => None,
    };
    let refused = CommandError::refused(error);
    match hint {
        Some(hint) => refused.hint(hint),
        None => refused,
    }
}

impl From<sexton_claude::settings::ProgramError> for CommandError {
    fn from(error: sexton_claude::settings::ProgramError) -> Self {
        Self::refused(error)
    }
}

/// The program that the hooks of this machine should call.
pub(crate) fn hook_program(path: &std::path::Path) -> Result<HookProgram, CommandError> {
    Ok(HookProgram::new(path)?)
}
