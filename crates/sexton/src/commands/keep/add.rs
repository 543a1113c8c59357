//! `sexton keep add`

use std::collections::{BTreeMap, BTreeSet};

use sexton_index::IndexError;
use sexton_index::catalogue::Catalogue;
use sexton_index::pass::{CopyWarning, PassReport, rests};
use sexton_index::vault::VaultError;
use sexton_register::SessionId;
use sexton_sys::{Effects, FileIdentity};

use super::keeping::{Held, Keeping, Seen, Transcript, keeping};
use crate::arguments::DryRun;
use crate::commands::changes;
use crate::context::Context;
use crate::documents::{Item, Outcome};
use crate::due::{due, periods};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::indexing::{catalogue_path, copy, copy_warning, fact_store, facts_error, vault};
use crate::report::Report;
use crate::roll::{Address, Disposal, Roll, Row, archived, find, look};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Sessions: ids, prefixes of at least 8 characters, or exact names
    #[arg(value_name = "ID|NAME", required_unless_present = "due")]
    sessions: Vec<String>,

    /// All sessions that Claude Code will delete within a week and of which no copy is kept
    #[arg(long, conflicts_with = "sessions")]
    due: bool,

    #[command(flatten)]
    dry_run: DryRun,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    let sources = look(context)?;
    let due = arguments.due.then(|| due(&sources, &periods(context), context));
    let mut roll = Roll::join(sources, context);
    roll.add_retained(context);
    let sessions: Vec<SessionId> = match due {
        Some(due) => {
            let all: BTreeSet<SessionId> = due.into_iter().flat_map(|due| due.sessions).collect();
            all.into_iter().collect()
        }
        None => named(&arguments.sessions, &mut roll)?,
    };
    let effects = arguments.dry_run.effects();
    if sessions.is_empty() {
        let nothing = "Claude Code will delete nothing within a week of which no copy is kept".to_owned();
        return Ok(changes::report(context, &effects, &[], Vec::new(), Vec::new())?.with_notes([nothing]));
    }
    fact_store(context)
        .update(&effects, |facts| {
            facts.kept.extend(&sessions);
            facts.dropped.retain(|session| !sessions.contains(session));
        })
        .map_err(|error| facts_error(&error))?;
    if effects.is_dry_run() {
        let items = sessions.iter().map(|session| Item::of_session(*session, Outcome::Done));
        return changes::report(context, &effects, &[], items.collect(), Vec::new());
    }
    let (pass, warnings) = copied(&sessions, context);
    let came: Vec<(SessionId, Keeping)> = sessions
        .iter()
        .map(|session| (*session, after(*session, &roll, &pass, context)))
        .collect();
    told(&came, warnings, context)
}

fn named(texts: &[String], roll: &mut Roll) -> Result<Vec<SessionId>, CommandError> {
    let found = texts.iter().map(|text| find(roll, text, Address::IdOrName));
    Ok(found.collect::<Result<_, _>>()?)
}

/// Runs the pass that makes the copies. What it warns of is left out where it is said of these sessions themselves.
fn copied(sessions: &[SessionId], context: &Context) -> (Result<PassReport, IndexError>, Vec<String>) {
    // It must not think that a copy which was dropped is still there. A damaged catalogue is made anew, and thinks nothing.
    match forget_dropped(sessions, context) {
        Err(error) if !error.is_damage() => return (Err(error), Vec::new()),
        _ => {}
    }
    let archived = archived(context, &mut Vec::new());
    match copy(context, &archived) {
        Err(error) => (Err(error), Vec::new()),
        Ok(indexed) => {
            let (mut warnings, report) = (indexed.warnings, indexed.report);
            for warning in &report.warnings {
                if matches!(warning, CopyWarning::Failed { session, .. } if sessions.contains(session)) {
                    let said = copy_warning(warning);
                    warnings.retain(|warning| *warning != said);
                }
            }
            (Ok(report), warnings)
        }
    }
}

/// Lets the catalogue know which of these copies are gone, so that the next pass makes them again.
fn forget_dropped(sessions: &[SessionId], context: &Context) -> Result<(), IndexError> {
    let (path, vault) = (catalogue_path(context), vault(context));
    if !path.is_file() {
        return Ok(());
    }
    let catalogue = Catalogue::open(&path, &Effects::apply(), context.now_ms())?;
    let dropped = sessions
        .iter()
        .filter(|session| !vault.session_directory(**session).is_dir());
    dropped
        .into_iter()
        .try_for_each(|session| catalogue.forget_copy(*session))
}

/// What is true of a session's copy after the pass.
fn after(session: SessionId, roll: &Roll, pass: &Result<PassReport, IndexError>, context: &Context) -> Keeping {
    let at = roll.rows.binary_search_by_key(&session, |row| row.session);
    let row = at.ok().map(|at| &roll.rows[at]);
    let disposal = row.and_then(|row| row.disposal);
    // The transcript of an archived session lies in the archive.
    let paths = row
        .filter(|_| disposal.is_none())
        .map_or(&[][..], |row| &row.transcripts);
    // Of several config directories one is copied.
    let files = || {
        paths
            .iter()
            .filter_map(|path| Some((path, FileIdentity::at(path).ok()?)))
    };
    let now = files().map(|(_, now)| now.modified).max();
    let transcript = match (disposal, now) {
        (Some(Disposal::Archived), _) => {
            Transcript::OutOfReach("it lies in the archive, and copies are made of what Claude Code can delete")
        }
        (Some(_), _) => Transcript::OutOfReach("it was deleted; `sexton restore` brings it back"),
        (None, Some(modified)) if rests(modified, context.now_ms()) => Transcript::Rests,
        (None, Some(_)) => Transcript::IsWritten,
        (None, None) if row.is_some_and(|row| row.state.is_live()) => Transcript::Awaited,
        (None, None) if row.is_some_and(|row| row.missing_since_ms.is_some()) => {
            Transcript::OutOfReach("it has no transcript any more")
        }
        (None, None) => Transcript::OutOfReach("it has no transcript"),
    };
    let held = match held(session, context) {
        Err(error) => {
            return keeping(Seen {
                held: Held::Nothing,
                transcript,
                trouble: Some(format!("failed to {error}")),
            });
        }
        Ok(Held::Whole) if now.is_some() => {
            let vault = vault(context);
            let is_all = files().any(|(path, now)| vault.holds(session, path, &now).unwrap_or(false));
            if is_all { Held::Whole } else { Held::Older }
        }
        Ok(held) => held,
    };
    keeping(Seen {
        held,
        transcript,
        trouble: trouble(session, row, pass),
    })
}

/// What the vault holds of a session, as whole as it was when it was taken.
fn held(session: SessionId, context: &Context) -> Result<Held, VaultError> {
    Ok(match vault(context).status(session)? {
        None => Held::Nothing,
        Some(copy) if copy.is_complete => Held::Whole,
        Some(_) => Held::Part,
    })
}

/// What kept the pass from copying this session, if anything is known to have.
fn trouble(session: SessionId, row: Option<&Row>, pass: &Result<PassReport, IndexError>) -> Option<String> {
    let report = match pass {
        Ok(report) => report,
        Err(error) => return Some(format!("failed to {error}")),
    };
    let own = |(path, _): &&(_, String)| row.is_some_and(|row| row.transcripts.contains(path));
    let unread = report.problems.iter().find(own).map(|(_, reason)| reason.clone());
    unread.or_else(|| {
        report.warnings.iter().find_map(|warning| match warning {
            CopyWarning::Full { .. } => Some("the vault is full".to_owned()),
            CopyWarning::Failed {
                session: failed,
                reason,
                waiting,
            } => (*failed == session || *waiting > 0).then(|| reason.clone()),
            _ => None,
        })
    })
}

/// A sentence for each session that is kept or will be, and one for all that are not for the same reason.
fn told(came: &[(SessionId, Keeping)], warnings: Vec<String>, context: &Context) -> Result<Report, CommandError> {
    let (mut sentences, mut items) = (Vec::new(), Vec::new());
    let mut alike: BTreeMap<String, (&Keeping, SessionId, usize)> = BTreeMap::new();
    for (session, keeping) in came {
        let sentence = keeping.sentence(*session, 0);
        items.push(Item::of_session(*session, keeping.outcome()).saying(&sentence));
        if keeping.outcome() == Outcome::Failed {
            let more = alike.entry(format!("{keeping:?}")).and_modify(|(.., more)| *more += 1);
            more.or_insert((keeping, *session, 0));
        } else {
            sentences.push(sentence);
        }
    }
    let problems: Vec<String> = alike
        .values()
        .map(|(keeping, session, more)| keeping.sentence(*session, *more))
        .collect();
    let is_tried_again = |keeping: &Keeping| {
        matches!(
            keeping,
            Keeping::Not {
                is_tried_again: true,
                ..
            }
        )
    };
    let noted = came.iter().any(|(_, keeping)| is_tried_again(keeping));
    let noted = noted.then(|| "once that is mended, the next `sexton list` or `search` makes the copy".to_owned());
    let is_refused = sentences.is_empty() && !problems.is_empty();
    let report = changes::report(context, &Effects::apply(), &sentences, items, problems)?
        .with_notes(noted)
        .with_warnings(warnings);
    Ok(if is_refused {
        report.exactly(Exit::Refused)
    } else {
        report
    })
}
