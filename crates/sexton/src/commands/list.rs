//! `sexton list`

use std::path::{Component, Path, PathBuf};

use rayon::prelude::*;
use sexton_register::State;
use sexton_sys::Effects;

use super::leave;
use crate::columns;
use crate::context::Context;
use crate::documents::SessionsDocument;
use crate::error::CommandError;
use crate::indexing::Indexed;
use crate::render::Table;
use crate::report::Report;
use crate::roll::{Disposal, Filter, Hidden, Pass, Roll, Row, ShortIds, Sort, look, look_thoroughly, record};

const EXAMPLES: &str = "\
Examples:
  sexton list                           what runs and what was left loose
  sexton list --all --since 7d          everything of the last week
  sexton list --state waiting           who waits for you
  sexton list --cwd . --json | jq '.sessions[].id'

The column KNOWN says how the state is known:
  kernel      the process runs, and its start time is the recorded one
  pid         a process has its pid, and no more is known
  foreign     it belongs to another machine or container
  mark        you said so
  hook        Claude Code reported it
  sweep       an observation found neither process nor end
  registry    its process is gone and left its registry file behind
  transcript  only the transcript is left
AGE is the time since the last activity. `*` marks the session you sit in.";

/// List sessions: what runs, what waits, what was left loose.
///
/// Done and exited sessions are hidden and counted. Listing also records what would be lost with the processes: display names, and the end
/// of sessions that died without a word.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "they are the command's flags")]
pub struct Arguments {
    /// Show finished sessions, too
    #[arg(long, short)]
    all: bool,

    /// Only sessions in this state; may be given several times
    #[arg(long, value_name = "STATE", value_delimiter = ',', value_parser = parse_state)]
    state: Vec<State>,

    /// Only sessions of this directory and those below it
    #[arg(long, short = 'C', value_name = "DIR")]
    cwd: Option<PathBuf>,

    /// Only sessions whose transcript directory's name contains TEXT
    #[arg(long, value_name = "TEXT")]
    project: Option<String>,

    /// Only sessions active since then: an age (s, m, h, d, w, y) such as 7d, a date (local midnight), or an RFC 3339 time
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,

    /// Only sessions with a process
    #[arg(long, short)]
    live: bool,

    /// Only archived sessions
    #[arg(long, conflicts_with = "deleted")]
    archived: bool,

    /// Only deleted sessions
    #[arg(long)]
    deleted: bool,

    /// How to sort
    #[arg(long, value_name = "ORDER", default_value = "group")]
    sort: Sort,

    /// Write nothing into the register
    #[arg(long, short = 'n', visible_alias = "dry-run")]
    read_only: bool,
}

/// The state that was typed.
pub(super) fn parse_state(text: &str) -> Result<State, String> {
    State::from_word(text).ok_or_else(|| {
        let words: Vec<&str> = State::ALL.iter().map(|state| state.as_str()).collect();
        format!("the states are {}", words.join(", "))
    })
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    let filter = filter(arguments, context)?;
    let mut warnings = Vec::new();
    let (indexed, mut sources) = if arguments.read_only {
        (None, look(context)?)
    } else {
        look_thoroughly(context, arguments.all || filter.needs_transcripts(), &mut warnings)?
    };
    if !arguments.read_only {
        let pass = record(context, &mut sources, &Effects::apply());
        warnings.extend(unrecorded(&pass));
    }
    let is_damaged = !sources.register.damaged.is_empty();
    let mut roll = Roll::join(sources, context);
    if let Some(indexed) = &indexed
        && let Err(error) = roll.know_which(indexed, context)
    {
        warnings.push(format!("the catalogue can't be read: {error}"));
    }
    warnings.extend(vanishing(&roll));
    let short_ids = ShortIds::of(&roll.rows);
    filter.select(&mut roll.rows, leave);
    if filter.needs_transcripts() {
        // Before anything is hidden, so that only what was asked for is counted as hidden.
        know_transcripts(&mut roll, indexed.as_ref(), &mut warnings);
        roll.rows.retain(|row| filter.judge_transcript(row));
    }
    let hidden = filter.hide(&mut roll.rows, leave);
    if !filter.needs_transcripts() {
        know_transcripts(&mut roll, indexed.as_ref(), &mut warnings);
    }
    arguments.sort.apply(&mut roll.rows);

    let report = if context.json {
        let printed = SessionsDocument::print(&roll.rows, hidden, &roll.problems);
        Report::text(printed.map_err(CommandError::refused)? + "\n")
    } else {
        let text = if roll.rows.is_empty() {
            String::new()
        } else {
            table(&roll, &short_ids, context)
        };
        let repair = is_damaged
            .then(|| "damaged lines of the register: `sexton register repair FILE` moves them aside".to_owned());
        Report::text(text)
            .with_notes(footer(hidden, roll.rows.is_empty()))
            .with_notes(repair)
    };
    let report = report
        .with_warnings(warnings)
        .with_problems(std::mem::take(&mut roll.problems));
    leave((roll, short_ids, indexed.map(|indexed| indexed.report)));
    Ok(report)
}

/// What the transcripts of the rows say: from the catalogue, and from themselves where it doesn't know them as they are.
fn know_transcripts(roll: &mut Roll, indexed: Option<&Indexed>, warnings: &mut Vec<String>) {
    if let Some(indexed) = indexed
        && let Err(error) = roll.know_facts(indexed)
    {
        warnings.push(format!("the catalogue can't be read: {error}"));
    }
    roll.read_transcripts();
}

/// What the observation pass could not write down: a store that can't be written to is one trouble, not one for each session.
pub(crate) fn unrecorded(pass: &Pass) -> Vec<String> {
    const SHOWN: usize = 3;
    let failed: Vec<_> = pass.problems.iter().chain(&pass.sweep.problems).collect();
    let mut warnings: Vec<String> = failed
        .iter()
        .take(SHOWN)
        .map(|problem| format!("not recorded: {problem}"))
        .collect();
    if failed.len() > SHOWN {
        warnings.push(format!("not recorded: {} more", failed.len() - SHOWN));
    }
    warnings
}

/// What Claude Code is about to delete without a copy being kept.
fn vanishing(roll: &Roll) -> Option<String> {
    const SOON_MS: i64 = 3 * 24 * 60 * 60 * 1000;
    const SHOWN: usize = 3;
    let is_due = |row: &&Row| {
        !row.has_copy
            && row
                .sweep_due_ms
                .is_some_and(|due| due <= roll.now_ms.saturating_add(SOON_MS))
    };
    let due: Vec<&Row> = roll
        .rows
        .iter()
        .filter(|row| row.disposal.is_none() && !row.state.is_live())
        .filter(is_due)
        .collect();
    let first = due
        .iter()
        .take(SHOWN)
        .map(|row| row.session.short())
        .collect::<Vec<_>>()
        .join(", ");
    let more = if due.len() > SHOWN { ", …" } else { "" };
    let what = if due.len() == 1 { "session is" } else { "sessions are" };
    (!due.is_empty()).then(|| {
        format!("{} {what} about to be deleted by Claude Code, and no copy is kept ({first}{more}): `sexton archive` or `sexton keep add` saves them", due.len())
    })
}

fn filter(arguments: &Arguments, context: &Context) -> Result<Filter, CommandError> {
    let cwd = arguments.cwd.as_ref().map(|cwd| {
        let absolute = context
            .environment
            .current_directory()
            .map_or_else(|| cwd.clone(), |here| here.join(cwd));
        // A directory that is gone still has sessions: then the name is all there is.
        let named = without_dots(&absolute);
        match absolute.canonicalize() {
            Ok(real) if real != named => vec![real, named],
            _ => vec![named],
        }
    });
    Ok(Filter {
        all: arguments.all,
        states: arguments.state.clone(),
        cwd: cwd.unwrap_or_default(),
        project: arguments.project.clone().filter(|text| !text.is_empty()),
        since_ms: arguments
            .since
            .as_deref()
            .map(|since| context.date_ms(since))
            .transpose()?,
        live: arguments.live,
        with_put_away: false,
        put_away: match (arguments.archived, arguments.deleted) {
            (true, _) => Some(Disposal::Archived),
            (_, true) => Some(Disposal::Deleted),
            _ => None,
        },
    })
}

/// `path` with its `.` and `..` resolved by name alone.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// The rows as a table.
fn table(roll: &Roll, short_ids: &ShortIds, context: &Context) -> String {
    let mut table = Table::new(columns::all());
    let home = context.environment.home();
    let styles = context.screen.out;
    let rows = roll.rows.par_iter().with_min_len(256).map(|row| {
        let id = short_ids.get(row.session);
        columns::cells(row, &id, home.as_deref(), roll.now_ms, styles).into()
    });
    for row in rows.collect::<Vec<_>>() {
        table.push(row);
    }
    table.render(context.screen.columns, styles.header())
}

/// What is not shown, and how to see it.
fn footer(hidden: Hidden, is_empty: bool) -> Option<String> {
    let Hidden {
        finished,
        archived,
        deleted,
    } = hidden;
    let parts = [
        (finished, "finished", "--all"),
        (archived, "archived", "--archived"),
        (deleted, "deleted", "--deleted"),
    ];
    let shown: Vec<_> = parts.iter().filter(|(count, ..)| *count > 0).collect();
    if shown.is_empty() {
        return is_empty.then(|| "no sessions found".to_owned());
    }
    let counts: Vec<String> = shown.iter().map(|(count, what, _)| format!("{count} {what}")).collect();
    let options: Vec<String> = shown.iter().map(|(.., option)| format!("`{option}`")).collect();
    Some(format!("{} hidden: {}", counts.join(", "), options.join(", ")))
}
