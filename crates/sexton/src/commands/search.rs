//! `sexton search`

mod arguments;
mod render;
mod scan;

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::thread;

use sexton_index::IndexError;
use sexton_index::query::{Filter, Query, SearchRequest, View};
use sexton_index::search::{Answer, SearchContext, search};
use sexton_index::texts::Texts;
use sexton_sys::Effects;

pub use arguments::Arguments;
pub(super) use arguments::parse_role;
pub(crate) use arguments::unquoted;

use super::leave;
use crate::context::Context;
use crate::documents::{HitDocument, HitsDocument, SCHEMA_VERSION};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::indexing::{Indexed, Patience, bring_up_to_date_anywhere, vault};
use crate::report::Report;
use crate::roll::{Names, NamesAhead, Recorded, Roll, ShortIds, archived};

/// What was searched and what came of it.
struct Found {
    answer: Answer,
    problems: Vec<String>,
}

/// What is known of sessions, beside what their transcripts say.
struct Known {
    names: Names,
    /// Everything, where the search needs it.
    roll: Option<Roll>,
    /// The directories in which archived sessions lie.
    archives: Vec<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    let mut unlisted = Vec::new();
    let put_away = archived(context, &mut unlisted);
    let pattern = arguments.pattern();
    // A scan reads the transcripts themselves and does not depend on what the catalogue has read.
    let is_scan = pattern.is_some();
    let pass = || bring_up_to_date_anywhere(context, &put_away, Patience::SEARCH, !is_scan);
    let (indexed, roll, names) = if is_scan || !arguments.state.is_empty() {
        let (indexed, roll) = look_at_all(context, is_scan, pass)?;
        let names = Names::from(&roll);
        (indexed, Some(roll), names)
    } else {
        let (indexed, ahead) = read_beside(|| NamesAhead::read(context), pass);
        let indexed = indexed.map_err(CommandError::unreadable)?;
        let mut names = Names::of_indexed(&indexed, ahead, put_away.keys().copied(), context)?;
        names.problems.extend(unlisted);
        (indexed, None, names)
    };
    let archives: BTreeSet<PathBuf> = put_away
        .values()
        .filter_map(|path| path.parent())
        .map(PathBuf::from)
        .collect();
    let known = Known {
        names,
        roll,
        archives: archives.into_iter().collect(),
    };

    let found = match pattern {
        Some(pattern) => scan::run(arguments, &pattern, context, &indexed, &known)?,
        None => ask(arguments, context, &indexed, &known)?,
    };
    let Found { answer, problems } = found;
    let is_empty = answer.total == 0;
    let complete = indexed.incomplete.is_none() || is_scan;
    let report = if context.json {
        Report::json(&HitsDocument {
            schema_version: SCHEMA_VERSION,
            hits: answer.hits.iter().map(HitDocument::from).collect(),
            total: answer.total,
            exact: answer.is_exact,
            complete,
            problems: problems.clone(),
        })?
    } else {
        let short_ids = ShortIds::of_sessions(known.names.known.iter().copied());
        Report::text(render::hits(&answer, &short_ids, context)).with_notes(render::footer(&answer))
    };
    let mut warnings = indexed.warnings;
    warnings.extend(arguments.idle());
    let incomplete = indexed.incomplete.filter(|why| !complete && !warnings.contains(why));
    warnings.extend(incomplete);
    let exit = if is_empty { Exit::Refused } else { Exit::Done };
    leave((known, indexed.report));
    Ok(report.with_exit(exit).with_warnings(warnings).with_problems(problems))
}

/// Does `work` while another thread reads what doesn't depend on it.
fn read_beside<R: Send, T>(read: impl FnOnce() -> R + Send, work: impl FnOnce() -> T) -> (T, R) {
    thread::scope(|scope| {
        let reader = scope.spawn(read);
        let done = work();
        (done, reader.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Looks at every session beside the pass, which states and scans hang on.
fn look_at_all(
    context: &Context,
    is_scan: bool,
    pass: impl FnOnce() -> Result<Indexed, IndexError>,
) -> Result<(Indexed, Roll), CommandError> {
    let (indexed, recorded) = Recorded::read_beside(context, pass, |_| ())?;
    let mut indexed = indexed.map_err(CommandError::unreadable)?;
    let mut sources = recorded.look_beside(std::mem::take(&mut indexed.report.survey.listing), context)?;
    sources.keep_summaries(context, &Effects::apply());
    let mut roll = Roll::join(sources, context);
    roll.know_which(&indexed, context).map_err(CommandError::unreadable)?;
    if is_scan {
        // The full text has titles and times of its own.
        roll.know_facts(&indexed).map_err(CommandError::unreadable)?;
        // And what the catalogue doesn't know as it is tells itself, at its two ends: filters by directory hang on it.
        roll.read_transcripts();
    }
    Ok((indexed, roll))
}

fn ask(arguments: &Arguments, context: &Context, indexed: &Indexed, known: &Known) -> Result<Found, CommandError> {
    let vault = vault(context);
    let request = SearchRequest {
        query: Query::parse(&arguments.query.join(" ")),
        filter: filter(arguments, context, known.roll.as_ref())?,
        sort: arguments.sort.into(),
        view: if arguments.messages {
            View::Messages
        } else {
            View::Sessions
        },
        limit: arguments.limit,
        now_ms: context.now_ms(),
    };
    let surroundings = SearchContext {
        texts: Texts {
            vault: &vault,
            archives: &known.archives,
        },
        tombstones: &indexed.report.tombstones,
        facts: &indexed.report.facts,
        names: &known.names.names,
        width: arguments.width(context),
    };
    let answer = search(&indexed.catalogue, surroundings, &request).map_err(|error| {
        CommandError::usage(error)
            .hint("`sexton search --help` shows what a query may say; `--substring` looks for any text as it stands")
    })?;
    Ok(Found {
        answer,
        problems: known.names.problems.clone(),
    })
}

fn filter(arguments: &Arguments, context: &Context, roll: Option<&Roll>) -> Result<Filter, CommandError> {
    let date = |text: &Option<String>| text.as_deref().map(|text| context.date_ms(text)).transpose();
    let states = &arguments.state;
    let of_state = |roll: &Roll| {
        let rows = roll.rows.iter().filter(|row| states.contains(&row.state));
        rows.map(|row| row.session).collect()
    };
    Ok(Filter {
        project: arguments.project.clone().filter(|text| !text.is_empty()),
        cwd: arguments.cwd.as_ref().map(|cwd| context.real_directory(cwd)),
        since_ms: date(&arguments.since)?,
        before_ms: date(&arguments.before)?,
        roles: arguments.role.iter().copied().collect(),
        tools: arguments.tool.iter().cloned().collect(),
        sessions: roll.filter(|_| !states.is_empty()).map(of_state),
    })
}
