//! `sexton keep earlier`

use std::path::PathBuf;

use sexton_index::vault::{Earlier, Vault};
use sexton_register::SessionId;

use super::one_of;
use crate::arguments::DryRun;
use crate::commands::changes;
use crate::context::Context;
use crate::documents::{Item, ItemsDocument, Outcome};
use crate::error::CommandError;
use crate::indexing::vault;
use crate::render::path::safe;
use crate::render::{Align, Column, Table, age, counted, size};
use crate::report::Report;
use crate::roll::Address;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The session: its id, a prefix of at least 8 characters, or its exact name
    #[arg(value_name = "ID")]
    session: String,

    /// The number of the content that is wanted, as the list without it says
    #[arg(value_name = "NUMBER", requires = "to")]
    number: Option<usize>,

    /// Write it into this file, which must not exist yet
    #[arg(long, value_name = "FILE", requires = "number")]
    to: Option<PathBuf>,

    #[command(flatten)]
    dry_run: DryRun,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    let vault = vault(context);
    let held = vault.sessions().map_err(CommandError::unreadable)?;
    let session = one_of(&arguments.session, Address::IdOrName, &held, context)?;
    let all = vault.earlier(session).map_err(CommandError::unreadable)?;
    match (arguments.number, &arguments.to) {
        (Some(number), Some(to)) => {
            let wanted = all.iter().find(|earlier| earlier.number == number);
            let wanted = wanted.ok_or_else(|| no_such(session, number, all.len()))?;
            write(session, wanted, to, &vault, arguments.dry_run, context)
        }
        _ => list(session, &all, context),
    }
}

/// What is said where there is no earlier content of this number.
pub(crate) fn no_such(session: SessionId, number: usize, held: usize) -> CommandError {
    let held = counted(held, "earlier content");
    CommandError::refused(format_args!(
        "find earlier content {number} of {session}: the copy has {held}"
    ))
    .hint(format_args!("`sexton keep earlier {session}` lists what there is"))
}

fn list(session: SessionId, all: &[Earlier], context: &Context) -> Result<Report, CommandError> {
    if context.json {
        let item = |earlier: &Earlier| Item {
            bytes: Some(earlier.bytes),
            ..Item::of_session(session, Outcome::Kept)
                .at(&earlier.name)
                .saying(format!("earlier content {}", earlier.number))
        };
        let items = all.iter().map(item).collect();
        return Report::json(&ItemsDocument::new(false, items, &[], &[]));
    }
    let note = match all {
        [] => format!("no earlier content is kept of {session}"),
        [..] => "`sexton keep earlier ID NUMBER --to FILE` writes one into a file, `sexton read ID --earlier NUMBER` shows it".to_owned(),
    };
    let text = if all.is_empty() {
        String::new()
    } else {
        table(all, context)
    };
    Ok(Report::text(text).with_notes([note]))
}

fn table(all: &[Earlier], context: &Context) -> String {
    let column = |title, align, least| Column {
        title,
        align,
        least,
        most: 100,
        dropped: 0,
    };
    let mut table = Table::new(vec![
        column("NUMBER", Align::Right, 6),
        column("AGE", Align::Right, 3),
        column("CONTENT", Align::Right, 4),
        column("TRANSCRIPT", Align::LeftCutLeft, 20),
        column("", Align::Left, 4),
    ]);
    for earlier in all {
        table.push(vec![
            earlier.number.to_string().into(),
            age(earlier.modified.as_ms(), context.now_ms()).into(),
            size(earlier.bytes).into(),
            safe(&earlier.name).into(),
            if earlier.is_complete {
                ""
            } else {
                "its end was never copied"
            }
            .into(),
        ]);
    }
    table.render(context.screen.columns, context.screen.out.header())
}

fn write(
    session: SessionId,
    earlier: &Earlier,
    to: &std::path::Path,
    vault: &Vault,
    dry_run: DryRun,
    context: &Context,
) -> Result<Report, CommandError> {
    let here = context.environment.current_directory();
    let to = here.map_or_else(|| to.to_path_buf(), |here| here.join(to));
    // A dry run, too, finds what is in the way.
    if to.symlink_metadata().is_ok() {
        return Err(
            CommandError::refused(format_args!("create `{}`: it exists already", to.display()))
                .hint("name a file that doesn't exist yet"),
        );
    }
    let effects = dry_run.effects();
    vault
        .extract_earlier(&effects, session, earlier, &to)
        .map_err(CommandError::refused)?;
    let sentence = format!("wrote {} to {}", size(earlier.bytes), safe(&to));
    let item = Item {
        bytes: Some(earlier.bytes),
        ..Item::of_session(session, Outcome::Done).at(&to).saying(&sentence)
    };
    changes::report(context, &effects, &[sentence], vec![item], Vec::new())
}
