//! `sexton routine`

use clap::ValueEnum;

use super::changes;
use crate::arguments::DryRun;
use crate::context::Context;
use crate::documents::{Item, Outcome};
use crate::error::CommandError;
use crate::indexing::{fact_store, facts_error};
use crate::report::Report;
use crate::roll::{Address, find_known};

const EXAMPLES: &str = "\
Examples:
  sexton routine 3f8a21c4 no            this one matters, however short it is
  sexton routine 3f8a21c4 auto          back to the rule";

/// Say whether a session is routine, or leave that to the rule.
///
/// A routine session holds hardly anything: no prompt and at most 2 messages, or at most one prompt, 4 messages and 400 bytes of answers. It sorts
/// down in search; `delete --routine` meets it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The session: its id, a prefix of at least 8 characters, or its exact name
    session: String,

    /// Your verdict
    verdict: Verdict,

    #[command(flatten)]
    dry_run: DryRun,
}

/// The verdicts as they are typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Verdict {
    /// It is routine
    Yes,
    /// It is not
    No,
    /// What the rule says
    Auto,
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    let (_, session) = find_known(context, &arguments.session, Address::IdOrName)?;
    let effects = arguments.dry_run.effects();
    let change = |facts: &mut sexton_index::facts::Facts| match arguments.verdict {
        Verdict::Auto => drop(facts.routine.remove(&session)),
        verdict => drop(facts.routine.insert(session, verdict == Verdict::Yes)),
    };
    fact_store(context)
        .update(&effects, change)
        .map_err(|error| facts_error(&error))?;
    let sentence = match arguments.verdict {
        Verdict::Yes => format!("{session} counts as routine"),
        Verdict::No => format!("{session} does not count as routine"),
        Verdict::Auto => format!("the rule decides whether {session} is routine"),
    };
    let item = Item::of_session(session, Outcome::Done).saying(&sentence);
    changes::report(context, &effects, &[sentence], vec![item], Vec::new())
}
