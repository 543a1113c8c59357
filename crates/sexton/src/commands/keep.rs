//! `sexton keep`

mod add;
mod earlier;
mod keeping;

use clap::Subcommand;
use sexton_index::vault::CopyStatus;
use sexton_register::SessionId;
use sexton_sys::Effects;

use super::changes;
use super::yard::{Consent, confirm};
use crate::arguments::DryRun;
use crate::context::Context;
use crate::documents::{Item, ItemsDocument, Outcome};
use crate::error::CommandError;
use crate::indexing::{fact_store, facts_error, vault};
use crate::render::path::safe;
use crate::render::{Align, Column, Table, age, counted, size};
use crate::report::Report;
use crate::roll::{Address, find_known, gather};
pub(super) use earlier::no_such;

const EXAMPLES: &str = "\
Examples:
  sexton keep status
  sexton keep add 3f8a21c4              keeps a copy of this session whatever the policy
  sexton keep add --due                 keeps all that Claude Code will delete within a week
  sexton keep verify                    reads every copy and compares the hashes
  sexton restore 3f8a21c4 --from vault  brings a session back from its copy

Which sessions get a copy, and how large all copies may grow, is configured: `vault.policy` (all, named, off) and `vault.limit`.";

/// Keep compressed copies of sessions, which Claude Code's own cleanup can't reach.
///
/// Copies are made in passing, by `list` and `search`. None is ever dropped but by `keep drop` and `delete --purge`, and what was dropped is
/// not taken again until `keep add`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the copies, or what is kept of these sessions
    Status(Sessions),
    /// Keep a copy of these sessions whatever the policy
    Add(add::Arguments),
    /// Read the copies and tell what could not be given back
    Verify(Sessions),
    /// List what transcripts held before they were rewritten, or write one of it into a file
    Earlier(earlier::Arguments),
    /// Remove the copies of these sessions for good
    Drop(Drop),
}

#[derive(Debug, clap::Args)]
struct Sessions {
    /// Sessions: ids, prefixes of at least 8 characters, or exact names; all without one
    #[arg(value_name = "ID")]
    sessions: Vec<String>,
}

#[derive(Debug, clap::Args)]
struct Change {
    /// Sessions: ids, or prefixes of at least 8 characters
    #[arg(value_name = "ID", required = true)]
    sessions: Vec<String>,

    #[command(flatten)]
    dry_run: DryRun,
}

#[derive(Debug, clap::Args)]
struct Drop {
    #[command(flatten)]
    change: Change,

    #[command(flatten)]
    consent: Consent,
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    match &arguments.action {
        Action::Status(sessions) => status(&held(&sessions.sessions, Address::IdOrName, context)?, context),
        Action::Verify(sessions) => verify(&held(&sessions.sessions, Address::IdOrName, context)?, context),
        Action::Add(arguments) => add::run(arguments, context),
        Action::Earlier(arguments) => earlier::run(arguments, context),
        Action::Drop(arguments) => drop_copies(arguments, context),
    }
}

/// The sessions of which a copy is held: those that are meant, or all.
fn held(texts: &[String], address: Address, context: &Context) -> Result<Vec<SessionId>, CommandError> {
    let held = vault(context).sessions().map_err(CommandError::unreadable)?;
    if texts.is_empty() {
        return Ok(held);
    }
    texts.iter().map(|text| one_of(text, address, &held, context)).collect()
}

/// The one session among `held` that `text` means.
fn one_of(text: &str, address: Address, held: &[SessionId], context: &Context) -> Result<SessionId, CommandError> {
    match by_id(text, held) {
        Err(error) if address == Address::IdOrName => match find_known(context, text, address) {
            Ok((_, session)) if held.contains(&session) => Ok(session),
            _ => Err(error),
        },
        found => found,
    }
}

/// The one session among `held` whose id `text` begins: a copy may be all that is left of it.
fn by_id(text: &str, held: &[SessionId]) -> Result<SessionId, CommandError> {
    let text = text.to_ascii_lowercase();
    let mut matching = held
        .iter()
        .filter(|id| sexton_yard::matches_session_id(id.as_str(), &text));
    match (matching.next(), matching.next()) {
        (Some(one), None) => Ok(*one),
        (None, _) => Err(
            CommandError::refused(format_args!("no copy is kept of `{}`", crate::render::visible(&text)))
                .hint("`sexton keep status` lists the copies"),
        ),
        _ => Err(CommandError::refused(format_args!("`{text}` could be several sessions")).hint("give more of the id")),
    }
}

fn status(sessions: &[SessionId], context: &Context) -> Result<Report, CommandError> {
    let vault = vault(context);
    let (mut copies, mut problems) = (Vec::new(), Vec::new());
    for session in sessions {
        match vault.status(*session) {
            Ok(status) => copies.extend(status),
            Err(error) => problems.push(error.to_string()),
        }
    }
    if context.json {
        let item = |copy: &CopyStatus| Item {
            bytes: Some(copy.stored_bytes),
            detail: (!copy.is_complete).then(|| NOT_COMPLETE.to_owned()),
            ..Item::of_session(copy.session, Outcome::Kept)
        };
        let items = copies.iter().map(item).collect();
        return Ok(Report::json(&ItemsDocument::new(false, items, &[], &problems))?.with_problems(problems));
    }
    let total: u64 = copies.iter().map(|copy| copy.stored_bytes).sum();
    let limit = context.configuration.vault.limit.bytes();
    let note = format!("{}, {} of {}", counted(copies.len(), "copy"), size(total), size(limit));
    let text = if copies.is_empty() {
        String::new()
    } else {
        table(&copies, context)
    };
    Ok(Report::text(text).with_notes([note]).with_problems(problems))
}

/// Said of a copy that doesn't hold every file to its end.
const NOT_COMPLETE: &str = "not complete yet";

fn table(copies: &[CopyStatus], context: &Context) -> String {
    let column = |title, align, least| Column {
        title,
        align,
        least,
        most: 40,
        dropped: 0,
    };
    let mut table = Table::new(vec![
        column("SESSION", Align::Left, 8),
        column("TAKEN", Align::Right, 4),
        column("STORED", Align::Right, 4),
        column("CONTENT", Align::Right, 4),
        column("", Align::Left, 4),
    ]);
    for copy in copies {
        table.push(vec![
            copy.session.as_str().into(),
            age(copy.taken_ms, context.now_ms()).into(),
            size(copy.stored_bytes).into(),
            size(copy.content_bytes).into(),
            if copy.is_complete { "" } else { NOT_COMPLETE }.into(),
        ]);
    }
    table.render(context.screen.columns, context.screen.out.header())
}

fn verify(sessions: &[SessionId], context: &Context) -> Result<Report, CommandError> {
    let vault = vault(context);
    let (mut items, mut sentences, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    for session in sessions {
        let damage: Vec<String> = match vault.verify(*session) {
            Ok(damage) if damage.is_empty() && vault.status(*session).is_ok_and(is_unfinished) => {
                vec!["not all of its files have been copied yet".to_owned()]
            }
            Ok(damage) => damage
                .iter()
                .map(|damage| format!("{}: {}", safe(&damage.name), damage.reason))
                .collect(),
            Err(error) => vec![error.to_string()],
        };
        if damage.is_empty() {
            sentences.push(format!("{session} is sound"));
            items.push(Item::of_session(*session, Outcome::Done));
        } else {
            problems.extend(damage.iter().map(|what| format!("{session}: {what}")));
            items.push(Item::of_session(*session, Outcome::Failed).saying(damage.join("; ")));
        }
    }
    changes::report(context, &Effects::apply(), &sentences, items, problems)
}

fn is_unfinished(copy: Option<CopyStatus>) -> bool {
    copy.is_some_and(|copy| !copy.is_complete)
}

/// A copy that is all that is left of a session is the session: whoever wants that gone must say so.
fn refuse_last_copies(sessions: &[SessionId], context: &Context) -> Result<(), CommandError> {
    let roll = gather(context)?;
    let has_transcript = |session: &SessionId| {
        let row = roll.rows.iter().find(|row| row.session == *session);
        row.is_some_and(|row| !row.transcripts.is_empty())
    };
    match sessions.iter().find(|session| !has_transcript(session)) {
        None => Ok(()),
        Some(session) => Err(CommandError::refused(format_args!(
            "drop the copy of {session}: nothing else is left of it"
        ))
        .hint(format_args!("`sexton restore {session}` brings the session back"))
        .hint(format_args!("`sexton delete {session} --purge` removes it for good"))),
    }
}

fn drop_copies(arguments: &Drop, context: &Context) -> Result<Report, CommandError> {
    let sessions = held(&arguments.change.sessions, Address::IdOnly, context)?;
    refuse_last_copies(&sessions, context)?;
    let vault = vault(context);
    let effects = arguments.change.dry_run.effects();
    if !effects.is_dry_run() {
        let copies: Vec<CopyStatus> = sessions
            .iter()
            .filter_map(|session| vault.status(*session).ok().flatten())
            .collect();
        confirm(
            context,
            arguments.consent,
            &table(&copies, context),
            "Remove these copies for good? This can't be undone.",
        )?;
    }
    let (mut items, mut sentences, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    // Or the next pass would take them again.
    fact_store(context)
        .update(&effects, |facts| {
            facts.kept.retain(|session| !sessions.contains(session));
            facts.dropped.extend(&sessions);
        })
        .map_err(|error| facts_error(&error))?;
    for session in sessions {
        match vault.drop_copy(&effects, session) {
            Ok(freed) => {
                sentences.push(format!("dropped the copy of {session}, {}", size(freed)));
                items.push(Item {
                    bytes: Some(freed),
                    ..Item::of_session(session, Outcome::Done)
                });
            }
            Err(error) => {
                problems.push(format!("{session}: {error}"));
                items.push(Item::of_session(session, Outcome::Failed).saying(error.to_string()));
            }
        }
    }
    let report = changes::report(context, &effects, &sentences, items, problems)?;
    let note = "none is taken again until `sexton keep add`".to_owned();
    Ok(report.with_notes((!effects.is_dry_run()).then_some(note)))
}
